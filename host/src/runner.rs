//! Running a command-line component: one store, linked and limited.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use wasmtime::component::{Linker, ResourceTable};
use wasmtime::{Store, WasmBacktrace};
use wasmtime_wasi::p2::bindings::sync::Command;
use wasmtime_wasi::{I32Exit, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::address_space::{self, NoAddressSpace};
use crate::clock::{self, Waiting};
use crate::component::Program;
use crate::console::{self, ConsoleCtx, ConsoleView, History};
use crate::deadline::Deadline;
use crate::engine::{MAX_EXTENSION_STACK_BYTES, MAX_STACK_BYTES};
use crate::extensions::{self, ExtensionsCtx, ExtensionsView};
use crate::files::{self, FilesCtx, FilesView};
use crate::fused::{self, FusedCtx, FusedView};
use crate::grants::Grants;
use crate::memory::MemoryLimit;
use crate::own_files;
use crate::process::{self, Interrupt, Late, ProcessCtx, ProcessView, Stop};
use crate::stdio::Stdio;
use crate::wasi_files::{self, Kinds, WasiFiles};

/// Stack for the host's own calls on top of a component's, in bytes. The
/// deepest of them, resolving a path, needs some ten thousand.
const HOST_STACK_BYTES: usize = 1 << 20;

/// All that a 32-bit component can address, in bytes.
pub const MAX_MEMORY_BYTES: usize = 4 << 30;

/// What one call of a component carries to the host at most, in bytes: the
/// longest value of SQLite, which is an argument of an extension's function,
/// and its frame. The host holds a copy while the call lasts.
const MAX_CALL_BYTES: usize = 1 << 30;

/// Random bytes that one call gives at most. The host makes them before it
/// knows whether the component has room; a seed or key needs hundreds.
pub(crate) const MAX_RANDOM_BYTES: u64 = 4 << 20;

/// Resources of WASI (streams, descriptors, pollables, errors) and of `sql` that
/// one component holds at once. The component chooses how many it makes, and
/// each takes some hundred bytes of the host; SQLite's shell holds twenty.
const MAX_RESOURCES: usize = 10_000;

/// A table that holds at most [`MAX_RESOURCES`].
pub(crate) fn resource_table() -> ResourceTable {
    let mut table = ResourceTable::new();
    table.set_max_capacity(MAX_RESOURCES);
    table
}

/// What a component is given.
///
/// [`Options::new`] grants nothing but the streams: no files, no network, no
/// environment.
pub struct Options {
    /// Command-line arguments, the program's name first. WASI carries text only;
    /// what is not is carried by `sqlite-wasm:host/process`.
    pub arguments: Vec<OsString>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Directories, for the database and for other files alike.
    pub grants: Grants,
    /// The working directory, by its name for the component.
    pub directory: Option<PathBuf>,
    /// Input and output.
    pub stdio: Stdio,
    /// Stops the statement that runs.
    pub interrupt: Interrupt,
    /// Stops the program.
    pub deadline: Deadline,
    /// Linear memory at most, in bytes; up to [`MAX_MEMORY_BYTES`].
    pub max_memory_bytes: usize,
    /// The extensions that it may load.
    pub extensions: ExtensionsCtx,
    /// Extensions that must load before the component starts, by their names
    /// or paths.
    pub loads: Vec<String>,
    /// What becomes of the component's memory.
    pub at_end: AtEnd,
    /// The user's home directory, which is told and not granted.
    pub home: Option<PathBuf>,
    /// The file that keeps the lines typed at a terminal, open already.
    pub history: Option<History>,
    /// Files that are read by name, whatever directory they lie in.
    pub startup_files: Vec<PathBuf>,
}

impl Options {
    /// Nothing granted.
    pub fn new(stdio: Stdio) -> Self {
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            grants: Grants::default(),
            directory: None,
            stdio,
            interrupt: Interrupt::default(),
            deadline: Deadline::default(),
            max_memory_bytes: MAX_MEMORY_BYTES,
            extensions: ExtensionsCtx::new(Vec::new()),
            loads: Vec::new(),
            at_end: AtEnd::Release,
            home: None,
            history: None,
            startup_files: Vec::new(),
        }
    }
}

/// What becomes of a component's memory and files when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// They are given back.
    Release,
    /// They stay until the process ends, which is to come now: the system
    /// takes them back faster than the process can.
    Abandon,
}

/// How a program ended.
#[derive(Debug)]
pub enum Outcome {
    /// By itself, with this exit code.
    Exited(u8),
    /// Its memory limit, of so many bytes, was reached.
    MemoryReached(usize),
    /// Its time limit was reached.
    TimeReached(Duration),
    /// The reader of its output went away.
    BrokenPipe,
    /// It trapped.
    Trapped(wasmtime::Error),
    /// An extension inside it trapped.
    ExtensionTrapped {
        /// The extension.
        name: String,
        /// What broke: the panic's own text where there is one.
        story: String,
    },
}

struct Host {
    wasi: WasiCtx,
    wasi_files: WasiFiles,
    table: ResourceTable,
    files: FilesCtx,
    console: ConsoleCtx,
    process: ProcessCtx,
    memory: MemoryLimit,
    extensions: ExtensionsCtx,
    fused: FusedCtx,
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Run `program` to its end.
///
/// # Errors
///
/// When it cannot be started: a directory cannot be opened, or the program
/// imports what is not offered.
pub fn run(program: &Program, options: Options) -> Result<Outcome> {
    // The component may use all of its stack, which is as large as a main
    // thread's whole one.
    let stack = MAX_STACK_BYTES + MAX_EXTENSION_STACK_BYTES + HOST_STACK_BYTES;
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(stack)
            .spawn_scoped(scope, || run_here(program, options));
        let result = thread.context("failed to start a thread")?.join();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn run_here(program: &Program, mut options: Options) -> Result<Outcome> {
    // WASI's functions are asynchronous inside; this runs them on the spot,
    // where their own runtime would start threads.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let _entered = runtime.enter();
    let (timeout, at_end) = (options.deadline.limit(), options.at_end);
    let max_memory_bytes = program.reservation().limited(options.max_memory_bytes);
    options.max_memory_bytes = max_memory_bytes;
    options.extensions.embed(program);
    // What the program was composed with, it has already.
    let loads = options.loads.iter().filter(|name| !program.embeds(name));
    options.extensions.load_required(loads, &options.grants)?;
    let mut store = Store::new(&program.engine, host(options)?);
    store.limiter(|host| &mut host.memory);
    // What a call carries to the host, such as an extension's arguments, is not
    // more than its memory.
    store.set_hostcall_fuel(max_memory_bytes.min(MAX_CALL_BYTES));
    let linker = linker(program)?;
    let command = match Command::instantiate(&mut store, &program.component, &linker) {
        Ok(command) => command,
        Err(_) if store.data().memory.was_reached() => {
            return Ok(Outcome::MemoryReached(store.data().memory.limit_bytes()));
        }
        Err(error) if address_space::is_missing(&error) => {
            return Err(anyhow!(NoAddressSpace).context("failed to start the component"));
        }
        Err(error) => return Err(refused_import(error)),
    };
    let result = command.wasi_cli_run().call_run(&mut store);
    let outcome = match outcome(result, store.data(), timeout.unwrap_or_default()) {
        Outcome::Trapped(error) => trapped(error, program, store.data()),
        outcome => outcome,
    };
    if at_end == AtEnd::Abandon {
        std::mem::forget(store);
    }
    Ok(outcome)
}

/// The component asks for an interface that the sandbox does not offer.
#[derive(Debug)]
pub struct RefusedImport;

impl std::fmt::Display for RefusedImport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the component asks for what the sandbox does not offer")
    }
}

impl std::error::Error for RefusedImport {}

fn refused_import(error: wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    anyhow!(cause).context(RefusedImport)
}

fn outcome(result: wasmtime::Result<Result<(), ()>>, host: &Host, timeout: Duration) -> Outcome {
    let exit_code = |fallback| match host.process.exit_code().unwrap_or(fallback) {
        // A program that got on without is no failure: a database that does
        // not fit is read where it was to be mapped.
        1.. if host.memory.was_reached() => Outcome::MemoryReached(host.memory.limit_bytes()),
        code => Outcome::Exited(code),
    };
    if host.process.timed_out() {
        return Outcome::TimeReached(timeout);
    }
    let error = match result {
        Err(error) if !error.is::<I32Exit>() => error,
        Ok(Ok(())) => return exit_code(0),
        Ok(Err(())) => return exit_code(1),
        Err(exit) => {
            return exit_code(exit.downcast_ref::<I32Exit>().map_or(1, |exit| exit.0 as u8));
        }
    };
    match error.downcast_ref::<Stop>() {
        Some(Stop::BrokenPipe) => Outcome::BrokenPipe,
        Some(Stop::Timeout) => Outcome::TimeReached(timeout),
        Some(Stop::LostPage) => Outcome::Trapped(error),
        None if host.memory.was_reached() => Outcome::MemoryReached(host.memory.limit_bytes()),
        None => Outcome::Trapped(error),
    }
}

/// Whose fault a trap is: the component's own or an extension's in it.
fn trapped(error: wasmtime::Error, program: &Program, host: &Host) -> Outcome {
    let frames = error.downcast_ref::<WasmBacktrace>().map_or(&[][..], |trace| trace.frames());
    let culprit = program.composition.as_ref().and_then(|composition| {
        frames.iter().find_map(|frame| composition.at(frame.module_offset()?))
    });
    match culprit {
        Some(culprit) => Outcome::ExtensionTrapped {
            name: culprit.name.clone(),
            story: extensions::trap_message(&error, &host.fused.log()),
        },
        None => Outcome::Trapped(error),
    }
}

fn host(mut options: Options) -> Result<Host> {
    let process = ProcessCtx::new(options.interrupt.clone())
        .home(options.home.clone())
        .command_line(options.arguments.clone(), options.directory.clone())
        .startup_files(options.startup_files.clone())
        .deadline(options.deadline)
        .report_refusals_on(options.stdio.error.clone());
    own_files::mask(&mut options.grants);
    let grants = Arc::new(std::mem::take(&mut options.grants));
    Ok(Host {
        wasi: wasi(&options, &process.late()),
        wasi_files: WasiFiles::new(grants.clone(), Kinds::All),
        table: resource_table(),
        files: FilesCtx::new(grants).until(process.late()).mapping_files(),
        console: ConsoleCtx::new(
            options.stdio.output.until(process.late()),
            options.stdio.error,
            options.history,
        ),
        process,
        memory: MemoryLimit::new(options.max_memory_bytes),
        extensions: options.extensions,
        fused: FusedCtx::default(),
    })
}

fn wasi(options: &Options, late: &Late) -> WasiCtx {
    let mut builder = WasiCtxBuilder::new();
    builder
        .args(&options.arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>())
        .envs(&options.environment)
        .stdin(options.stdio.input.until(late.clone()))
        .stdout(options.stdio.output.until(late.clone()))
        .stderr(options.stdio.error.clone())
        .max_random_size(MAX_RANDOM_BYTES)
        .allow_blocking_current_thread(true);
    if let Some(directory) = options.directory.as_ref().and_then(|directory| directory.to_str()) {
        builder.initial_cwd(directory);
    }
    builder.build()
}

/// WASI 0.2, as far as its context grants it.
pub(crate) fn add_wasi_to_linker<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    waiting: Waiting,
) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    clock::add_to_linker(linker, waiting)
}

fn linker(program: &Program) -> Result<Linker<Host>> {
    let mut linker = Linker::new(&program.engine);
    add_wasi_to_linker(&mut linker, Waiting::Allowed)?;
    wasi_files::add_to_linker(&mut linker, |host: &mut Host| &mut host.wasi_files)?;
    files::add_to_linker(
        &mut linker,
        |host: &mut Host| FilesView { ctx: &mut host.files },
        |host| &host.files,
    )?;
    // A `Program` is always compiled for `command_engine`, whose memories stay
    // where they are.
    files::add_sharing_to_linker(&mut linker, |host: &mut Host| FilesView {
        ctx: &mut host.files,
    })?;
    extensions::add_to_linker(&mut linker, |host: &mut Host| ExtensionsView {
        ctx: &mut host.extensions,
        grants: host.files.grants(),
    })?;
    console::add_to_linker(
        &mut linker,
        |host: &mut Host| ConsoleView { ctx: &mut host.console },
        |host| &host.console,
    )?;
    process::add_to_linker(&mut linker, |host: &mut Host| ProcessView {
        ctx: &mut host.process,
        grants: host.files.grants(),
    })?;
    if program.composition.is_some() {
        fused::add_to_linker(&mut linker, |host: &mut Host| FusedView {
            ctx: &host.fused,
            table: &mut host.table,
        })?;
    }
    Ok(linker)
}
