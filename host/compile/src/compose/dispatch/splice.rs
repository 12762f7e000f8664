//! Replaces imported functions of a core module by functions inside it.

use std::collections::HashMap;
use std::convert::Infallible;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, CustomSection, DataCountSection, DataSection, EntityType, Function as Code,
    FunctionSection, ImportSection, Module, NameSection, SectionId, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, DataSectionReader, ExternalKind, FunctionSectionReader, ImportSectionReader,
    NameSectionReader, Parser, Payload, TypeRef, TypeSectionReader,
};

/// The parts of a module that splicing needs.
#[derive(Default)]
pub struct Survey {
    /// The functions that it imports: module, name and type.
    pub imports: Vec<(String, String, u32)>,
    type_count: u32,
    function_count: u32,
    pub data_count: u32,
    has_data_count: bool,
    realloc: Option<u32>,
}

impl Survey {
    /// Parse `module`.
    ///
    /// # Errors
    ///
    /// When it is malformed.
    pub fn of(module: &[u8]) -> Result<Self> {
        let mut survey = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    for group in types {
                        survey.type_count += group?.types().len() as u32;
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import?;
                        if let TypeRef::Func(ty) = import.ty {
                            let names = (import.module.to_owned(), import.name.to_owned());
                            survey.imports.push((names.0, names.1, ty));
                        }
                    }
                }
                Payload::FunctionSection(functions) => survey.function_count = functions.count(),
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ExternalKind::Func && export.name == "cabi_realloc" {
                            survey.realloc = Some(export.index);
                        }
                    }
                }
                Payload::DataCountSection { .. } => survey.has_data_count = true,
                Payload::DataSection(data) => survey.data_count = data.count(),
                _ => {}
            }
        }
        Ok(survey)
    }

    /// The functions that are imported from `module`: their indices and names.
    pub fn imported_from(&self, module: &str) -> impl Iterator<Item = (u32, String)> {
        let indexed = (0..).zip(&self.imports);
        let wanted = indexed.filter(move |(_, (from, _, _))| from == module);
        wanted.map(|(index, (_, name, _))| (index, name.clone()))
    }

    /// The function that allocates memory.
    pub fn realloc(&self) -> Result<u32> {
        self.realloc.context("it exports no `cabi_realloc`")
    }
}

/// A function to import.
pub struct Import {
    pub module: String,
    pub name: String,
    pub parameters: Vec<ValType>,
    pub results: Vec<ValType>,
}

/// What is put into a module. The new imports follow the old ones; the module's own
/// functions come after them.
#[derive(Default)]
pub struct Splice {
    pub imports: Vec<Import>,
    /// By the index of the import that the code replaces. The code itself may still call
    /// that import.
    pub replaced: HashMap<u32, Code>,
    /// One more passive data segment, the last.
    pub data: Option<Vec<u8>>,
}

impl Splice {
    /// The module with all that.
    ///
    /// # Errors
    ///
    /// When the module is damaged.
    pub fn into_module(self, module: &[u8], survey: &Survey) -> Result<Vec<u8>> {
        let mut order: Vec<u32> = self.replaced.keys().copied().collect();
        order.sort_unstable();
        let mut splicer = Splicer { splice: &self, survey, order, naming: false };
        let mut result = Module::new();
        splicer
            .parse_core_module(&mut result, Parser::new(0), module)
            .map_err(|error| anyhow!("{error}"))?;
        Ok(result.finish())
    }
}

struct Splicer<'a> {
    splice: &'a Splice,
    survey: &'a Survey,
    /// The replaced imports, in the order of the functions that replace them.
    order: Vec<u32>,
    /// Names are read: those of imports stay with the imports.
    naming: bool,
}

impl Splicer<'_> {
    fn added(&self) -> u32 {
        self.splice.imports.len() as u32
    }
}

type Spliced<T = ()> = Result<T, Error<Infallible>>;

impl Reencode for Splicer<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Spliced<u32> {
        let imports = self.survey.imports.len() as u32;
        if function >= imports {
            return Ok(function + self.added());
        }
        let index = self.order.iter().position(|replaced| *replaced == function);
        Ok(match index.filter(|_| !self.naming) {
            Some(index) => imports + self.added() + self.survey.function_count + index as u32,
            None => function,
        })
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Spliced {
        utils::parse_type_section(self, types, section)?;
        for import in &self.splice.imports {
            types.ty().function(import.parameters.iter().copied(), import.results.iter().copied());
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Spliced {
        utils::parse_import_section(self, imports, section)?;
        for (ty, import) in (self.survey.type_count..).zip(&self.splice.imports) {
            imports.import(&import.module, &import.name, EntityType::Function(ty));
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Spliced {
        utils::parse_function_section(self, functions, section)?;
        for replaced in &self.order {
            functions.function(self.survey.imports[*replaced as usize].2);
        }
        Ok(())
    }

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Spliced {
        // The section precedes the code; passive data needs it.
        if before == Some(SectionId::Code) && !self.survey.has_data_count {
            let count = self.data_count(self.survey.data_count)?;
            module.section(&DataCountSection { count });
        }
        Ok(())
    }

    fn data_count(&mut self, count: u32) -> Spliced<u32> {
        Ok(count + u32::from(self.splice.data.is_some()))
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Spliced {
        utils::parse_code_section(self, code, section)?;
        for replaced in &self.order {
            code.function(&self.splice.replaced[replaced]);
        }
        Ok(())
    }

    fn parse_data_section(
        &mut self,
        data: &mut DataSection,
        section: DataSectionReader<'_>,
    ) -> Spliced {
        utils::parse_data_section(self, data, section)?;
        if let Some(bytes) = &self.splice.data {
            data.passive(bytes.iter().copied());
        }
        Ok(())
    }

    fn custom_name_section(&mut self, section: NameSectionReader<'_>) -> Spliced<NameSection> {
        self.naming = true;
        let names = utils::custom_name_section(self, section);
        self.naming = false;
        names
    }

    fn custom_section<'a>(
        &mut self,
        section: wasmparser::CustomSectionReader<'a>,
    ) -> Spliced<CustomSection<'a>> {
        Ok(utils::custom_section(self, section))
    }
}
