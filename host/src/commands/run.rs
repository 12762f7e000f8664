//! Running a component: without a command, what the program is for.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};
use rustix::termios::{QueueSelector, tcflush};
use sqlite_wasm_run::address_space::Reservation;
use sqlite_wasm_run::cache::Directory;
use sqlite_wasm_run::compiler::{Budget, Compiler, Failed};
use sqlite_wasm_run::component::{LoadError, Loader, Program};
use sqlite_wasm_run::console::History;
use sqlite_wasm_run::deadline::Deadline;
use sqlite_wasm_run::exit_code;
use sqlite_wasm_run::extensions::{ExtensionGrants, ExtensionsCtx, Limits, NotLoaded};
use sqlite_wasm_run::key::Key;
use sqlite_wasm_run::own_files;
use sqlite_wasm_run::places;
use sqlite_wasm_run::runner::{self, AtEnd, MAX_MEMORY_BYTES, Options, Outcome, RefusedImport};
use sqlite_wasm_run::shell_arguments::load_command;
use sqlite_wasm_run::stdio::Stdio;
use sqlite_wasm_run::{terminal, threads};

use super::directories::{self, DirectoryOption, parse_directory};
use super::values::{parse_duration, parse_grant, parse_size};
use super::{Cache, complain, loader_reserving, second_wall};

/// How long a program may take to end by itself when its time is over.
const GRACE: Duration = Duration::from_secs(2);

/// The code that sqlite3 ends with when Ctrl-C stops it: by the second one,
/// where nobody noticed the first.
const INTERRUPTED: i32 = 1;

/// Environment variables that the shell is given: those by which it finds its
/// own files.
const ENVIRONMENT: &[&str] = &["HOME", "XDG_CONFIG_HOME", "SQLITE_HISTORY"];

/// Options for running a component.
#[derive(Debug, Default, clap::Args)]
pub struct RunOptions {
    /// Grant access to a directory; `:ro` is read-only. GUEST is its name in the
    /// sandbox. If the name of the directory ends in `:ro`, append `:rw` or `:ro`
    #[arg(
        long,
        value_name = "HOST[::GUEST][:ro|:rw]",
        value_parser = OsStringValueParser::new().try_map(parse_directory)
    )]
    pub dir: Vec<DirectoryOption>,

    /// Do not grant the working directory and the database
    #[arg(long)]
    pub no_default_dirs: bool,

    /// Stop when memory exceeds this limit [default: 4G]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub max_memory: Option<usize>,

    /// Stop after this time: seconds, or a number with `ms`, `s`, `m` or `h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Search for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    pub extension_dir: Vec<PathBuf>,

    /// Load an extension at start-up: a name, or the path of a file
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub load: Vec<String>,

    /// Grant an extension access to `sql`, `sql:ro`, `dir:PATH[:ro]` or `env:VARIABLE`
    #[arg(long, value_name = "NAME=WORDS", value_parser = parse_grant)]
    pub grant: Vec<String>,

    /// Read grants for extensions from a TOML file: `[NAME]`, `grants = ["sql"]`
    #[arg(long, value_name = "FILE")]
    pub grants: Vec<PathBuf>,

    /// Memory limit of each extension [default: 512M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_memory: Option<usize>,

    /// Time limit of one call to an extension [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub extension_timeout: Option<Duration>,

    /// Limit on the data that one call to an extension returns [default: 128M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_value: Option<usize>,

    /// Limit on the text that an extension prints [default: 64K]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_log: Option<usize>,

    /// Run the native code in this `.cwasm`, no matter who created it
    #[arg(long, value_name = "FILE")]
    pub allow_native: Vec<PathBuf>,

    /// Do not use the cache of compiled code
    #[arg(long)]
    pub no_cache: bool,

    /// Do not use Landlock and seccomp, for kernels and tools that conflict with them
    #[arg(long)]
    pub no_second_wall: bool,

    /// Print the versions of this program, wasmtime and SQLite
    #[arg(long)]
    pub version: bool,
}

/// Run the component `component`, or the shell that belongs to this program,
/// with the arguments `shell`.
///
/// # Errors
///
/// When the component cannot be loaded or started.
pub fn execute(
    run: &RunOptions,
    component: Option<&Path>,
    shell: Vec<OsString>,
) -> Result<ExitCode> {
    let deadline = Deadline::after(run.timeout);
    let cache = if run.no_cache { Cache::Off } else { Cache::Xdg };
    let asked_bytes = run.max_memory.unwrap_or(MAX_MEMORY_BYTES);
    let budget = Budget::new(run.max_memory, deadline.end());
    // Our own shell may take what it needs to be compiled.
    let compiling = if component.is_some() { budget } else { Budget::new(None, deadline.end()) };
    let key = Key::of_user().ok().map(Arc::new);
    let loader = |reservation| {
        let loader = loader_reserving(reservation, cache, compiling, key.clone())?;
        Ok(loader.allow_native(&run.allow_native))
    };
    let program = program(loader, component, asked_bytes)?;
    let loads: Vec<Load> = run.load.iter().map(|option| Load::of(option)).collect();
    let names: Vec<String> = loads.iter().map(Load::name).collect();
    let commands = names.iter().flat_map(|name| ["-cmd".into(), load_command(name).into()]);
    let shell = commands.chain(shell).collect();
    let mut options = options(run, component, shell, key.clone(), budget)?;
    options.deadline = deadline;
    options.extensions.embed(&program);
    for load in loads.iter().filter(|load| !program.embeds(&load.name())) {
        load.prepare(&mut options.extensions).map_err(|error| error.context(NotLoaded))?;
    }
    options.loads = names;
    // Before the first thread starts.
    second_wall::raise(run, &options)?;
    end_at(deadline)?;
    let outcome = runner::run(&program, options)?;
    std::mem::forget(program);
    report(outcome, asked_bytes)
}

/// What `--load` names: by the path of a file, or by a name that is looked for.
enum Load {
    File(PathBuf),
    Name(String),
}

impl Load {
    /// A path has a `/`; its ending may be left out.
    fn of(option: &str) -> Self {
        if !option.contains('/') {
            return Self::Name(option.to_owned());
        }
        let has_ending = option.ends_with(".wasm") || option.ends_with(".cwasm");
        Self::File(if has_ending { option.into() } else { format!("{option}.wasm").into() })
    }

    /// What the shell loads it by: a name in any case, so that no path goes
    /// through SQL.
    fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into(),
            Self::Name(name) => name.clone(),
        }
    }

    /// Have it ready before any component runs.
    fn prepare(&self, extensions: &mut ExtensionsCtx) -> Result<()> {
        match self {
            Self::File(path) => extensions.prepare_file(path),
            Self::Name(name) => extensions.prepare(name),
        }
    }
}

/// The program, in the form that this process has the address space for.
fn program(
    loader: impl Fn(Reservation) -> Result<Loader>,
    component: Option<&Path>,
    asked_bytes: usize,
) -> Result<Program> {
    let load = |reservation| load(&loader(reservation)?, component);
    let for_one = Reservation::for_command(1, asked_bytes);
    let program = load(for_one)?;
    if component.is_none() {
        return Ok(program);
    }
    // Only the program itself tells how many memories it has.
    match Reservation::for_command(program.memories().max(1), asked_bytes) {
        for_all if for_all == for_one => Ok(program),
        for_all => load(for_all),
    }
}

fn load(loader: &Loader, component: Option<&Path>) -> Result<Program> {
    match component {
        Some(path) => loader.load(path),
        None => own_shell(loader),
    }
}

/// The shell that belongs to this build lies beside the program: compiled, and
/// for a processor that is too different, as it was before.
fn own_shell(loader: &Loader) -> Result<Program> {
    let program = env::current_exe().context("failed to find this program's own path")?;
    let compiled = program.with_file_name("cli.cwasm");
    let portable = program.with_file_name("cli.wasm");
    match loader.load(&compiled) {
        Err(_) if portable.is_file() => loader.load(&portable),
        result => result,
    }
}

fn options(
    run: &RunOptions,
    component: Option<&Path>,
    shell: Vec<OsString>,
    key: Option<Arc<Key>>,
    budget: Budget,
) -> Result<Options> {
    let mut options = Options::new(Stdio::inherited());
    options.home = places::home();
    let history_file = history(options.home.as_deref());
    let extensions = extension_directories(&run.extension_dir);
    options.startup_files = startup_files(options.home.as_deref());
    let trusted = trusted(run, component, &options.startup_files);
    own_files::set(history_file.as_deref(), &trusted, &extensions);
    options.grants = directories::grants(&run.dir, run.no_default_dirs, &shell)?;
    options.directory = env::current_dir().ok();
    options.environment = ENVIRONMENT
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?)))
        .collect();
    options.at_end = AtEnd::Abandon;
    let cache = if run.no_cache { None } else { Directory::by_xdg() };
    options.extensions = ExtensionsCtx::new(extensions)
        .limits(extension_limits(run))
        .grants(grants(run)?)
        .report_with(Box::new(|story| complain(&format!("sqlite-wasm-run: {story}"))))
        .native_code(key, &run.allow_native)
        .compiler(Compiler::Helper(budget))
        .cache(cache);
    options.max_memory_bytes = run.max_memory.unwrap_or(MAX_MEMORY_BYTES);
    // Only what is typed at a terminal is kept.
    if std::io::stdin().is_terminal() {
        options.history = history_file.and_then(|path| History::open(&path));
    }
    terminal::catch_interrupts(options.interrupt.flag(), INTERRUPTED)?;
    options.arguments = std::iter::once("sqlite3".into()).chain(shell).collect();
    Ok(options)
}

/// The files that decide what runs and what it may do: what SQL wrote there
/// would be trusted by the next start.
fn trusted(run: &RunOptions, component: Option<&Path>, startup: &[PathBuf]) -> Vec<PathBuf> {
    let loads = run.load.iter().filter_map(|option| match Load::of(option) {
        Load::File(path) => Some(path),
        Load::Name(_) => None,
    });
    let named = component.map(Path::to_path_buf).into_iter().chain(loads);
    let lists = [&run.allow_native[..], &run.grants, startup].concat();
    named.chain(lists).collect()
}

/// Where sqlite3 keeps what was typed.
fn history(home: Option<&Path>) -> Option<PathBuf> {
    match env::var_os("SQLITE_HISTORY") {
        Some(path) => Some(path.into()),
        None => home.map(|home| home.join(".sqlite_history")),
    }
}

/// Where sqlite3 looks for its start-up file. The directory for configurations
/// lies below `$HOME`, whatever the user database says.
fn startup_files(home: Option<&Path>) -> Vec<PathBuf> {
    let config = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".config")));
    config
        .map(|config| config.join("sqlite3/sqliterc"))
        .into_iter()
        .chain(home.map(|home| home.join(".sqliterc")))
        .collect()
}

/// Where extensions are looked for: the command line's directories, those of
/// `$SQLITE_WASM_EXTENSIONS`, the data directory by the XDG rules, and the one
/// beside this program. An entry of the variable that is not an absolute path
/// counts as none: what the working directory holds may come from SQL.
pub fn extension_directories(first: &[PathBuf]) -> Vec<PathBuf> {
    let named = env::var_os("SQLITE_WASM_EXTENSIONS");
    let data = places::data();
    let beside = env::current_exe().ok();
    let named = named.iter().flat_map(env::split_paths).filter(|path| path.is_absolute());
    first
        .iter()
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        .chain(named)
        .chain(data.map(|data| data.join("extensions")))
        .chain(beside.map(|program| program.with_file_name("extensions")))
        .collect()
}

/// What extensions are granted: by the command line, by the file beside the
/// shipped ones, and by the user.
fn grants(run: &RunOptions) -> Result<ExtensionGrants> {
    let mut grants = ExtensionGrants::default();
    run.grants.iter().try_for_each(|path| grants.add_file(path))?;
    run.grant.iter().try_for_each(|grant| grants.add(grant))?;
    if let Ok(program) = env::current_exe() {
        grants.shipped(program.with_file_name("extensions").join("grants.toml"));
    }
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        grants.prompt_with(Box::new(ask));
    }
    Ok(grants)
}

/// Ask a question that `y` or `yes` answers with yes, and all else with no.
fn ask(question: &str) -> bool {
    let Ok(terminal) = fs::File::open("/dev/tty") else { return false };
    // What was typed or pasted before the question was seen does not answer it.
    let flushed = tcflush(&terminal, QueueSelector::IFlush);
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    let read = BufReader::new(terminal).read_line(&mut answer);
    flushed.is_ok() && read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

fn extension_limits(run: &RunOptions) -> Limits {
    let usual = Limits::default();
    // What the user did not allow an extension by name is not more than what
    // the component may have, which can load extensions of its own choice.
    let most = run.max_memory.unwrap_or(MAX_MEMORY_BYTES);
    Limits {
        memory_bytes: run.extension_memory.unwrap_or(usual.memory_bytes.min(most)),
        call_time: run.extension_timeout.unwrap_or(usual.call_time),
        value_bytes: run.extension_value.unwrap_or(usual.value_bytes.min(most)),
        log_bytes: run.extension_log.unwrap_or(usual.log_bytes),
    }
}

/// End the process when its component neither ends nor asks for interruption.
fn end_at(deadline: Deadline) -> Result<()> {
    let (Some(left), Some(timeout)) = (deadline.left(), deadline.limit()) else {
        return Ok(());
    };
    threads::start("timeout", move || {
        thread::sleep(left.saturating_add(GRACE));
        terminal::restore();
        complain(&timeout_reached(timeout));
        std::process::exit(exit_code::ExitCode::Timeout as i32);
    })
}

fn timeout_reached(timeout: Duration) -> String {
    format!("error: the time limit of {timeout:?} was reached; `--timeout` sets it")
}

fn report(outcome: Outcome, asked_bytes: usize) -> Result<ExitCode> {
    let (message, code) = match outcome {
        Outcome::Exited(code) => return Ok(code.into()),
        Outcome::BrokenPipe => return Ok(exit_code::ExitCode::BrokenPipe.into()),
        Outcome::TimeReached(timeout) => (timeout_reached(timeout), exit_code::ExitCode::Timeout),
        Outcome::MemoryReached(bytes) => {
            (memory_reached(bytes, asked_bytes), exit_code::ExitCode::Memory)
        }
        Outcome::ExtensionTrapped { name, story } => (
            format!(
                "error: the embedded extension `{name}` trapped, and the program with it: {story}; \
                 a transaction that was open is rolled back when the database is next opened"
            ),
            exit_code::ExitCode::Trap,
        ),
        Outcome::Trapped(error) => (
            format!("error: the component trapped\n\nCaused by:\n    {error:?}"),
            exit_code::ExitCode::Trap,
        ),
    };
    complain(&message);
    Ok(code.into())
}

fn memory_reached(bytes: usize, asked_bytes: usize) -> String {
    let way_out = match bytes < asked_bytes {
        true => {
            "this process gets no more address space; raise its limit (`ulimit -v`), \
             or say what the component needs with `--max-memory`"
        }
        false => "`--max-memory` sets it",
    };
    format!("error: the memory limit of {bytes} bytes was reached; {way_out}")
}

/// Print the versions of all parts.
///
/// # Errors
///
/// When the shell cannot be run.
pub fn print_versions(run: &RunOptions, component: Option<&Path>) -> Result<ExitCode> {
    let ours = env!("CARGO_PKG_VERSION");
    let wasmtime = env!("WASMTIME_VERSION");
    write!(std::io::stdout(), "sqlite-wasm-run {ours}\nwasmtime {wasmtime}\nsqlite ")?;
    std::io::stdout().flush()?;
    execute(run, component, vec!["-version".into()])
}

/// The exit code for a failure of [`execute`].
pub fn failure_code(error: &anyhow::Error) -> exit_code::ExitCode {
    match error.downcast_ref::<Failed>() {
        Some(Failed::TimeLimit(_)) => return exit_code::ExitCode::Timeout,
        Some(Failed::Memory(_, _, true)) => return exit_code::ExitCode::Memory,
        _ => {}
    }
    if error.is::<LoadError>() || error.is::<RefusedImport>() || error.is::<NotLoaded>() {
        exit_code::ExitCode::Artifact
    } else {
        exit_code::ExitCode::Failure
    }
}
