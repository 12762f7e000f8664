//! A component with the shell in it, and before it a module that shifts the indices of types: LLVM's code has those of
//! the shell alone, and would call functions of another type.

use sqlite_wasm_runtime::artifact::compiler::Compiler;
use sqlite_wasm_runtime::artifact::engine::EngineKind;
use sqlite_wasm_runtime::artifact::is_by_llvm;
use sqlite_wasm_runtime::limits::address_space::Form;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    Component, ConstExpr, EntityType, GlobalSection, GlobalType, ImportSection, MemorySection,
    MemoryType, Module, ModuleSection, NestedComponentSection, RefType, TableSection, TableType,
    TypeSection, ValType,
};
use wasmparser::{FuncType, Parser, Payload};

use crate::compilers::{component, has_image};
use crate::support;

/// What decides where the shell's instances have their parts.
#[derive(Default)]
struct Shape {
    types: Vec<FuncType>,
    imports: u32,
    globals: u32,
}

impl Shape {
    /// That of the first core module.
    fn of(component: &[u8]) -> Self {
        let (mut shape, mut depth) = (Self::default(), 0);
        for payload in Parser::new(0).parse_all(component) {
            match payload.expect("it is a component") {
                Payload::ModuleSection { .. } => depth += 1,
                Payload::TypeSection(types) if depth == 1 => {
                    let types = types.into_iter_err_on_gc_types();
                    shape.types = types.collect::<Result<_, _>>().expect("it is valid");
                }
                Payload::ImportSection(imports) if depth == 1 => {
                    shape.imports = imports.into_imports().count() as u32;
                }
                Payload::GlobalSection(globals) if depth == 1 => shape.globals = globals.count(),
                Payload::End(_) if depth == 1 => break,
                _ => {}
            }
        }
        shape
    }

    /// A module without functions of the same shape.
    fn decoy(&self) -> Module {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        for ty in &self.types {
            let ty = RoundtripReencoder.func_type(ty.clone()).expect("SQLite's types are simple");
            types.ty().func_type(&ty);
        }
        for import in 0..self.imports {
            imports.import("", &import.to_string(), EntityType::Function(0));
        }
        let mut tables = TableSection::new();
        let element_type = RefType::FUNCREF;
        let (minimum, maximum, table64, shared) = (1, None, false, false);
        tables.table(TableType { element_type, minimum, maximum, table64, shared });
        let mut memories = MemorySection::new();
        let (memory64, page_size_log2) = (false, None);
        memories.memory(MemoryType { minimum, maximum, memory64, shared, page_size_log2 });
        let mut globals = GlobalSection::new();
        for _ in 0..self.globals {
            let ty = GlobalType { val_type: ValType::I32, mutable: true, shared };
            globals.global(ty, &ConstExpr::i32_const(0));
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&tables).section(&memories);
        module.section(&globals);
        module
    }
}

/// Bytes of a component before its first section.
const HEADER_BYTES: usize = 8;

/// The shell, and before it a component with this module.
fn behind(decoy: &Module, shell: &[u8]) -> Vec<u8> {
    let (mut inner, mut outer) = (Component::new(), Component::new());
    inner.section(&ModuleSection(decoy));
    outer.section(&NestedComponentSection(&inner));
    [&outer.finish(), &shell[HEADER_BYTES..]].concat()
}

#[test]
fn behind_other_types_the_shell_is_compiled_by_cranelift() {
    let compiler = Compiler::default().helper(support::helper());
    let shell = component("cli");
    let by_llvm = |shape: &Shape| {
        let wasm = behind(&shape.decoy(), &shell);
        let code = compiler.compile(EngineKind::Command(Form::Full), &wasm);
        is_by_llvm(&code.expect("it is compiled"))
    };
    let mut shape = Shape::of(&shell);
    // Control: what is before it has the same types in the same order.
    assert_eq!(by_llvm(&shape), has_image("cli"));
    assert_ne!(shape.types[0], shape.types[1]);
    shape.types.swap(0, 1);
    assert!(!by_llvm(&shape));
}
