//! What is known of a core module before its functions are translated.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Result, bail, ensure};
use wasmparser::{
    ConstExpr, ElementItems, Export, ExternalKind, FuncType, FunctionBody, MemoryType, Operator,
    Parser, Payload, TableInit, TableType, TypeRef, ValType,
};

/// Functions are named by 16 bits in the module that wasmtime compiles (`rewrite`).
pub const MAX_FUNCTIONS: usize = 0xfffe;

/// A global, which the module defines.
#[derive(Debug, Clone, Copy)]
pub struct Global {
    /// Its type.
    pub ty: ValType,
    /// The bits of its value, if it never changes and is a numeric constant in the module.
    pub constant: Option<u64>,
}

/// A module of the shape that LLVM's code exists for: it defines at most one memory and one table,
/// and imports only functions.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// The types of functions.
    pub types: Vec<FuncType>,
    /// The type of each imported function.
    pub imports: Vec<u32>,
    /// The type of each function that the module defines.
    pub functions: Vec<u32>,
    /// The functions that the module defines.
    pub bodies: Vec<FunctionBody<'a>>,
    /// Where each of `bodies` is in the module.
    pub ranges: Vec<Range<usize>>,
    /// The globals.
    pub globals: Vec<Global>,
    /// The table.
    pub table: Option<TableType>,
    /// The memory.
    pub memory: Option<MemoryType>,
    /// Defined functions that are called from outside: exported, in a table, or the start.
    pub escaped: BTreeSet<u32>,
}

impl<'a> Module<'a> {
    /// Read a module, which is valid.
    ///
    /// # Errors
    ///
    /// When its shape is another one.
    pub fn parse(wasm: &'a [u8]) -> Result<Self> {
        let mut module = Self::default();
        for payload in Parser::new(0).parse_all(wasm) {
            module.section(payload?)?;
        }
        ensure!(!module.bodies.is_empty(), "the module has no functions");
        ensure!(module.bodies.len() <= MAX_FUNCTIONS, "the module has too many functions");
        Ok(module)
    }

    /// The type of a function, imported or defined.
    pub fn function_type(&self, index: u32) -> Option<&FuncType> {
        let index = index as usize;
        let ty = match self.imports.get(index) {
            Some(ty) => ty,
            None => self.functions.get(index - self.imports.len())?,
        };
        self.types.get(*ty as usize)
    }

    /// How many slots the table has, if it cannot grow, so that it is never moved either.
    pub fn fixed_slots(&self) -> Option<i32> {
        let table = self.table.filter(|table| table.maximum == Some(table.initial))?;
        i32::try_from(table.initial).ok()
    }

    /// The position of a function among those that the module defines.
    pub fn defined(&self, index: u32) -> Option<u32> {
        index.checked_sub(self.imports.len() as u32)
    }

    fn section(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let TypeRef::Func(ty) = import?.ty else {
                        bail!("the module imports more than functions");
                    };
                    self.imports.push(ty);
                }
            }
            Payload::FunctionSection(types) => {
                self.functions = types.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::TableSection(tables) => {
                ensure!(tables.count() == 1, "the module has several tables");
                for table in tables {
                    let table = table?;
                    if let TableInit::Expr(value) = &table.init {
                        self.escape_from(value)?;
                    }
                    self.table = Some(table.ty);
                }
            }
            Payload::MemorySection(memories) => {
                ensure!(memories.count() == 1, "the module has several memories");
                for memory in memories {
                    let memory = memory?;
                    let is_plain =
                        !memory.memory64 && !memory.shared && memory.page_size_log2.is_none();
                    ensure!(is_plain, "the module's memory is of another type");
                    self.memory = Some(memory);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    let global = global?;
                    self.escape_from(&global.init_expr)?;
                    let constant = constant(&global.init_expr)?.filter(|_| !global.ty.mutable);
                    self.globals.push(Global { ty: global.ty.content_type, constant });
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    self.export(&export?);
                }
            }
            Payload::StartSection { func, .. } => self.escape(func),
            Payload::ElementSection(elements) => {
                for element in elements {
                    let ElementItems::Functions(functions) = element?.items else {
                        bail!("the module computes elements of its table");
                    };
                    for function in functions {
                        self.escape(function?);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                self.ranges.push(body.range());
                self.bodies.push(body);
            }
            Payload::TagSection(_) => bail!("the module has tags"),
            _ => {}
        }
        Ok(())
    }

    fn export(&mut self, export: &Export<'_>) {
        if export.kind == ExternalKind::Func {
            self.escape(export.index);
        }
    }

    /// The functions that the value of a global or of a table refers to.
    fn escape_from(&mut self, value: &ConstExpr<'_>) -> Result<()> {
        for operator in value.get_operators_reader() {
            if let Operator::RefFunc { function_index } = operator? {
                self.escape(function_index);
            }
        }
        Ok(())
    }

    fn escape(&mut self, function: u32) {
        if let Some(defined) = self.defined(function) {
            self.escaped.insert(defined);
        }
    }
}

/// The bits of a constant; `None` if it is a vector or a reference, or computed.
fn constant(expression: &ConstExpr<'_>) -> Result<Option<u64>> {
    let mut operators = expression.get_operators_reader();
    let value = match operators.read()? {
        Operator::I32Const { value } => u64::from(value.cast_unsigned()),
        Operator::I64Const { value } => value.cast_unsigned(),
        Operator::F32Const { value } => u64::from(value.bits()),
        Operator::F64Const { value } => value.bits(),
        _ => return Ok(None),
    };
    Ok(matches!(operators.read()?, Operator::End).then_some(value))
}
