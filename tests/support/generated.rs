//! Programs and extensions made for one attack, without a compiler.

use std::borrow::Cow;

use wasm_encoder::{
    BlockType, CodeSection, CustomSection, ExportKind, ExportSection, Function, FunctionSection,
    Instruction, MemorySection, MemoryType, Module, RefType, StartSection, TableSection, TableType,
    TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A command whose `run` does this, in a module that `more` completes.
pub struct Program {
    /// Its tables, each with its initial count of elements.
    pub tables: Vec<u64>,
    /// What `run` does; it must leave nothing on the stack.
    pub run: Vec<Instruction<'static>>,
    /// Whether `run` is also done when the module is instantiated.
    pub starts: bool,
    /// Functions that are never called: how many, and instructions of each.
    pub ballast: (u32, Vec<Instruction<'static>>),
}

impl Program {
    /// One that does nothing.
    pub fn new(run: Vec<Instruction<'static>>) -> Self {
        Self { tables: Vec::new(), run, starts: false, ballast: (0, Vec::new()) }
    }

    /// As a component that exports `wasi:cli/run`.
    pub fn encode(self) -> Vec<u8> {
        self.encoded(true)
    }

    fn encoded(self, is_validated: bool) -> Vec<u8> {
        const WORLD: &str = "package attacks:made;
            world program { export wasi:cli/run@0.2.0; }
            package wasi:cli@0.2.0 { interface run { run: func() -> result; } }";
        let mut resolve = Resolve::default();
        let package = resolve.push_str("made.wit", WORLD).expect("it is WIT");
        let world = resolve.select_world(&[package], Some("program")).expect("it has one");
        let mut module = self.module();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .expect("the module has what the world says");
        let mut encoder = ComponentEncoder::default();
        encoder.validate(is_validated);
        encoder.module(&module).expect("it is a module");
        encoder.encode().expect("it can be a component")
    }

    fn module(self) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        types.ty().function([], []);
        types.ty().function([ValType::I32; WIDTH], [ValType::I32; WIDTH]);
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        let mut add = |ty, body: &[Instruction<'static>]| {
            let mut function = Function::new([(1, ValType::I32)]);
            body.iter().for_each(|instruction| {
                function.instruction(instruction);
            });
            function.instruction(&Instruction::End);
            functions.function(ty);
            code.function(&function);
        };
        add(0, &[self.run.clone(), vec![Instruction::I32Const(0)]].concat());
        add(1, if self.starts { &self.run } else { &[] });
        (0..self.ballast.0).for_each(|_| add(1, &self.ballast.1));
        let mut tables = TableSection::new();
        for minimum in &self.tables {
            tables.table(TableType {
                element_type: RefType::FUNCREF,
                table64: false,
                minimum: *minimum,
                maximum: None,
                shared: false,
            });
        }
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0);
        exports.export("wasi:cli/run@0.2.0#run", ExportKind::Func, 0);
        let mut module = Module::new();
        module.section(&types).section(&functions);
        if !self.tables.is_empty() {
            module.section(&tables);
        }
        module.section(&memories).section(&exports);
        if self.starts {
            module.section(&StartSection { function_index: 1 });
        }
        module.section(&code);
        module.finish()
    }
}

/// Parameters of each block of a bomb: the most that WebAssembly allows.
const WIDTH: usize = 1000;

/// A program of about this many bytes that costs a compiler much: one function of
/// many blocks, each of which may be left with a thousand values.
pub fn bomb(bytes: usize) -> Vec<u8> {
    /// As they are encoded: seven bytes.
    const ROUND: [Instruction<'static>; 4] = [
        Instruction::Block(BlockType::FunctionType(2)),
        Instruction::LocalGet(0),
        Instruction::BrIf(0),
        Instruction::End,
    ];
    let of = |rounds: usize| {
        let mut body = vec![Instruction::I32Const(0); WIDTH];
        (0..rounds).for_each(|_| body.extend(ROUND));
        body.extend(vec![Instruction::Drop; WIDTH]);
        Program { ballast: (1, body), ..Program::new(vec![]) }
    };
    // Validating costs as much as compiling: a small one of the kind is valid.
    of(WIDTH).encode();
    of(bytes / 7).encoded(false)
}

/// Instructions of a loop without an end.
pub fn endless() -> Vec<Instruction<'static>> {
    vec![Instruction::Loop(BlockType::Empty), Instruction::Br(0), Instruction::End]
}

/// A section without a meaning, at the end of a component.
pub fn with_custom_section(component: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
    let section = CustomSection { name: name.into(), data: Cow::Borrowed(content) };
    let mut bytes = component.to_vec();
    bytes.push(0);
    let mut body = Vec::new();
    wasm_encoder::Encode::encode(&section, &mut body);
    bytes.extend(body);
    bytes
}
