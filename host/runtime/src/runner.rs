//! Running a command-line component in a store with its imports and limits.

pub mod console;
pub mod shell_arguments;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use wasmtime::component::{Linker, ResourceTable};
use wasmtime::{Engine, Store, WasmBacktrace};
use wasmtime_wasi::p2::bindings::sync::Command;
use wasmtime_wasi::{I32Exit, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::artifact::component::Program;
use crate::artifact::engine::{MAX_EXTENSION_STACK_BYTES, MAX_STACK_BYTES};
use crate::artifact::trace;
use crate::extensions::{self, ExtensionsCtx, ExtensionsView};
use crate::filesystem::files::{self, FilesCtx};
use crate::filesystem::grants::Grants;
use crate::filesystem::masks::Masks;
use crate::filesystem::stdio::Stdio;
use crate::imports::clock::Waiting;
use crate::imports::data::Data;
use crate::imports::fused::{self, FusedCtx, FusedView};
use crate::imports::process::{self, Interrupt, ProcessCtx, ProcessView};
use crate::imports::wasi::{self, MAX_RANDOM_BYTES, resource_table};
use crate::limits::MAX_MEMORY_BYTES;
use crate::limits::address_space::{self, NoAddressSpace};
use crate::limits::deadline::Deadline;
use crate::limits::memory::MemoryLimit;
use crate::limits::stop::{DeadlineFlag, Stop};
use crate::limits::threads;
use crate::runner::console::{ConsoleCtx, ConsoleView, History};

use crate::filesystem::inherited::Named;
use crate::filesystem::wasi_files::{self, Kinds, WasiFiles};

/// Stack for the host's own calls on top of a component's, in bytes. The
/// deepest of them, resolving a path, needs some ten thousand.
const HOST_STACK_BYTES: usize = 1 << 20;

/// Stack of the thread that runs a component, in bytes. The component's share alone is
/// as large as a main thread's.
const STACK_BYTES: usize = MAX_STACK_BYTES + MAX_EXTENSION_STACK_BYTES + HOST_STACK_BYTES;

/// Largest data of one call from a component to the host, in bytes: SQLite's
/// longest value, as an argument of an extension's function. The host holds a
/// copy during the call.
const MAX_CALL_BYTES: usize = 1 << 30;

/// The inputs, grants and limits of a component.
///
/// [`Options::new`] grants nothing but the streams: no files, no network, no
/// environment.
pub struct Options {
    /// Command-line arguments, the program's name first. WASI carries only
    /// UTF-8; `sqlite-wasm:host/process` carries all bytes.
    pub arguments: Vec<OsString>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Directories, for the database and for other files alike.
    pub grants: Grants,
    /// The files that no grant opens, neither of the component nor of its extensions.
    pub masks: Masks,
    /// The working directory, by its guest name.
    pub directory: Option<PathBuf>,
    /// Input and output.
    pub stdio: Stdio,
    /// Inherited descriptors that it can open.
    pub descriptors: Vec<Named>,
    /// Stops the running statement.
    pub interrupt: Interrupt,
    /// Stops the program.
    pub deadline: Deadline,
    /// Limit of linear memory, in bytes; up to [`MAX_MEMORY_BYTES`].
    pub max_memory_bytes: usize,
    /// The extensions that it may load.
    pub extensions: ExtensionsCtx,
    /// Extensions that must load before the component starts, by their names
    /// or paths.
    pub loads: Vec<String>,
    /// How to free the component's memory.
    pub at_end: AtEnd,
    /// The stack that it runs on.
    pub stack: Stack,
    /// The path of the user's home directory, which is not granted by it.
    pub home: Option<PathBuf>,
    /// The opened history file for lines typed at a terminal.
    pub history: Option<History>,
    /// Files that are readable by name, whatever their directory.
    pub startup_files: Vec<PathBuf>,
}

impl Options {
    /// Nothing granted.
    pub fn new(stdio: Stdio) -> Self {
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            grants: Grants::default(),
            masks: Masks::default(),
            directory: None,
            stdio,
            descriptors: Vec::new(),
            interrupt: Interrupt::default(),
            deadline: Deadline::default(),
            max_memory_bytes: MAX_MEMORY_BYTES,
            extensions: ExtensionsCtx::new(Vec::new()),
            loads: Vec::new(),
            at_end: AtEnd::Release,
            stack: Stack::OfNewThread,
            home: None,
            history: None,
            startup_files: Vec::new(),
        }
    }
}

/// How a component's memory and files are freed after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// They are dropped.
    Release,
    /// They stay until the process ends, which must be soon: the system frees
    /// them faster than the process can.
    Abandon,
}

/// The stack that a component runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    /// That of a thread which is started for it.
    OfNewThread,
    /// The main thread's, which is large enough.
    Main,
}

impl Stack {
    /// The main thread's, if this is the main thread and the system lets its stack grow;
    /// starting a thread costs 0.1 ms. To be called before the second wall goes up.
    ///
    /// With little address space the stack must be reserved before the component runs,
    /// as a thread's is.
    pub fn main_if_possible() -> Self {
        if !address_space::is_limited() && threads::grow_main_stack(STACK_BYTES) {
            Self::Main
        } else {
            Self::OfNewThread
        }
    }
}

/// How a program ended.
#[derive(Debug)]
pub enum Outcome {
    /// By itself, with this exit code.
    Exited(u8),
    /// It reached its memory limit, in bytes.
    MemoryReached(usize),
    /// It reached its time limit.
    TimeReached(Duration),
    /// The reader of its output went away.
    BrokenPipe,
    /// It trapped.
    Trapped(wasmtime::Error),
    /// A fused extension trapped.
    ExtensionTrapped {
        /// The extension.
        name: String,
        /// The trap, or the message of the panic that caused it.
        message: String,
    },
}

/// The data in the store of a command.
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
/// imports an interface that the sandbox does not have.
pub fn run(program: &Program, options: Options) -> Result<Outcome> {
    if options.stack == Stack::Main {
        return run_here(program, options);
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || run_here(program, options));
        let result = thread.context("failed to start a thread")?.join();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn run_here(program: &Program, mut options: Options) -> Result<Outcome> {
    // Otherwise wasmtime does this behind the component's memory, and panics where nothing is left.
    Engine::tls_eager_initialize();
    // WASI's functions are asynchronous inside. This runtime runs them on the
    // calling thread; their own would start threads.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let _entered = runtime.enter();
    let (timeout, at_end) = (options.deadline.limit(), options.at_end);
    let max_memory_bytes = program.reservation().limited(options.max_memory_bytes);
    options.max_memory_bytes = max_memory_bytes;
    options.extensions.embed(program);
    options.extensions = options.extensions.masks(options.masks.clone());
    // Embedded extensions are loaded already.
    let loads = options.loads.iter().filter(|name| !program.embeds(name));
    options.extensions.load_required(loads, &options.grants)?;
    let data = Data::new(host(options)?);
    let mut store = Store::new(&program.engine, data);
    store.limiter(|data| &mut data.of_mut::<Host>().memory);
    // The data of a call, such as an extension's arguments, is at most as large
    // as the component's memory.
    store.set_hostcall_fuel(max_memory_bytes.min(MAX_CALL_BYTES));
    let linker = linker(program)?;
    let command = match Command::instantiate(&mut store, &program.component, &linker) {
        Ok(command) => command,
        Err(_) if store.data().of::<Host>().memory.was_reached() => {
            return Ok(Outcome::MemoryReached(store.data().of::<Host>().memory.limit_bytes()));
        }
        Err(error) if address_space::is_missing(&error) => {
            return Err(anyhow!(NoAddressSpace).context("failed to start the component"));
        }
        Err(error) => return Err(refused_import(error)),
    };
    let result = command.wasi_cli_run().call_run(&mut store);
    let outcome = match outcome(result, store.data().of::<Host>(), timeout.unwrap_or_default()) {
        Outcome::Trapped(error) => trapped(error, program, store.data().of::<Host>()),
        outcome => outcome,
    };
    if at_end == AtEnd::Abandon {
        std::mem::forget(store);
    }
    Ok(outcome)
}

/// The component imports an interface that the sandbox does not have.
#[derive(Debug)]
pub struct RefusedImport;

impl std::fmt::Display for RefusedImport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the component has an import that the sandbox does not provide")
    }
}

impl std::error::Error for RefusedImport {}

fn refused_import(error: wasmtime::Error) -> anyhow::Error {
    let cause = error.root_cause().to_string();
    anyhow!(cause).context(RefusedImport)
}

fn outcome(result: wasmtime::Result<Result<(), ()>>, host: &Host, timeout: Duration) -> Outcome {
    let exit_code = |fallback| match host.process.exit_code().unwrap_or(fallback) {
        // A program may succeed without the refused memory: a database too
        // large to map is read instead.
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

/// Attribute a trap to the component itself or to a fused extension.
fn trapped(error: wasmtime::Error, program: &Program, host: &Host) -> Outcome {
    let frames = error.downcast_ref::<WasmBacktrace>().map_or(&[][..], |trace| trace.frames());
    let culprit = program.composition.as_ref().and_then(|composition| {
        let mut frames = frames.iter().filter(|frame| !trace::is_by_llvm(frame));
        frames.find_map(|frame| composition.at(frame.module_offset()?))
    });
    match culprit {
        Some(culprit) => Outcome::ExtensionTrapped {
            name: culprit.name.clone(),
            message: extensions::trap_message(&error, &host.fused.log()),
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
    options.masks.apply(&mut options.grants);
    let grants = Arc::new(std::mem::take(&mut options.grants));
    Ok(Host {
        wasi: wasi_ctx(&options, &process.deadline_flag()),
        wasi_files: WasiFiles::new(grants.clone(), Kinds::All),
        table: resource_table(),
        files: FilesCtx::new(grants)
            .until(process.deadline_flag())
            .hints_on(options.stdio.error.clone())
            .descriptors(std::mem::take(&mut options.descriptors)),
        console: ConsoleCtx::new(
            options.stdio.output.until(process.deadline_flag()),
            options.stdio.error,
            options.history,
        ),
        process,
        memory: MemoryLimit::new(options.max_memory_bytes),
        extensions: options.extensions,
        fused: FusedCtx::default(),
    })
}

fn wasi_ctx(options: &Options, deadline_flag: &DeadlineFlag) -> WasiCtx {
    let mut builder = WasiCtxBuilder::new();
    builder
        .args(&options.arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>())
        .envs(&options.environment)
        .stdin(options.stdio.input.until(deadline_flag.clone()))
        .stdout(options.stdio.output.until(deadline_flag.clone()))
        .stderr(options.stdio.error.clone())
        .max_random_size(MAX_RANDOM_BYTES)
        .allow_blocking_current_thread(true);
    if let Some(directory) = options.directory.as_ref().and_then(|directory| directory.to_str()) {
        builder.initial_cwd(directory);
    }
    builder.build()
}

fn linker(program: &Program) -> Result<Linker<Data>> {
    let mut linker = Linker::new(&program.engine);
    wasi::add_to_linker(&mut linker, &program.component, Waiting::Allowed)?;
    wasi_files::add_to_linker(&mut linker, |data: &mut Data| {
        &mut data.of_mut::<Host>().wasi_files
    })?;
    // A `Program` is always compiled for `command_engine`, whose memories do
    // not move.
    files::add_to_linker(
        &mut linker,
        |data: &mut Data| &mut data.of_mut::<Host>().files,
        |data| &data.of::<Host>().files,
    )?;
    extensions::add_to_linker(&mut linker, |data: &mut Data| {
        let Host { extensions, files, .. } = data.of_mut::<Host>();
        ExtensionsView { ctx: extensions, grants: files.grants() }
    })?;
    console::add_to_linker(
        &mut linker,
        |data: &mut Data| ConsoleView { ctx: &mut data.of_mut::<Host>().console },
        |data| &data.of::<Host>().console,
    )?;
    process::add_to_linker(&mut linker, |data: &mut Data| {
        let Host { process, files, .. } = data.of_mut::<Host>();
        ProcessView { ctx: process, grants: files.grants() }
    })?;
    if program.composition.is_some() {
        fused::add_to_linker(&mut linker, |data: &mut Data| {
            let Host { fused, table, .. } = data.of_mut::<Host>();
            FusedView { ctx: fused, table }
        })?;
    }
    Ok(linker)
}
