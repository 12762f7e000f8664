//! Running a component, which the program does without a command.

mod extension_grants;
mod load;
mod outcome;
mod program;
mod settings;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};
use sqlite_wasm_run::compiler::Budget;
use sqlite_wasm_run::deadline::Deadline;
use sqlite_wasm_run::exit_code;
use sqlite_wasm_run::extensions::NotLoaded;
use sqlite_wasm_run::key::Key;
use sqlite_wasm_run::runner::{self, MAX_MEMORY_BYTES};
use sqlite_wasm_run::shell_arguments::load_command;
use sqlite_wasm_run::{terminal, threads};

use super::directories::{DirectoryOption, parse_directory};
use super::values::{parse_duration, parse_grant, parse_size};
use super::{Cache, complain, loader_reserving, second_wall};
use load::Load;
pub use outcome::failure_code;
use outcome::{report, timeout_reached};
use program::program;
use settings::options;

/// How long a program may take to end by itself after its deadline.
const GRACE: Duration = Duration::from_secs(2);

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

    /// Look for extensions in this directory first
    #[arg(long, value_name = "DIR")]
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

    /// Take native code from this `.cwasm`, whoever has made it
    #[arg(long, value_name = "FILE")]
    pub allow_native: Vec<PathBuf>,

    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,

    /// Do without Landlock and seccomp: for kernels and tools that they disturb
    #[arg(long)]
    pub no_second_wall: bool,

    /// Print the versions of this program, wasmtime and SQLite
    #[arg(long)]
    pub version: bool,
}

/// Run the component `component`, or by default the shell of this program, with
/// the arguments `shell`.
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
    // This program's own shell is compiled without a memory limit.
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

/// End the process after the deadline if its component neither ends nor polls
/// for interruption.
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
