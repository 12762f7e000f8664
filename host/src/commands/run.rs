//! Running a component: without a command, what the program is for.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};
use rustix::termios::{QueueSelector, tcflush};
use sqlite_wasm_run::cache::Folder;
use sqlite_wasm_run::component::{LoadError, Loader, Program};
use sqlite_wasm_run::exit_code;
use sqlite_wasm_run::extensions::{ExtensionsCtx, Limits, Permits};
use sqlite_wasm_run::own_files;
use sqlite_wasm_run::places;
use sqlite_wasm_run::process::Interrupt;
use sqlite_wasm_run::runner::{self, AtEnd, MAX_MEMORY_BYTES, Options, Outcome, RefusedImport};
use sqlite_wasm_run::stdio::Stdio;

use super::directories::{self, DirectoryOption, parse_directory};
use super::values::{parse_duration, parse_grant, parse_size};
use super::{Cache, complain, loader};

/// How long a program may take to end by itself when its time is over.
const GRACE: Duration = Duration::from_secs(2);

/// Environment variables that the shell is given: those by which it finds its
/// own files.
const ENVIRONMENT: &[&str] = &["HOME", "XDG_CONFIG_HOME", "SQLITE_HISTORY"];

/// Options for running a component.
#[derive(Debug, Default, clap::Args)]
pub struct RunOptions {
    /// Grant a directory; `:ro` for reading only. GUEST is its name inside. A
    /// name that ends with `:ro` itself is followed by `:rw` or one more `:ro`
    #[arg(
        long,
        value_name = "HOST[::GUEST][:ro|:rw]",
        value_parser = OsStringValueParser::new().try_map(parse_directory)
    )]
    pub dir: Vec<DirectoryOption>,

    /// Grant neither the working directory nor the database
    #[arg(long)]
    pub no_default_dirs: bool,

    /// Stop when the component's memory grows over this [default: 4G]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub max_memory: Option<usize>,

    /// Stop after this time, in seconds, or with `ms`, `s`, `m` or `h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Look for extensions in this folder first
    #[arg(long, value_name = "FOLDER")]
    pub extension_dir: Vec<PathBuf>,

    /// Load an extension before anything else
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub load: Vec<String>,

    /// Let an extension use something: `sql`, `sql:ro`, `dir:PATH[:ro]`, `env:VARIABLE`
    #[arg(long, value_name = "NAME=WORDS", value_parser = parse_grant)]
    pub grant: Vec<String>,

    /// Grant extensions what a TOML file says: `[NAME]`, `grants = ["sql"]`
    #[arg(long, value_name = "FILE")]
    pub grants: Vec<PathBuf>,

    /// Memory of an extension at most [default: 512M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_memory: Option<usize>,

    /// Time for one call of an extension [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub extension_timeout: Option<Duration>,

    /// What one call of an extension gives at most [default: 128M]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_value: Option<usize>,

    /// What an extension prints at most [default: 64K]
    #[arg(long, value_name = "SIZE[K|M|G]", value_parser = parse_size)]
    pub extension_log: Option<usize>,

    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,

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
    let cache = if run.no_cache { Cache::Off } else { Cache::Xdg };
    let program = program(&loader(cache)?, component)?;
    let loads = run.load.iter().flat_map(|name| ["-cmd".into(), format!(".load {name}").into()]);
    let options = options(run, component, loads.chain(shell).collect())?;
    if let Some(timeout) = run.timeout {
        end_after(timeout + GRACE, timeout);
    }
    let outcome = runner::run(&program, options)?;
    std::mem::forget(program);
    report(outcome)
}

fn program(loader: &Loader, component: Option<&Path>) -> Result<Program> {
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

fn options(run: &RunOptions, component: Option<&Path>, shell: Vec<OsString>) -> Result<Options> {
    let mut options = Options::new(Stdio::inherited());
    options.home = places::home();
    options.history = history(options.home.as_deref());
    let extensions = extension_folders(&run.extension_dir);
    own_files::set(options.history.as_deref(), component, &extensions);
    options.grants = directories::grants(&run.dir, run.no_default_dirs, &shell)?;
    options.folder = env::current_dir().ok();
    options.environment = ENVIRONMENT
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?)))
        .collect();
    options.timeout = run.timeout;
    options.at_end = AtEnd::Abandon;
    let cache = if run.no_cache { None } else { Folder::by_xdg() };
    options.extensions = ExtensionsCtx::new(extensions)
        .limits(extension_limits(run))
        .permits(permits(run)?)
        .tell_by(Box::new(|story| complain(&format!("sqlite-wasm-run: {story}"))))
        .cache(cache);
    options.max_memory_bytes = run.max_memory.unwrap_or(MAX_MEMORY_BYTES);
    options.startup_files = startup_files(options.home.as_deref());
    catch_interrupts(&options.interrupt)?;
    options.arguments = std::iter::once("sqlite3".into()).chain(shell).collect();
    Ok(options)
}

/// Where sqlite3 keeps what was typed.
fn history(home: Option<&Path>) -> Option<PathBuf> {
    match env::var_os("SQLITE_HISTORY") {
        Some(path) => Some(path.into()),
        None => home.map(|home| home.join(".sqlite_history")),
    }
}

/// Where sqlite3 looks for its start-up file. The folder for configurations
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

/// Where extensions are looked for: the command line's folders, those of
/// `$SQLITE_WASM_EXTENSIONS`, the data folder by the XDG rules, and the folder
/// beside this program.
pub fn extension_folders(first: &[PathBuf]) -> Vec<PathBuf> {
    let named = env::var_os("SQLITE_WASM_EXTENSIONS");
    let data = places::data();
    let beside = env::current_exe().ok();
    first
        .iter()
        .cloned()
        .chain(named.iter().flat_map(env::split_paths))
        .chain(data.map(|data| data.join("extensions")))
        .chain(beside.map(|program| program.with_file_name("extensions")))
        .collect()
}

/// What extensions are granted: by the command line, by the file beside the
/// shipped ones, and by the person at the terminal.
fn permits(run: &RunOptions) -> Result<Permits> {
    let mut permits = Permits::default();
    run.grants.iter().try_for_each(|path| permits.add_file(path))?;
    run.grant.iter().try_for_each(|grant| permits.add(grant))?;
    if let Ok(program) = env::current_exe() {
        permits.shipped(program.with_file_name("extensions").join("grants.toml"));
    }
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        permits.ask_by(Box::new(ask));
    }
    Ok(permits)
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
    Limits {
        memory_bytes: run.extension_memory.unwrap_or(usual.memory_bytes),
        call_time: run.extension_timeout.unwrap_or(usual.call_time),
        value_bytes: run.extension_value.unwrap_or(usual.value_bytes),
        log_bytes: run.extension_log.unwrap_or(usual.log_bytes),
    }
}

/// The first Ctrl-C stops the statement; another one before that was noticed
/// ends the program, with the code that sqlite3 has.
fn catch_interrupts(interrupt: &Interrupt) -> Result<()> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag;
    flag::register_conditional_shutdown(SIGINT, 1, interrupt.flag())?;
    flag::register(SIGINT, interrupt.flag())?;
    Ok(())
}

/// End the process when its component neither ends nor asks for interruption.
fn end_after(time: Duration, timeout: Duration) {
    thread::spawn(move || {
        thread::sleep(time);
        complain(&timeout_reached(timeout));
        std::process::exit(exit_code::ExitCode::Timeout as i32);
    });
}

fn timeout_reached(timeout: Duration) -> String {
    format!("error: the time limit of {timeout:?} was reached; `--timeout` sets it")
}

fn report(outcome: Outcome) -> Result<ExitCode> {
    let (message, code) = match outcome {
        Outcome::Exited(code) => return Ok(code.into()),
        Outcome::BrokenPipe => return Ok(exit_code::ExitCode::BrokenPipe.into()),
        Outcome::TimeReached(timeout) => (timeout_reached(timeout), exit_code::ExitCode::Timeout),
        Outcome::MemoryReached(bytes) => (
            format!("error: the memory limit of {bytes} bytes was reached; `--max-memory` sets it"),
            exit_code::ExitCode::Memory,
        ),
        Outcome::ExtensionTrapped { name, story } => (
            format!(
                "error: the embedded extension `{name}` broke down, and the program with it: {story}; \
                 a transaction that was open is rolled back when the database is next opened"
            ),
            exit_code::ExitCode::Trap,
        ),
        Outcome::Trapped(error) => (
            format!("error: the component broke down\n\nCaused by:\n    {error:?}"),
            exit_code::ExitCode::Trap,
        ),
    };
    complain(&message);
    Ok(code.into())
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
    if error.is::<LoadError>() || error.is::<RefusedImport>() {
        exit_code::ExitCode::Artifact
    } else {
        exit_code::ExitCode::Failure
    }
}
