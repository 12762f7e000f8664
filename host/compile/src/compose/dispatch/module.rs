//! The trampolines' core module, which is instantiated after the CLI's and works in its memory.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, EntityType, ExportKind, ExportSection,
    Function as Code, FunctionSection, ImportSection, MemoryType, Module, TypeSection, ValType,
};
use wasmparser::{ExternalKind, Parser, Payload};

/// The name under which `wit-component` gives a library the exports of the main module.
const MAIN: &str = "__main_module__";

/// The function of the CLI that allocates memory.
const REALLOC: &str = "cabi_realloc";

/// A type of functions: parameters and results.
type Type = (Vec<ValType>, Vec<ValType>);

/// The names of the functions that the core module `cli` imports from `module`.
///
/// # Errors
///
/// When it is malformed, or exports no function that allocates memory.
pub fn imported(cli: &[u8], module: &str) -> Result<BTreeSet<String>> {
    let (mut names, mut allocates) = (BTreeSet::new(), false);
    for payload in Parser::new(0).parse_all(cli) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    if import.module == module {
                        names.insert(import.name.to_owned());
                    }
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    allocates |= export.kind == ExternalKind::Func && export.name == REALLOC;
                }
            }
            _ => {}
        }
    }
    ensure!(allocates, "it exports no `{REALLOC}`");
    Ok(names)
}

/// A module that is being made: all its imports, then its functions.
pub struct Builder {
    types: Vec<Type>,
    imports: ImportSection,
    /// How many functions are imported.
    imported: u32,
    functions: FunctionSection,
    code: CodeSection,
    exports: ExportSection,
}

impl Builder {
    /// A module with the memory of the CLI, and the index of the function that allocates in it.
    pub fn new() -> (Self, u32) {
        let mut imports = ImportSection::new();
        let memory = MemoryType {
            minimum: 0,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        };
        imports.import("env", "memory", memory);
        let mut builder = Self {
            types: Vec::new(),
            imports,
            imported: 0,
            functions: FunctionSection::new(),
            code: CodeSection::new(),
            exports: ExportSection::new(),
        };
        let ty = (vec![ValType::I32; 4], vec![ValType::I32]);
        let realloc = builder.import(MAIN, REALLOC, ty);
        (builder, realloc)
    }

    /// Import a function. Returns its index.
    pub fn import(&mut self, module: &str, name: &str, ty: Type) -> u32 {
        let ty = self.ty(ty);
        self.imports.import(module, name, EntityType::Function(ty));
        self.imported += 1;
        self.imported - 1
    }

    /// Export the function `index`.
    pub fn export(&mut self, name: &str, index: u32) {
        self.exports.export(name, ExportKind::Func, index);
    }

    /// Export a function with this code, after all imports.
    pub fn define(&mut self, name: &str, ty: Type, code: &Code) {
        let ty = self.ty(ty);
        self.export(name, self.imported + self.functions.len());
        self.functions.function(ty);
        self.code.function(code);
    }

    fn ty(&mut self, ty: Type) -> u32 {
        let known = self.types.iter().position(|known| *known == ty);
        known.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        }) as u32
    }

    /// The module, with a passive data segment.
    pub fn finish(self, data: Vec<u8>) -> Vec<u8> {
        let mut types = TypeSection::new();
        for (parameters, results) in self.types {
            types.ty().function(parameters, results);
        }
        let mut segments = DataSection::new();
        segments.passive(data);
        let mut module = Module::new();
        module.section(&types).section(&self.imports).section(&self.functions);
        module.section(&self.exports).section(&DataCountSection { count: 1 });
        module.section(&self.code).section(&segments);
        module.finish()
    }
}
