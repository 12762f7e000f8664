//! The code of the trampolines.

use anyhow::{Context, Result, ensure};
use wasm_encoder::{BlockType, Function as Code, InstructionSink, MemArg};
use wit_parser::abi::WasmSignature;
use wit_parser::{Function, Type};

use super::{Target, Trampolines, manifests, values};
use crate::compose::contract::target;

/// The code that replaces `function`, which is the import `next`; `None` for a function whose calls
/// do not change.
///
/// # Errors
///
/// When no trampoline exists for it.
pub(super) fn trampoline(
    all: &Trampolines,
    function: &Function,
    next: u32,
) -> Result<Option<Code>> {
    let signature = all.contract.signature(function)?;
    let trampoline = Trampoline { all, function, signature, next };
    Ok(Some(match function.name.as_str() {
        "load" => trampoline.load()?,
        "attach" => trampoline.attach()?,
        "embedded" => manifests::code(all, next),
        _ if takes_extension(function) => trampoline.branch()?,
        _ => return Ok(None),
    }))
}

/// Whether the first parameter is an extension's id.
fn takes_extension(function: &Function) -> bool {
    function.params.first().is_some_and(|parameter| parameter.name == "extension")
}

/// A function that is being generated.
struct Trampoline<'a> {
    all: &'a Trampolines<'a>,
    function: &'a Function,
    signature: WasmSignature,
    /// The function that it replaces.
    next: u32,
}

impl Trampoline<'_> {
    /// Branch on the extension's id: one of the fused extensions, or one of the replaced
    /// function, whose ids follow.
    fn branch(&self) -> Result<Code> {
        let count = self.all.count;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        for _ in 0..=count {
            sink.block(BlockType::Empty);
        }
        sink.local_get(0).br_table(0..count, count).end();
        for extension in 0..count {
            self.call(&mut sink, extension)?;
            sink.return_().end();
        }
        self.forward(&mut sink);
        sink.end();
        Ok(code)
    }

    /// Call the replaced function.
    fn forward(&self, sink: &mut InstructionSink) {
        sink.local_get(0).i32_const(self.all.count as i32).i32_sub();
        locals(sink, 1..self.signature.params.len() as u32);
        sink.call(self.next);
    }

    /// Call a fused extension.
    fn call(&self, sink: &mut InstructionSink, extension: u32) -> Result<()> {
        // `resume-…`: an extension that uses SQL is never fused.
        let Some((interface, name)) = target(&self.function.name) else {
            sink.unreachable();
            return Ok(());
        };
        let Some(target) = self.all.target(extension, interface, name) else {
            return self.call_nothing(sink);
        };
        let parameters = values(&self.signature.params);
        let wanted = values(&target.signature.params);
        let (given, wanted) = (&parameters[1..], &wanted[..]);
        let contract = self.all.contract;
        match (contract.sides(self.function.result), contract.sides(target.function.result)) {
            (Some(_), None) => {
                let wanted = &wanted[..wanted.len() - usize::from(target.signature.retptr)];
                ensure!(given[..given.len() - 1] == *wanted, "`{name}` has another type");
                self.call_infallible(sink, target)
            }
            (sides, target_sides) => {
                ensure!(given == wanted, "`{name}` has another type");
                locals(sink, 1..parameters.len() as u32);
                sink.call(target.index);
                match (sides, target_sides) {
                    (Some([_, Some(unfinished)]), Some([_, Some(failure)])) => {
                        self.wrap_failure(sink, unfinished, failure)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Convert the failure of an extension to that of `dispatch`, whose variant `unfinished` has a
    /// tag before it.
    fn wrap_failure(
        &self,
        sink: &mut InstructionSink,
        unfinished: Type,
        failure: Type,
    ) -> Result<()> {
        let content = self.content()?;
        let shift = self.all.contract.first_case_offset(unfinished)?;
        let result = self.result();
        sink.local_get(result).i32_load8_u(at(0, 0)).if_(BlockType::Empty);
        // From the end on, as source and target overlap.
        for word in (0..self.all.contract.bytes(&failure) / 4).rev() {
            let from = u64::from(content + word * 4);
            sink.local_get(result).local_get(result).i32_load(at(from, 2));
            sink.i32_store(at(from + u64::from(shift), 2));
        }
        sink.local_get(result).i32_const(0).i32_store8(at(content.into(), 0)).end();
        Ok(())
    }

    /// The extension does not use this function, by its manifest. Only `connect` and `disconnect`
    /// are called nevertheless, and succeed.
    fn call_nothing(&self, sink: &mut InstructionSink) -> Result<()> {
        match self.all.contract.sides(self.function.result) {
            Some([None, _]) => self.store_success(sink),
            _ => {
                sink.unreachable();
            }
        }
        Ok(())
    }

    /// Call a function that cannot fail, and return a `result`.
    fn call_infallible(&self, sink: &mut InstructionSink, target: &Target) -> Result<()> {
        let has_value = !target.signature.results.is_empty();
        if has_value {
            sink.local_get(self.result());
        }
        locals(sink, 1..self.result());
        if target.signature.retptr {
            sink.local_get(self.result()).i32_const(self.content()? as i32).i32_add();
        }
        sink.call(target.index);
        if has_value {
            self.store(sink, target)?;
        }
        self.store_success(sink);
        Ok(())
    }

    /// Store the value that `target` returned into the result, whose address precedes the
    /// value on the stack.
    fn store(&self, sink: &mut InstructionSink, target: &Target) -> Result<()> {
        let offset = u64::from(self.content()?);
        match target.function.result.map_or(0, |ty| self.all.contract.bytes(&ty)) {
            1 => sink.i32_store8(at(offset, 0)),
            2 => sink.i32_store16(at(offset, 1)),
            4 => sink.i32_store(at(offset, 2)),
            _ => sink.i64_store(at(offset, 3)),
        };
        Ok(())
    }

    fn store_success(&self, sink: &mut InstructionSink) {
        sink.local_get(self.result()).i32_const(0).i32_store8(at(0, 0));
    }

    /// Load with the replaced function.
    fn load(&self) -> Result<Code> {
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        locals(&mut sink, 0..self.signature.params.len() as u32);
        sink.call(self.next);
        self.add_count(&mut sink)?;
        sink.end();
        Ok(code)
    }

    /// A connection begins to use an extension. A fused one has one instance for all.
    fn attach(&self) -> Result<Code> {
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        sink.local_get(0).i32_const(self.all.count as i32).i32_lt_u().if_(BlockType::Empty);
        sink.local_get(self.result()).local_get(0).i32_store(at(self.content()?.into(), 2));
        self.store_success(&mut sink);
        sink.return_().end();
        self.forward(&mut sink);
        self.add_count(&mut sink)?;
        sink.end();
        Ok(code)
    }

    /// The ids of fused extensions come before those of the replaced function.
    fn add_count(&self, sink: &mut InstructionSink) -> Result<()> {
        let offset = u64::from(self.content()?);
        let result = self.result();
        sink.local_get(result).i32_load8_u(at(0, 0)).i32_eqz().if_(BlockType::Empty);
        sink.local_get(result).local_get(result).i32_load(at(offset, 2));
        sink.i32_const(self.all.count as i32).i32_add().i32_store(at(offset, 2)).end();
        Ok(())
    }

    /// The local with the address of the result: the last one.
    fn result(&self) -> u32 {
        self.signature.params.len() as u32 - 1
    }

    /// The offset of the result's content, in bytes.
    fn content(&self) -> Result<u32> {
        let sides = self.all.contract.sides(self.function.result);
        let sides = sides.with_context(|| format!("`{}` gives no result", self.function.name))?;
        Ok(self.all.contract.content_offset(&sides))
    }
}

fn locals(sink: &mut InstructionSink, range: std::ops::Range<u32>) {
    for local in range {
        sink.local_get(local);
    }
}

/// An access to memory; `align` is the logarithm of its alignment in bytes.
pub(super) fn at(offset: u64, align: u32) -> MemArg {
    MemArg { offset, align, memory_index: 0 }
}
