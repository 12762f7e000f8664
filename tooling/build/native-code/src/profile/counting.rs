//! A module that counts: 64 bits for each function and each way of its branches, in a second memory,
//! which the program does not know of.
//!
//! At its end, a command writes that memory to its standard error, behind the hash of the module that
//! is counted. So any program that runs components runs this one.

use anyhow::{Context, Result, anyhow, ensure};
use sqlite_wasm_native::module::Module;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, MemArg, MemorySection,
    MemoryType, TypeSection, ValType,
};
use wasmparser::{ExternalKind, FunctionBody, Operator, Parser, Payload, TypeRef};

use super::Counters;
use super::branches::ways;

/// The name of the memory with the counters.
pub const MEMORY: &str = "counters";

/// The counters' own memory.
const COUNTERS: u32 = 1;

/// The hash of the module, in front of the counters.
pub const HASH_BYTES: u64 = 32;

const PAGE: u64 = 1 << 16;

/// What a command calls when it ends, and what it is started by.
const RUN: &str = "wasi:cli/run@0.2.0#run";
const EXIT: (&str, &str) = ("wasi:cli/exit@0.2.0", "exit");
const WRITE: (&str, &str) = ("sqlite-wasm:host/console@0.1.0", "write");
const STANDARD_ERROR: i32 = 1;

/// The module with counters.
///
/// # Errors
///
/// When it has another shape.
pub fn counting(wasm: &[u8]) -> Result<Vec<u8>> {
    let module = Module::parse(wasm)?;
    ensure!(module.memory.is_some(), "the module has no memory");
    let counters = Counters::of(&module)?;
    let command = Command::of(wasm, &module)?;
    let mut counting = Counting { wasm, module: &module, counters, command, function: 0 };
    let mut encoder = wasm_encoder::Module::new();
    counting
        .parse_core_module(&mut encoder, Parser::new(0), wasm)
        .map_err(|error| anyhow!("the module cannot be written: {error}"))?;
    Ok(encoder.finish())
}

/// The functions of a command at which counting ends.
struct Command {
    write: u32,
    exit: u32,
    run: u32,
    run_type: u32,
}

impl Command {
    fn of(wasm: &[u8], module: &Module<'_>) -> Result<Option<Self>> {
        let (mut write, mut exit, mut run, mut imports) = (None, None, None, 0);
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        ensure!(
                            matches!(import.ty, TypeRef::Func(_)),
                            "it imports more than functions"
                        );
                        match (import.module, import.name) {
                            WRITE => write = Some(imports),
                            EXIT => exit = Some(imports),
                            _ => {}
                        }
                        imports += 1;
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.name == RUN && export.kind == ExternalKind::Func {
                            run = Some(export.index);
                        }
                    }
                }
                _ => {}
            }
        }
        let Some(run) = run else { return Ok(None) };
        let defined =
            module.defined(run).and_then(|defined| module.functions.get(defined as usize));
        let run_type = *defined.context("the command's start is not a function of the module")?;
        let write = write.context("the command does not write to the console")?;
        let exit = exit.context("the command does not exit")?;
        Ok(Some(Self { write, exit, run, run_type }))
    }
}

struct Counting<'a> {
    wasm: &'a [u8],
    module: &'a Module<'a>,
    counters: Counters,
    command: Option<Command>,
    /// The function whose body is next.
    function: usize,
}

impl Counting<'_> {
    /// The function that writes the counters; the one behind it is the command's new start.
    fn writing(&self) -> u32 {
        (self.module.imports.len() + self.module.functions.len()) as u32
    }

    fn bytes(&self) -> u64 {
        address(self.counters.count)
    }

    fn write(&self, command: &Command) -> Function {
        let mut function = Function::new([(1, ValType::I32)]);
        let hash = blake3::hash(self.wasm);
        for (index, word) in hash.as_bytes().as_chunks::<8>().0.iter().enumerate() {
            let word = i64::from_le_bytes(*word);
            function.instructions().i32_const(8 * index as i32).i64_const(word).i64_store(at(0));
        }
        // The program has no space for it: its memory grows. If that fails, copying traps.
        let bytes = self.bytes() as i32;
        function
            .instructions()
            .i32_const(self.bytes().div_ceil(PAGE) as i32)
            .memory_grow(0)
            .i32_const(16)
            .i32_shl()
            .local_tee(0)
            .i32_const(0)
            .i32_const(bytes)
            .memory_copy(0, COUNTERS)
            .i32_const(STANDARD_ERROR)
            .local_get(0)
            .i32_const(bytes)
            .call(command.write)
            .drop()
            .end();
        function
    }

    fn run(&self, command: &Command) -> Function {
        let mut function = Function::new([]);
        function.instructions().call(command.run).call(self.writing()).end();
        function
    }

    /// Count a branch: the condition or index is on the stack, and remains there.
    fn count(operator: &Operator<'_>, counter: usize, locals: u32, body: &mut Function) {
        let (value, place) = (locals, locals + 1);
        let mut code = body.instructions();
        code.local_tee(value);
        if let Operator::BrTable { targets } = operator {
            // Whatever is beyond the table is its default.
            let last = targets.len().cast_signed();
            code.i32_const(last).local_get(value).i32_const(last).i32_lt_u().select();
        } else {
            code.i32_eqz();
        }
        code.i32_const(3).i32_shl().local_tee(place).local_get(place);
        let counter = at(address(counter));
        code.i64_load(counter).i64_const(1).i64_add().i64_store(counter).local_get(value);
    }
}

impl Reencode for Counting<'_> {
    type Error = anyhow::Error;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        utils::parse_function_section(self, functions, section)?;
        if let Some(command) = &self.command {
            functions.function(self.module.types.len() as u32).function(command.run_type);
        }
        Ok(())
    }

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        utils::parse_memory_section(self, memories, section)?;
        let pages = self.bytes().div_ceil(PAGE);
        memories.memory(MemoryType {
            minimum: pages,
            maximum: Some(pages),
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        utils::parse_export_section(self, exports, section)?;
        exports.export(MEMORY, ExportKind::Memory, COUNTERS);
        Ok(())
    }

    fn parse_export(
        &mut self,
        exports: &mut ExportSection,
        export: wasmparser::Export<'_>,
    ) -> Result<(), Error<Self::Error>> {
        if self.command.is_some() && export.name == RUN {
            exports.export(RUN, ExportKind::Func, self.writing() + 1);
            return Ok(());
        }
        utils::parse_export(self, exports, export)
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        utils::parse_code_section(self, code, section)?;
        if let Some(command) = &self.command {
            code.function(&self.write(command)).function(&self.run(command));
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let index = self.module.imports.len() + self.function;
        let ty = self.module.function_type(index as u32);
        let parameters = ty.map_or(0, |ty| ty.params().len()) as u32;
        let (mut locals, mut count) = (Vec::new(), parameters);
        for group in body.get_locals_reader()? {
            let (number, ty) = group?;
            locals.push((number, self.val_type(ty)?));
            count += number;
        }
        locals.push((2, ValType::I32));
        let mut function = Function::new(locals);
        let mut counter = self.counters.first[self.function];
        let place = at(address(counter));
        let mut start = function.instructions();
        start.i32_const(0).i32_const(0).i64_load(place).i64_const(1).i64_add().i64_store(place);
        counter += 1;
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            let ways = ways(&operator);
            if ways > 0 {
                Self::count(&operator, counter, count, &mut function);
                counter += ways as usize;
            }
            if self.command.as_ref().is_some_and(|command| calls(&operator, command.exit)) {
                function.instructions().call(self.writing());
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        self.function += 1;
        Ok(())
    }
}

fn calls(operator: &Operator<'_>, function: u32) -> bool {
    matches!(operator, Operator::Call { function_index } if *function_index == function)
}

/// Where a counter is in its memory.
fn address(counter: usize) -> u64 {
    HASH_BYTES + 8 * counter as u64
}

/// An access of the counters at this offset.
fn at(offset: u64) -> MemArg {
    MemArg { offset, align: 3, memory_index: COUNTERS }
}
