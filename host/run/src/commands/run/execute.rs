//! The steps of a run.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use sqlite_wasm_runtime::artifact::compiler::{Budget, Compiler};
use sqlite_wasm_runtime::artifact::component::Program;
use sqlite_wasm_runtime::artifact::engine::WASMTIME_VERSION;
use sqlite_wasm_runtime::extensions::NotLoaded;
use sqlite_wasm_runtime::limits::MAX_MEMORY_BYTES;
use sqlite_wasm_runtime::limits::deadline::Deadline;
use sqlite_wasm_runtime::limits::threads;
use sqlite_wasm_runtime::runner;
use sqlite_wasm_runtime::runner::shell_arguments::load_command;
use sqlite_wasm_runtime::sandbox::Recipe;
use sqlite_wasm_runtime::wall::exit_code;
use sqlite_wasm_runtime::wall::terminal;

use super::RunOptions;
use super::load::LoadOption;
use super::outcome::{report, timeout_reached};
use super::program::program;
use super::settings::options;
use crate::commands::{loader, second_wall};
use sqlite_wasm_runtime::words::complaint::complain;

/// How long a program may take to end by itself after its deadline.
const GRACE: Duration = Duration::from_secs(2);

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
    let (program, recipe) = load(run, component, deadline)?;
    perform(run, component, shell, (program, recipe), deadline)
}

/// Load the program, as the recipe says that comes with it.
fn load(
    run: &RunOptions,
    component: Option<&Path>,
    deadline: Deadline,
) -> Result<(Program, Recipe)> {
    let budget = Budget::new(run.max_memory, deadline.end());
    // This program's own shell is compiled without a memory limit.
    let compiling = if component.is_some() { budget } else { Budget::new(None, deadline.end()) };
    let mut recipe = Recipe::of_user();
    if run.no_cache {
        recipe.cache = None;
    }
    recipe.compiler = Compiler::new(budget);
    recipe.allowed = run.allow_native.clone();
    let loader = |reservation| Ok(loader(&recipe, reservation)?.compiler(Compiler::new(compiling)));
    let program = program(loader, component, limit_bytes(run))?;
    Ok((program, recipe))
}

/// The limit on the component's memory, in bytes.
fn limit_bytes(run: &RunOptions) -> usize {
    run.max_memory.unwrap_or(MAX_MEMORY_BYTES)
}

fn perform(
    run: &RunOptions,
    component: Option<&Path>,
    shell: Vec<OsString>,
    (program, mut recipe): (Program, Recipe),
    deadline: Deadline,
) -> Result<ExitCode> {
    let loads: Vec<LoadOption> = run.load.iter().map(|option| LoadOption::of(option)).collect();
    let names: Vec<String> = loads.iter().map(LoadOption::name).collect();
    let commands = names.iter().flat_map(|name| ["-cmd".into(), load_command(name).into()]);
    let shell = commands.chain(shell).collect();
    let mut options = options(run, &mut recipe, component, shell)?;
    options.deadline = deadline;
    options.extensions.embed(&program);
    for load in loads.iter().filter(|load| !program.embeds(&load.name())) {
        load.prepare(&mut options.extensions).map_err(|error| error.context(NotLoaded))?;
    }
    options.loads = names;
    // Before the first thread starts.
    second_wall::raise(run, &recipe, &options)?;
    end_at(deadline)?;
    let outcome = runner::run(&program, options)?;
    std::mem::forget(program);
    report(outcome, limit_bytes(run))
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
        complain(timeout_reached(timeout));
        std::process::exit(exit_code::ExitCode::Timeout as i32);
    })
}

/// Print the versions of all parts.
///
/// # Errors
///
/// When the shell cannot be run.
pub fn print_versions(run: &RunOptions, component: Option<&Path>) -> Result<ExitCode> {
    let deadline = Deadline::after(run.timeout);
    let (program, recipe) = load(run, component, deadline)?;
    let ours = env!("CARGO_PKG_VERSION");
    let (wasmtime, compiler) = (WASMTIME_VERSION, program.compiler()?);
    write!(
        std::io::stdout(),
        "sqlite-wasm-run {ours}\nwasmtime {wasmtime}, code by {compiler}\nsqlite "
    )?;
    std::io::stdout().flush()?;
    perform(run, component, vec!["-version".into()], (program, recipe), deadline)
}
