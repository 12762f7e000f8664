//! Several modules in one, with one memory and one table.

use std::convert::Infallible;

use anyhow::Result;
use wasm_encoder::reencode::utils::instruction;
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, ExportKind, ExportSection,
    FunctionSection, GlobalSection, ImportSection, Instruction, MemorySection, MemoryType, Module,
    RefType, TableSection, TableType, TypeSection,
};
use wasmparser::{
    ConstExpr, Data, DataKind, Element, ElementItems, ElementKind, ExternalKind, Operator, Parser,
    Payload,
};

/// The size of the memory, which may grow to double that.
pub const MEMORY_BYTES: u64 = 2 * PAGE_BYTES;

/// The size of the table.
pub const TABLE_SLOTS: u64 = 16;

const PAGE_BYTES: u64 = 65536;

/// One module of this many has operators that the translator does not take; otherwise every second function would have some.
const RARE: u64 = 8;

/// The sections of all modules.
pub struct Joined {
    /// How many functions are imported.
    imports: u32,
    types: TypeSection,
    imported: ImportSection,
    functions: FunctionSection,
    globals: GlobalSection,
    exports: ExportSection,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
}

impl Joined {
    /// With the imports of `module`, which all modules have some of. Their names are their indices.
    pub fn new(module: &[u8]) -> Result<Self> {
        let mut joined = Self {
            imports: 0,
            types: TypeSection::new(),
            imported: ImportSection::new(),
            functions: FunctionSection::new(),
            globals: GlobalSection::new(),
            exports: ExportSection::new(),
            elements: ElementSection::new(),
            code: CodeSection::new(),
            data: DataSection::new(),
        };
        joined.exports.export("memory", ExportKind::Memory, 0);
        let mut numbers = Numbers::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    numbers.parse_type_section(&mut joined.types, types)?
                }
                Payload::ImportSection(imports) => {
                    numbers.parse_import_section(&mut joined.imported, imports)?
                }
                _ => {}
            }
        }
        joined.imports = joined.imported.len();
        Ok(joined)
    }

    /// Add a module, whose exports get the names `SEED.0`, `SEED.1`, …
    pub fn add(&mut self, seed: u64, module: &[u8]) -> Result<()> {
        let mut numbers = Numbers {
            types: self.types.len(),
            imports: Vec::new(),
            functions: self.imports + self.functions.len(),
            globals: self.globals.len(),
            elements: self.elements.len(),
            data: self.data.len(),
            has_rare: seed % RARE == 0,
        };
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    numbers.parse_type_section(&mut self.types, types)?
                }
                Payload::ImportSection(imports) => {
                    let numbered = imports.into_imports().map(|import| Ok(import?.name.parse()?));
                    numbers.imports = numbered.collect::<Result<_>>()?;
                }
                Payload::FunctionSection(functions) => {
                    numbers.parse_function_section(&mut self.functions, functions)?
                }
                Payload::GlobalSection(globals) => {
                    numbers.parse_global_section(&mut self.globals, globals)?
                }
                Payload::ExportSection(exports) => {
                    for (number, export) in exports.into_iter().enumerate() {
                        let export = export?;
                        if matches!(export.kind, ExternalKind::Func | ExternalKind::Global) {
                            let index = numbers.external_index(export.kind, export.index)?;
                            let kind = numbers.export_kind(export.kind)?;
                            self.exports.export(&format!("{seed}.{number}"), kind, index);
                        }
                    }
                }
                Payload::ElementSection(elements) => {
                    numbers.parse_element_section(&mut self.elements, elements)?
                }
                Payload::CodeSectionEntry(body) => {
                    numbers.parse_function_body(&mut self.code, body)?
                }
                Payload::DataSection(data) => numbers.parse_data_section(&mut self.data, data)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The bytes of all.
    pub fn finish(self) -> Vec<u8> {
        let (mut tables, mut memories) = (TableSection::new(), MemorySection::new());
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: TABLE_SLOTS,
            maximum: Some(TABLE_SLOTS),
            shared: false,
        });
        let pages = MEMORY_BYTES / PAGE_BYTES;
        memories.memory(MemoryType {
            minimum: pages,
            maximum: Some(2 * pages),
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let count = DataCountSection { count: self.data.len() };
        let mut module = Module::new();
        module
            .section(&self.types)
            .section(&self.imported)
            .section(&self.functions)
            .section(&tables)
            .section(&memories);
        module
            .section(&self.globals)
            .section(&self.exports)
            .section(&self.elements)
            .section(&count);
        module.section(&self.code).section(&self.data);
        module.finish()
    }
}

/// The first index of each kind of a module's items, among those of all modules.
#[derive(Default)]
struct Numbers {
    types: u32,
    /// Those of the imported functions.
    imports: Vec<u32>,
    functions: u32,
    globals: u32,
    elements: u32,
    data: u32,
    has_rare: bool,
}

type Encoded<T> = std::result::Result<T, Error<Infallible>>;

impl Reencode for Numbers {
    type Error = Infallible;

    fn type_index(&mut self, index: u32) -> Encoded<u32> {
        Ok(self.types + index)
    }

    fn function_index(&mut self, index: u32) -> Encoded<u32> {
        let imported = self.imports.get(index as usize).copied();
        Ok(imported.unwrap_or_else(|| self.functions + index - self.imports.len() as u32))
    }

    fn global_index(&mut self, index: u32) -> Encoded<u32> {
        Ok(self.globals + index)
    }

    fn element_index(&mut self, index: u32) -> Encoded<u32> {
        Ok(self.elements + index)
    }

    fn data_index(&mut self, index: u32) -> Encoded<u32> {
        Ok(self.data + index)
    }

    /// With another operator of the same type instead of a rare one.
    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Encoded<Instruction<'a>> {
        if self.has_rare {
            return instruction(self, operator);
        }
        Ok(match operator {
            Operator::MemoryGrow { .. } => Instruction::I32Popcnt,
            Operator::DataDrop { .. } | Operator::ElemDrop { .. } => Instruction::Nop,
            Operator::MemoryInit { .. }
            | Operator::TableInit { .. }
            | Operator::TableCopy { .. } => Instruction::MemoryFill(0),
            other => instruction(self, other)?,
        })
    }

    /// What would not fit, so that no module could be instantiated, is passive.
    fn parse_element(
        &mut self,
        elements: &mut ElementSection,
        element: Element<'_>,
    ) -> Encoded<()> {
        let count = match &element.items {
            ElementItems::Functions(functions) => functions.count(),
            ElementItems::Expressions(_, expressions) => expressions.count(),
        };
        let items = self.element_items(element.items.clone())?;
        match &element.kind {
            ElementKind::Active { offset_expr, .. }
                if fits(offset_expr, count.into(), TABLE_SLOTS) =>
            {
                let offset = self.const_expr(offset_expr.clone())?;
                elements.active(None, &offset, items);
            }
            ElementKind::Declared => {
                elements.declared(items);
            }
            _ => {
                elements.passive(items);
            }
        }
        Ok(())
    }

    fn parse_data(&mut self, data: &mut DataSection, one: Data<'_>) -> Encoded<()> {
        let bytes = one.data.iter().copied();
        match &one.kind {
            DataKind::Active { offset_expr, .. }
                if fits(offset_expr, one.data.len() as u64, MEMORY_BYTES) =>
            {
                let offset = self.const_expr(offset_expr.clone())?;
                data.active(0, &offset, bytes);
            }
            _ => {
                data.passive(bytes);
            }
        }
        Ok(())
    }
}

/// Whether this many items from a constant offset on are within the size.
fn fits(offset: &ConstExpr<'_>, count: u64, size: u64) -> bool {
    match offset.get_operators_reader().read() {
        Ok(Operator::I32Const { value }) => u64::from(value.cast_unsigned()) + count <= size,
        _ => false,
    }
}
