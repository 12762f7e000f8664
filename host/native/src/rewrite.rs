//! The component that wasmtime compiles in two passes.
//!
//! Each function that is called from outside gets the body `i64.const MARK + N; call $image; unreachable`; those that
//! only the image calls get `unreachable`, which wasmtime compiles once for each type. They keep their indices and
//! names, which traps show. Three functions are added: `$image`, which calls all that the image calls; `$fill`, with
//! which wasmtime fills a slot of the table; and `$interrupt`, which is empty, but where wasmtime looks at the time
//! when it begins. Types, tables, elements, data, exports and names remain.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{
    CodeSection, Encode, Function as Body, Instruction, Module as Encoder, NameMap, NameSection,
    RawSection,
};
use wasmparser::{CustomSectionReader, FuncType, KnownCustom, Name, Parser, Payload, ValType};

use crate::component::number;
use crate::image::{Callee, Function, Image};
use crate::module::Module;

/// The constant that marks a function of the image in its machine code: the lowest 16 bits are the function's index,
/// and the other 48 are unlikely in other code.
pub const MARK: u64 = 0x5eed_1dea_c0de_0000;

/// The lowest bits for `$image`.
pub const IMAGE: u64 = 0xffff;

/// The name of `$image`, from which the runtime recognizes frames of LLVM's code
/// (`sqlite_wasm_runtime::artifact::trace`).
pub const IMAGE_NAME: &str = "machine-code-by-LLVM";

/// The module that wasmtime sees.
///
/// # Errors
///
/// When the image is for another module.
pub fn rewritten(wasm: &[u8], image: &Image) -> Result<Vec<u8>> {
    let module = Module::parse(wasm)?;
    ensure!(module.functions.len() == image.functions.len(), "the image has other functions");
    let mut encoder = Encoder::new();
    let mut code = Some(code(wasm, &module, image)?);
    let mut names = Names::default();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match &payload {
            Payload::TypeSection(_) => {
                // One more: an i64, and no result.
                let data = appended(section(wasm, &payload)?, &[&[0x60, 1, 0x7e, 0]])?;
                encoder.section(&RawSection { id: 1, data: &data });
            }
            Payload::FunctionSection(_) => {
                let mut ty = Vec::new();
                (module.types.len() as u32).encode(&mut ty);
                let data = appended(section(wasm, &payload)?, &[&ty, &ty, &ty])?;
                encoder.section(&RawSection { id: 3, data: &data });
            }
            Payload::CodeSectionStart { .. } => {
                if let Some(code) = code.take() {
                    encoder.section(&code);
                }
            }
            Payload::CustomSection(custom) => names.read(custom)?,
            _ => {
                if let Some((id, range)) = payload.as_section() {
                    encoder.section(&RawSection { id, data: bytes_of(wasm, range)? });
                }
            }
        }
    }
    names.functions.append((module.imports.len() + module.functions.len()) as u32 + 2, IMAGE_NAME);
    encoder.section(&names.section());
    Ok(encoder.finish())
}

/// The names that a trap shows.
#[derive(Default)]
struct Names<'a> {
    module: Option<&'a str>,
    functions: NameMap,
}

impl<'a> Names<'a> {
    /// Add those of a custom section.
    fn read(&mut self, custom: &CustomSectionReader<'a>) -> Result<()> {
        let KnownCustom::Name(sections) = custom.as_known() else { return Ok(()) };
        for section in sections {
            match section? {
                Name::Module { name, .. } => self.module = Some(name),
                Name::Function(functions) => {
                    for function in functions {
                        let function = function?;
                        self.functions.append(function.index, function.name);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn section(&self) -> NameSection {
        let mut section = NameSection::new();
        if let Some(name) = self.module {
            section.module(name);
        }
        section.functions(&self.functions);
        section
    }
}

fn section<'a>(wasm: &'a [u8], payload: &Payload<'_>) -> Result<&'a [u8]> {
    let (_, range) = payload.as_section().context("a section has no content")?;
    bytes_of(wasm, range)
}

fn bytes_of(wasm: &[u8], range: Range<usize>) -> Result<&[u8]> {
    wasm.get(range).context("a section lies outside")
}

/// A section that is a vector, with more items.
fn appended(section: &[u8], items: &[&[u8]]) -> Result<Vec<u8>> {
    let (count, number_bytes) = number(section)?;
    let mut data = Vec::with_capacity(section.len() + 8);
    ((count + items.len()) as u32).encode(&mut data);
    data.extend(&section[number_bytes..]);
    items.iter().for_each(|item| data.extend(*item));
    Ok(data)
}

fn code(wasm: &[u8], module: &Module<'_>, image: &Image) -> Result<CodeSection> {
    let imports = module.imports.len() as u32;
    let fill = imports + module.functions.len() as u32;
    let (interrupt, whole) = (fill + 1, fill + 2);
    let mut code = CodeSection::new();
    for (index, function) in image.functions.iter().enumerate() {
        let mut body = Body::new([]);
        match function {
            Function::Kept => {
                let range = module.ranges.get(index).context("a function has no body")?;
                code.raw(wasm.get(range.clone()).context("a function lies outside")?);
                continue;
            }
            Function::Internal => {}
            Function::Entry(_) => {
                body.instruction(&Instruction::I64Const((MARK + index as u64).cast_signed()));
                body.instruction(&Instruction::Call(whole));
            }
        }
        body.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
        code.function(&body);
    }
    code.function(&filling(module));
    let mut empty = Body::new([]);
    empty.instruction(&Instruction::End);
    code.function(&empty);
    code.function(&calling_all(module, image, imports, [fill, interrupt])?);
    Ok(code)
}

/// `$fill`: read the table, which fills the slot if it was never read. The image gives 32 bits as its argument.
fn filling(module: &Module<'_>) -> Body {
    let mut body = Body::new([]);
    if module.table.is_some() {
        body.instruction(&Instruction::LocalGet(0)).instruction(&Instruction::I32WrapI64);
        body.instruction(&Instruction::TableGet(0)).instruction(&Instruction::Drop);
    }
    body.instruction(&Instruction::End);
    body
}

/// `$image`: its calls are in the order of the image's slots.
fn calling_all(
    module: &Module<'_>,
    image: &Image,
    imports: u32,
    [fill, interrupt]: [u32; 2],
) -> Result<Body> {
    let mut body = Body::new([]);
    for slot in &image.slots {
        match slot.callee {
            Callee::Fill => helper(fill, &mut body),
            Callee::Interrupt => helper(interrupt, &mut body),
            Callee::Function(function) => {
                let ty = module.function_type(imports + function);
                let ty = ty.context("a slot has no function")?;
                arguments(ty, &mut body)?;
                body.instruction(&Instruction::Call(imports + function));
                ty.results().iter().for_each(|_| {
                    body.instruction(&Instruction::Drop);
                });
            }
        }
    }
    body.instruction(&Instruction::End);
    Ok(body)
}

/// A helper's argument is the constant of `$image`; each image calls one, so the constant is in its code.
fn helper(function: u32, body: &mut Body) {
    body.instruction(&Instruction::I64Const((MARK + IMAGE).cast_signed()));
    body.instruction(&Instruction::Call(function));
}

fn arguments(ty: &FuncType, body: &mut Body) -> Result<()> {
    for parameter in ty.params() {
        body.instruction(&match parameter {
            ValType::I32 => Instruction::I32Const(0),
            ValType::I64 => Instruction::I64Const(0),
            ValType::F32 => Instruction::F32Const(0.0.into()),
            ValType::F64 => Instruction::F64Const(0.0.into()),
            ValType::V128 => Instruction::V128Const(0),
            other => anyhow::bail!("a function of a slot has a parameter of type {other}"),
        });
    }
    Ok(())
}
