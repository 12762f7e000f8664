//! The core module of a front.
//!
//! Its functions have the same form as those that they call, but for the
//! number of the extension: so they branch on it, and pass registers and
//! pointers through. What pointers lead to was put into this module's memory
//! by the canonical ABI, in an arena that each call begins anew. Calls are
//! never nested: an extension that is inside cannot call back, and one that
//! asks for SQL answers *pending* first. So an answer stays intact until it
//! has been copied out, right after the call.

use anyhow::{Context, Result, ensure};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function as Code,
    FunctionSection, GlobalSection, GlobalType, ImportSection, InstructionSink, MemArg,
    MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_parser::abi::{AbiVariant, WasmSignature, WasmType};
use wit_parser::{
    Function, LiftLowerAbi, ManglingAndAbi, Type, WasmExport, WasmExportKind, WasmImport, WorldKey,
};

use super::contract::{Contract, Counterpart, counterpart};
use super::front::Inside;

const MANGLING: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// Where results are put. Nothing stands at 0.
const ANSWER: u32 = 16;

/// Room for the largest result of the contract, in bytes; checked for each.
const ANSWER_BYTES: u32 = 512;

/// Where the list of embedded extensions is put.
const LIST: u32 = ANSWER + ANSWER_BYTES;

/// Alignment of the arena, in bytes: the largest of the canonical ABI.
const ARENA_ALIGNMENT: u32 = 8;

/// Bytes of a page of memory.
const PAGE_BYTES: u32 = 1 << 16;

/// The global that says where the arena's free part begins.
const FREE: u32 = 0;

/// Generate it.
///
/// # Errors
///
/// When the contract has a function that a front cannot answer.
pub fn generate(contract: &Contract, inside: &[Inside]) -> Result<Vec<u8>> {
    let dispatch = contract.dispatch()?;
    let entry = Entry::of(contract)?;
    let mut front = Front {
        contract,
        inside,
        key: WorldKey::Interface(dispatch),
        types: TypeSection::new(),
        imports: ImportSection::new(),
        functions: FunctionSection::new(),
        exports: ExportSection::new(),
        code: CodeSection::new(),
        imported: Vec::new(),
        arena: (LIST + entry.bytes * inside.len() as u32).next_multiple_of(ARENA_ALIGNMENT),
        entry,
    };
    front.import_all()?;
    let realloc = front.define("cabi_realloc", REALLOC_PARAMETERS, &[ValType::I32], realloc());
    for function in contract.resolve.interfaces[dispatch].functions.values() {
        front.export(function, realloc)?;
    }
    Ok(front.encode())
}

/// A function that the module imports.
struct Imported<'a> {
    place: Option<usize>,
    interface: &'a str,
    function: &'a Function,
    signature: WasmSignature,
}

struct Front<'a> {
    contract: &'a Contract,
    inside: &'a [Inside],
    key: WorldKey,
    types: TypeSection,
    imports: ImportSection,
    functions: FunctionSection,
    exports: ExportSection,
    code: CodeSection,
    /// By their numbers.
    imported: Vec<Imported<'a>>,
    entry: Entry,
    /// Where the arena begins.
    arena: u32,
}

/// An entry in the list of embedded extensions.
#[derive(Clone, Copy)]
struct Entry {
    bytes: u32,
    /// Where its manifest begins.
    manifest: u32,
}

impl Entry {
    fn of(contract: &Contract) -> Result<Self> {
        let interface = contract.interface("extension")?;
        let describe = &contract.resolve.interfaces[interface].functions["describe"];
        let manifest = describe.result.context("`describe` gives the manifest")?;
        let fields = [&Type::U32, &manifest];
        let offsets = contract.sizes.field_offsets(fields);
        Ok(Self {
            bytes: contract.sizes.record(fields).size.size_wasm32() as u32,
            manifest: offsets[1].0.size_wasm32() as u32,
        })
    }
}

impl<'a> Front<'a> {
    /// The next `dispatch`, and what the extensions offer.
    fn import_all(&mut self) -> Result<()> {
        let dispatch = self.contract.dispatch()?;
        let key = self.key.clone();
        for function in self.contract.resolve.interfaces[dispatch].functions.values() {
            self.import(None, "dispatch", &key, function)?;
        }
        let inside = self.inside;
        for (place, interfaces) in inside.iter().enumerate() {
            for name in super::contract::INTERFACES {
                let Some((key, interface)) = interfaces.get(*name) else { continue };
                for function in self.contract.resolve.interfaces[*interface].functions.values() {
                    self.import(Some(place), name, key, function)?;
                }
            }
        }
        Ok(())
    }

    fn import(
        &mut self,
        place: Option<usize>,
        interface: &'a str,
        key: &WorldKey,
        function: &'a Function,
    ) -> Result<()> {
        let signature = self.contract.signature(AbiVariant::GuestImport, function)?;
        let ty = self.ty(&values(&signature.params), &values(&signature.results));
        let import = WasmImport::Func { interface: Some(key), func: function };
        let (module, name) = self.contract.resolve.wasm_import_name(MANGLING, import);
        self.imports.import(&module, &name, EntityType::Function(ty));
        self.imported.push(Imported { place, interface, function, signature });
        Ok(())
    }

    fn ty(&mut self, parameters: &[ValType], results: &[ValType]) -> u32 {
        self.types.ty().function(parameters.iter().copied(), results.iter().copied());
        self.types.len() - 1
    }

    /// Define a function, and export it by `name`.
    fn define(
        &mut self,
        name: &str,
        parameters: &[ValType],
        results: &[ValType],
        code: Code,
    ) -> u32 {
        let ty = self.ty(parameters, results);
        let number = self.imported.len() as u32 + self.functions.len();
        self.functions.function(ty);
        self.code.function(&code);
        self.exports.export(name, ExportKind::Func, number);
        number
    }

    fn export(&mut self, function: &'a Function, realloc: u32) -> Result<()> {
        let signature = self.contract.signature(AbiVariant::GuestExport, function)?;
        if let Some(result) = &function.result {
            let bytes = self.contract.sizes.size(result).size_wasm32();
            ensure!(bytes <= ANSWER_BYTES as usize, "`{}` has a large result", function.name);
        }
        let code = match (counterpart(&function.name), function.name.as_str()) {
            (Counterpart::Own, "load") => self.load(function)?,
            (Counterpart::Own, "attach") => self.attach(function)?,
            (Counterpart::Own, "embedded") => self.embedded(function, realloc)?,
            (Counterpart::Own, _) => self.pass_on(function, &signature)?,
            _ => self.forward(function, &signature)?,
        };
        let export = WasmExport::Func {
            interface: Some(&self.key),
            func: function,
            kind: WasmExportKind::Normal,
        };
        let name = self.contract.resolve.wasm_export_name(MANGLING, export);
        self.define(&name, &values(&signature.params), &values(&signature.results), code);
        Ok(())
    }

    /// The import that is the function `name`.
    fn find(
        &self,
        place: Option<usize>,
        interface: &str,
        name: &str,
    ) -> Option<(u32, &Imported<'a>)> {
        let number = self.imported.iter().position(|imported| {
            imported.place == place
                && imported.interface == interface
                && imported.function.name == name
        })?;
        Some((number as u32, &self.imported[number]))
    }

    fn next(&self, function: &Function) -> Result<(u32, &Imported<'a>)> {
        self.find(None, "dispatch", &function.name).context("`dispatch` imports what it exports")
    }

    /// Branch on the extension's number: one of those inside, or the next
    /// dispatch.
    fn forward(&self, function: &Function, signature: &WasmSignature) -> Result<Code> {
        let count = self.inside.len() as u32;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        for _ in 0..=count {
            sink.block(BlockType::Empty);
        }

        sink.local_get(0).br_table(0..count, count).end();
        for place in 0..self.inside.len() {
            self.ask_own(&mut sink, place, function, signature)?;
            sink.return_().end();
        }
        let (next, imported) = self.next(function)?;
        sink.local_get(0).i32_const(count as i32).i32_sub();
        locals(&mut sink, 1..signature.params.len());
        call(&mut sink, next, &imported.signature, ANSWER);
        end(&mut sink, signature, self.arena);
        sink.end();
        Ok(code)
    }

    /// Call the extension at `place`.
    fn ask_own(
        &self,
        sink: &mut InstructionSink,
        place: usize,
        function: &Function,
        signature: &WasmSignature,
    ) -> Result<()> {
        let found = match counterpart(&function.name) {
            Counterpart::Function(interface, name) => self.find(Some(place), interface, name),
            Counterpart::Never | Counterpart::Own => None,
        };
        let Some((number, own)) = found else {
            // The manifest was checked: the function is never called.
            sink.unreachable();
            return Ok(());
        };
        let parameters = &signature.params[1..];
        let wanted =
            &own.signature.params[..own.signature.params.len() - usize::from(own.signature.retptr)];
        ensure!(values(parameters) == values(wanted), "`{}` does not fit", function.name);
        let sides = self.contract.sides(function.result);
        match (sides, self.contract.sides(own.function.result)) {
            (Some(sides), None) => {
                let content = ANSWER + self.contract.content_offset(&sides);
                self.succeed(sink, number, own, signature, content);
            }
            _ => {
                locals(sink, 1..signature.params.len());
                call(sink, number, &own.signature, ANSWER);
            }
        }
        end(sink, signature, self.arena);
        Ok(())
    }

    /// Call a function that cannot fail, and answer with a `result`.
    fn succeed(
        &self,
        sink: &mut InstructionSink,
        number: u32,
        own: &Imported,
        signature: &WasmSignature,
        content: u32,
    ) {
        sink.i32_const(ANSWER as i32).i32_const(0).i32_store8(at(0, 0));
        let has_value = !own.signature.results.is_empty();
        if has_value {
            sink.i32_const(content as i32);
        }
        locals(sink, 1..signature.params.len());
        call(sink, number, &own.signature, content);
        if has_value {
            store(sink, self.contract, own.function.result);
        }
    }

    /// The next dispatch's answer, as it is.
    fn pass_on(&self, function: &Function, signature: &WasmSignature) -> Result<Code> {
        let (next, imported) = self.next(function)?;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        locals(&mut sink, 0..signature.params.len());
        call(&mut sink, next, &imported.signature, ANSWER);
        end(&mut sink, signature, self.arena);
        sink.end();
        Ok(code)
    }

    /// Load through the next dispatch, whose numbers begin behind ours.
    fn load(&self, function: &Function) -> Result<Code> {
        let (next, imported) = self.next(function)?;
        let number = self.number_in_answer(function)?;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        locals(&mut sink, 0..imported.signature.params.len() - 1);
        call(&mut sink, next, &imported.signature, ANSWER);
        self.renumber(&mut sink, number);
        reset(&mut sink, self.arena);
        sink.i32_const(ANSWER as i32).end();
        Ok(code)
    }

    /// The number for a connection: an extension inside has one for all.
    fn attach(&self, function: &Function) -> Result<Code> {
        let (next, imported) = self.next(function)?;
        let number = self.number_in_answer(function)?;
        let count = self.inside.len() as i32;
        let mut code = Code::new([]);
        let mut sink = code.instructions();
        sink.local_get(0).i32_const(count).i32_lt_u().if_(BlockType::Empty);
        sink.i32_const(ANSWER as i32).i32_const(0).i32_store8(at(0, 0));
        sink.i32_const(number as i32).local_get(0).i32_store(at(0, 2)).else_();
        sink.local_get(0).i32_const(count).i32_sub();
        call(&mut sink, next, &imported.signature, ANSWER);
        self.renumber(&mut sink, number);
        sink.end();
        reset(&mut sink, self.arena);
        sink.i32_const(ANSWER as i32).end();
        Ok(code)
    }

    /// Where the number stands in the answer of a function that gives one.
    fn number_in_answer(&self, function: &Function) -> Result<u32> {
        let sides = self.contract.sides(function.result).context("it gives a result")?;
        Ok(ANSWER + self.contract.content_offset(&sides))
    }

    /// In an answer that is no failure: the next dispatch's number as ours.
    fn renumber(&self, sink: &mut InstructionSink, number: u32) {
        sink.i32_const(ANSWER as i32).i32_load8_u(at(0, 0)).i32_eqz().if_(BlockType::Empty);
        sink.i32_const(number as i32);
        sink.i32_const(number as i32).i32_load(at(0, 2));
        sink.i32_const(self.inside.len() as i32).i32_add().i32_store(at(0, 2)).end();
    }

    /// The extensions that are inside, and those of the next dispatch.
    fn embedded(&self, function: &Function, realloc: u32) -> Result<Code> {
        let Entry { bytes: entry, manifest } = self.entry;
        let count = self.inside.len() as u32;
        let (own_bytes, entry_bytes) = ((count * entry) as i32, entry as i32);
        let (list, bytes) = (0, 1);
        let mut code = Code::new([(2, ValType::I32)]);
        let mut sink = code.instructions();
        for place in 0..count {
            let describe = self.find(Some(place as usize), "extension", "describe");
            let (describe, imported) = describe.context("an extension describes itself")?;
            let at_entry = LIST + place * entry;
            sink.i32_const(at_entry as i32).i32_const(place as i32).i32_store(at(0, 2));
            call(&mut sink, describe, &imported.signature, at_entry + manifest);
        }
        let (next, imported) = self.next(function)?;
        call(&mut sink, next, &imported.signature, ANSWER);
        // Both lists, one after the other.
        sink.i32_const(ANSWER as i32).i32_load(at(4, 2)).i32_const(entry_bytes).i32_mul();
        sink.local_set(bytes);
        sink.i32_const(0).i32_const(0).i32_const(ARENA_ALIGNMENT as i32);
        sink.local_get(bytes).i32_const(own_bytes).i32_add().call(realloc).local_tee(list);
        sink.i32_const(LIST as i32).i32_const(own_bytes).memory_copy(0, 0);
        sink.local_get(list).i32_const(own_bytes).i32_add();
        sink.i32_const(ANSWER as i32).i32_load(at(0, 2)).local_get(bytes).memory_copy(0, 0);
        sink.i32_const(ANSWER as i32).local_get(list).i32_store(at(0, 2));
        sink.i32_const(ANSWER as i32);
        sink.i32_const(ANSWER as i32).i32_load(at(4, 2)).i32_const(count as i32).i32_add();
        sink.i32_store(at(4, 2));
        // The numbers of the next dispatch begin behind ours.
        sink.local_get(list).i32_const(own_bytes).i32_add().local_set(list);
        sink.loop_(BlockType::Empty).local_get(bytes).if_(BlockType::Empty);
        sink.local_get(list).local_get(list).i32_load(at(0, 2));
        sink.i32_const(count as i32).i32_add().i32_store(at(0, 2));
        sink.local_get(list).i32_const(entry_bytes).i32_add().local_set(list);
        sink.local_get(bytes).i32_const(entry_bytes).i32_sub().local_set(bytes);
        sink.br(1).end().end();
        reset(&mut sink, self.arena);
        sink.i32_const(ANSWER as i32).end();
        Ok(code)
    }

    fn encode(mut self) -> Vec<u8> {
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: u64::from(self.arena / PAGE_BYTES + 1),
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        self.exports.export("memory", ExportKind::Memory, 0);
        let mut globals = GlobalSection::new();
        let free = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(free, &ConstExpr::i32_const(self.arena as i32));
        let mut module = Module::new();
        module
            .section(&self.types)
            .section(&self.imports)
            .section(&self.functions)
            .section(&memories)
            .section(&globals)
            .section(&self.exports)
            .section(&self.code);
        module.finish()
    }
}

/// Old address, old size, alignment, size.
const REALLOC_PARAMETERS: &[ValType] = &[ValType::I32; 4];

/// Take memory from the arena; it ends with the call that it was taken for.
fn realloc() -> Code {
    let (old, old_bytes, alignment, bytes) = (0, 1, 2, 3);
    let (place, pages) = (4, 5);
    let mut code = Code::new([(2, ValType::I32)]);
    let mut sink = code.instructions();
    sink.global_get(FREE).local_get(alignment).i32_add().i32_const(1).i32_sub();
    sink.i32_const(0).local_get(alignment).i32_sub().i32_and().local_tee(place);
    // In 64 bits, where nothing overflows.
    sink.i64_extend_i32_u().local_get(bytes).i64_extend_i32_u().i64_add();
    sink.i64_const(i64::from(PAGE_BYTES) - 1).i64_add();
    sink.i64_const(i64::from(PAGE_BYTES.trailing_zeros())).i64_shr_u().i32_wrap_i64();
    sink.memory_size(0).i32_sub().local_tee(pages);
    sink.i32_const(0).i32_gt_s().if_(BlockType::Empty);
    sink.local_get(pages).memory_grow(0).i32_const(-1).i32_eq().if_(BlockType::Empty);
    sink.unreachable().end().end();
    sink.local_get(place).local_get(bytes).i32_add().global_set(FREE);
    sink.local_get(place).local_get(old).local_get(old_bytes).memory_copy(0, 0);
    sink.local_get(place).end();
    code
}

/// Call, with the result to be put at `answer`.
fn call(sink: &mut InstructionSink, number: u32, signature: &WasmSignature, answer: u32) {
    if signature.retptr {
        sink.i32_const(answer as i32);
    }
    sink.call(number);
}

/// All is done, with the result at [`ANSWER`] or on the stack.
fn end(sink: &mut InstructionSink, signature: &WasmSignature, arena: u32) {
    reset(sink, arena);
    if signature.retptr {
        sink.i32_const(ANSWER as i32);
    }
}

/// Begin the arena anew. What is in it stays until the next call.
fn reset(sink: &mut InstructionSink, arena: u32) {
    sink.i32_const(arena as i32).global_set(FREE);
}

fn locals(sink: &mut InstructionSink, range: std::ops::Range<usize>) {
    for local in range {
        sink.local_get(local as u32);
    }
}

/// Store a value of the type `ty`; the address stands in front of it.
fn store(sink: &mut InstructionSink, contract: &Contract, ty: Option<Type>) {
    match ty.map_or(0, |ty| contract.sizes.size(&ty).size_wasm32()) {
        1 => sink.i32_store8(at(0, 0)),
        2 => sink.i32_store16(at(0, 1)),
        4 => sink.i32_store(at(0, 2)),
        _ => sink.i64_store(at(0, 3)),
    };
}

fn at(offset: u64, align: u32) -> MemArg {
    MemArg { offset, align, memory_index: 0 }
}

fn values(types: &[WasmType]) -> Vec<ValType> {
    let value = |ty: &WasmType| match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    };
    types.iter().map(value).collect()
}
