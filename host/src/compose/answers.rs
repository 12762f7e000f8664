//! The code of a front's functions.

use anyhow::{Context, Result, ensure};
use wasm_encoder::{BlockType, Function as Code, InstructionSink, MemArg};
use wit_parser::Function;
use wit_parser::abi::WasmSignature;

use super::contract::target;
use super::front::{Called, Front, values};
use super::listing;

/// The code that takes the place of `function`, which is the import `next`;
/// none where that is to be called as ever.
///
/// # Errors
///
/// When a front cannot answer it.
pub fn of(front: &Front, function: &Function, next: u32) -> Result<Option<Code>> {
    let signature = front.contract.signature(function)?;
    let answer = Answer { front, function, signature, next };
    Ok(Some(match function.name.as_str() {
        "load" => answer.load()?,
        "attach" => answer.attach()?,
        "embedded" => listing::code(front, next),
        _ if takes_extension(function) => answer.branch()?,
        _ => return Ok(None),
    }))
}

/// Whether the first parameter is an extension's number.
fn takes_extension(function: &Function) -> bool {
    function.params.first().is_some_and(|parameter| parameter.name == "extension")
}

/// A function in the making.
struct Answer<'a> {
    front: &'a Front<'a>,
    function: &'a Function,
    signature: WasmSignature,
    /// The next dispatch's function.
    next: u32,
}

impl Answer<'_> {
    /// Branch on the extension's number: one of those inside, or the next
    /// dispatch, whose numbers begin behind ours.
    fn branch(&self) -> Result<Code> {
        let count = self.front.count;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        for _ in 0..=count {
            sink.block(BlockType::Empty);
        }
        sink.local_get(0).br_table(0..count, count).end();
        for place in 0..count {
            self.ask(&mut sink, place)?;
            sink.return_().end();
        }
        self.pass_on(&mut sink);
        sink.end();
        Ok(code)
    }

    /// Call the next dispatch.
    fn pass_on(&self, sink: &mut InstructionSink) {
        sink.local_get(0).i32_const(self.front.count as i32).i32_sub();
        locals(sink, 1..self.signature.params.len() as u32);
        sink.call(self.next);
    }

    /// Call the extension at `place`.
    fn ask(&self, sink: &mut InstructionSink, place: u32) -> Result<()> {
        // `request` and `resume`: an extension that uses SQL is never fused.
        let Some((interface, name)) = target(&self.function.name) else {
            sink.unreachable();
            return Ok(());
        };
        let Some(own) = self.front.find(place, interface, name) else {
            return self.ask_nothing(sink);
        };
        let parameters = values(&self.signature.params);
        let own_parameters = values(&own.signature.params);
        let (given, wanted) = (&parameters[1..], &own_parameters[..]);
        let contract = self.front.contract;
        match (contract.sides(self.function.result), contract.sides(own.function.result)) {
            (Some(_), None) => {
                let wanted = &wanted[..wanted.len() - usize::from(own.signature.retptr)];
                ensure!(given[..given.len() - 1] == *wanted, "`{name}` has another form");
                self.succeed(sink, own)
            }
            _ => {
                ensure!(given == wanted, "`{name}` has another form");
                locals(sink, 1..parameters.len() as u32);
                sink.call(own.number);
                Ok(())
            }
        }
    }

    /// The extension has no such function. Its manifest says so, and it is not
    /// asked; but that a connection begins and ends is told to all.
    fn ask_nothing(&self, sink: &mut InstructionSink) -> Result<()> {
        match self.front.contract.sides(self.function.result) {
            Some([None, _]) => self.store_success(sink),
            _ => {
                sink.unreachable();
            }
        }
        Ok(())
    }

    /// Call a function that cannot fail, and answer with a `result`.
    fn succeed(&self, sink: &mut InstructionSink, own: &Called) -> Result<()> {
        let has_value = !own.signature.results.is_empty();
        if has_value {
            sink.local_get(self.result());
        }
        locals(sink, 1..self.result());
        if own.signature.retptr {
            sink.local_get(self.result()).i32_const(self.content()? as i32).i32_add();
        }
        sink.call(own.number);
        if has_value {
            self.store(sink, own)?;
        }
        self.store_success(sink);
        Ok(())
    }

    /// Store the value that `own` gave into the answer, whose address stands in
    /// front of it.
    fn store(&self, sink: &mut InstructionSink, own: &Called) -> Result<()> {
        let offset = u64::from(self.content()?);
        match own.function.result.map_or(0, |ty| self.front.contract.bytes(&ty)) {
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

    /// Load through the next dispatch.
    fn load(&self) -> Result<Code> {
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        locals(&mut sink, 0..self.signature.params.len() as u32);
        sink.call(self.next);
        self.add_count(&mut sink)?;
        sink.end();
        Ok(code)
    }

    /// A connection begins to use an extension. Those inside know none apart.
    fn attach(&self) -> Result<Code> {
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        sink.local_get(0).i32_const(self.front.count as i32).i32_lt_u().if_(BlockType::Empty);
        sink.local_get(self.result()).local_get(0).i32_store(at(self.content()?.into(), 2));
        self.store_success(&mut sink);
        sink.return_().end();
        self.pass_on(&mut sink);
        self.add_count(&mut sink)?;
        sink.end();
        Ok(code)
    }

    /// Our numbers stand in front of those of the next dispatch.
    fn add_count(&self, sink: &mut InstructionSink) -> Result<()> {
        let offset = u64::from(self.content()?);
        let result = self.result();
        sink.local_get(result).i32_load8_u(at(0, 0)).i32_eqz().if_(BlockType::Empty);
        sink.local_get(result).local_get(result).i32_load(at(offset, 2));
        sink.i32_const(self.front.count as i32).i32_add().i32_store(at(offset, 2)).end();
        Ok(())
    }

    /// The local with the address of the answer: the last one.
    fn result(&self) -> u32 {
        self.signature.params.len() as u32 - 1
    }

    /// Where the content of the answer begins, in bytes.
    fn content(&self) -> Result<u32> {
        let sides = self.front.contract.sides(self.function.result);
        let sides = sides.with_context(|| format!("`{}` gives no result", self.function.name))?;
        Ok(self.front.contract.content_offset(&sides))
    }
}

fn locals(sink: &mut InstructionSink, range: std::ops::Range<u32>) {
    for local in range {
        sink.local_get(local);
    }
}

/// An access to memory; `align` is the logarithm of its alignment in bytes.
pub fn at(offset: u64, align: u32) -> MemArg {
    MemArg { offset, align, memory_index: 0 }
}
