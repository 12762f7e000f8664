//! Makes LLVM's machine code of core modules: images, which `sqlite-wasm-native` inserts where
//! wasmtime would compile the module.
//!
//! `program` translates the module to LLVM's language, with the counts of `profile`; LLVM makes an
//! object, `link` makes the image of it, `proof` has it proved, after which `unproved` may want
//! another one, and `traps` finds the instructions that may trap. Only the build runs this.

mod function;
mod link;
pub mod profile;
mod program;
mod proof;
mod traps;
mod types;
mod unproved;

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use sqlite_wasm_native::component::{self, CoreModule};
use sqlite_wasm_native::image::{Callee, Function, Image, Slot};
use sqlite_wasm_native::module::Module;
use sqlite_wasm_native::pinned::layout::Layout;

use profile::{Known, Profile};
pub use unproved::Unproved;

/// Position independent; the sizes of frames are listed. Accesses are volatile, so looking for what
/// could be done by vectors only takes time: a sixth of it.
const FLAGS: &[&str] = &[
    "-O2",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fPIC",
    "-fstack-size-section",
    "-fno-addrsig",
    "-march=x86-64-v2",
    "-mllvm",
    "-trap-unreachable",
    "-Wno-override-module",
];

/// LLVM limits the time that it spends on register allocation. `sqlite3VdbeExec` exceeds the default limits, and had the
/// memory's base and the program counter on its stack. The last option is the cost, in 16,384ths of a function's calls,
/// of a register that the function must save: by the default of 0, it saves many for paths that are seldom taken.
const REGISTERS: &[&str] = &[
    "-mllvm",
    "-grow-region-complexity-budget=1000000000",
    "-mllvm",
    "-cgp-max-address-users-to-scan=2000",
    "-mllvm",
    "-regalloc-csr-first-time-cost=200",
];

/// An image, and what is known of how it was made.
pub struct Made {
    /// The image.
    pub image: Image,
    /// The functions that stay with wasmtime's compiler, with the reason.
    pub kept: Vec<(u32, String)>,
    /// The largest frame of a function, in bytes.
    pub frame: u64,
    /// Those of them whose code is not proved.
    pub unproved: Unproved,
    /// What the profile knows.
    pub profiled: Profiled,
}

/// How many functions a profile has counts of.
#[derive(Debug, Default, Clone, Copy)]
pub struct Profiled {
    /// Those of which it has some.
    pub counted: usize,
    /// Those whose counts are of other branches, so that they are not used.
    pub stale: usize,
    /// Those that were called.
    pub called: usize,
    /// Those of them whose code is not proved.
    pub unproved: usize,
}

impl Profiled {
    fn of(known: &Known, unproved: &Unproved) -> Self {
        let functions = known.functions.iter().zip(0..);
        let counted = functions.filter_map(|(counts, index)| Some((counts.as_ref()?, index)));
        let mut profiled = Self { stale: known.stale, ..Self::default() };
        for (counts, index) in counted {
            let is_called = counts.calls > 0;
            profiled.counted += 1;
            profiled.called += usize::from(is_called);
            profiled.unproved += usize::from(is_called && unproved.kept.contains_key(&index));
        }
        profiled
    }
}

/// The image of a component's first core module. `is_timed` says whether the code looks at the time
/// (`epoch_interruption`).
///
/// # Errors
///
/// When LLVM is missing, or the module has another shape.
pub fn of_component(component: &[u8], profile: &Profile, is_timed: bool) -> Result<Made> {
    let wasm = &component[first_module(component)?.content];
    made(wasm, profile, Layout::of(component, wasm)?, is_timed)
}

/// The component with a first core module that counts its branches.
///
/// # Errors
///
/// When the module has another shape.
pub fn counting_component(component: &[u8]) -> Result<Vec<u8>> {
    let module = first_module(component)?;
    let counting = profile::counting(&component[module.content.clone()])?;
    Ok(component::replaced(component, &module, &counting))
}

/// The profile of a component's first core module by what its runs have written, and how many of them
/// have no counts.
///
/// # Errors
///
/// When no run has counts of it.
pub fn gathered(component: &[u8], outputs: &[Vec<u8>]) -> Result<(Profile, usize)> {
    profile::gathered(&component[first_module(component)?.content], outputs)
}

/// Where the first core module of a component is.
fn first_module(component: &[u8]) -> Result<CoreModule> {
    let modules = component::modules(component)?;
    modules.into_iter().next().context("the component has no core module")
}

/// The image of a core module that is not in a component.
///
/// # Errors
///
/// As [`of_component`].
pub fn of_module(wasm: &[u8], profile: &Profile, is_timed: bool) -> Result<Made> {
    made(wasm, profile, Layout::of_core(wasm)?, is_timed)
}

fn made(wasm: &[u8], profile: &Profile, layout: Layout, is_timed: bool) -> Result<Made> {
    let mut unproved = Unproved::listed(wasm, &Module::parse(wasm)?)?;
    let (text, linked, entries, profiled) = loop {
        let module = Module::parse(wasm)?;
        let known = profile.known(wasm, &module)?;
        let profiled = Profiled::of(&known, &unproved);
        let program = program::Program::new(module, layout.clone(), known, is_timed);
        let text = program.proving(&unproved)?.text()?;
        let linked = link::link(&compiled(&text.ir)?)?;
        if !linked.refused.is_empty() {
            unproved.keep(linked.refused);
            continue;
        }
        let report = proof::verify(&Module::parse(wasm)?, &layout, is_timed, &text, &linked)?;
        if report.unproved.is_empty() {
            break (text, linked, report.entries, profiled);
        }
        unproved.extend(report.unproved);
    };
    let numbers = layout.numbers();
    let mut kept = text.reasons;
    kept.extend(unproved.kept.clone());
    let pieces = linked.pieces();
    let traps = traps::all(&linked.code[..linked.text], linked.traps)?;
    let symbol = |name: String| {
        let offset = linked.symbols.get(&name).copied();
        offset.with_context(|| format!("LLVM made no `{name}`"))
    };
    let mut slots = vec![Slot { offset: symbol("fill".to_owned())?, callee: Callee::Fill }];
    if is_timed {
        let offset = symbol("interrupt".to_owned())?;
        slots.push(Slot { offset, callee: Callee::Interrupt });
    }
    for function in text.slots {
        let offset = symbol(format!("kept{function}"))?;
        slots.push(Slot { offset, callee: Callee::Function(function) });
    }
    let mut functions = text.functions;
    for (index, function) in functions.iter_mut().enumerate() {
        if let Function::Entry(offset) = function {
            // With arguments on the stack, something is before the function.
            let entry = u32::try_from(index).ok().and_then(|index| entries.get(&index));
            *offset = *entry.with_context(|| format!("LLVM made no entry of function {index}"))?;
        }
    }
    let module = blake3::hash(wasm).into();
    let (layout, code) = (numbers, linked.code);
    let image = Image { module, is_timed, layout, functions, slots, traps, pieces, code };
    ensure!(Image::decode(&image.encode()?)? == image, "the image is not read as it was written");
    Ok(Made { image, kept, frame: linked.frame, unproved, profiled })
}

/// LLVM's object.
fn compiled(ir: &str) -> Result<Vec<u8>> {
    let clang = std::env::var_os("CLANG_22").unwrap_or_else(|| "clang-22".into());
    let mut child = Command::new(&clang)
        .args(FLAGS)
        .args(REGISTERS)
        .args(["-x", "ir", "-c", "-", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("failed to start {}", clang.display()))?;
    let mut input = child.stdin.take().context("LLVM has no input")?;
    let output = std::thread::scope(|threads| {
        // LLVM ends early if it refuses the text, and its message says why.
        threads.spawn(move || input.write_all(ir.as_bytes()));
        child.wait_with_output()
    });
    let output = output.context("failed to read LLVM's object")?;
    ensure!(output.status.success(), "LLVM refused its input");
    Ok(output.stdout)
}
