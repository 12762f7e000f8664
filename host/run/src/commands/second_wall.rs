//! The files that a command can still reach behind the second wall.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::path::PathBuf;

use anyhow::Result;
use sqlite_wasm_runtime::filesystem::temporary;
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::runner::Options;
use sqlite_wasm_runtime::sandbox::{Recipe, plan_grants};
use sqlite_wasm_runtime::wall::{self, Plan, Rights};

use super::run::RunOptions;
use sqlite_wasm_runtime::words::complaint::complain;

/// The terminal, for prompts to grant a capability.
const TERMINAL: &str = "/dev/tty";

/// Raise the wall for a run. No component and no second thread may run before.
///
/// # Errors
///
/// When a kernel that supports the wall refuses it.
pub fn raise(run: &RunOptions, recipe: &Recipe, options: &Options) -> Result<()> {
    if run.no_second_wall {
        complain(
            "sqlite-wasm-run: `--no-second-wall`: only the WebAssembly sandbox protects this run",
        );
        return Ok(());
    }
    let mut plan = Plan::default();
    plan_grants(&options.grants, &mut plan);
    recipe.plan(&options.extensions, &mut plan);
    temporary_files(&mut plan);
    options.startup_files.iter().for_each(|file| plan.path(file, Rights::Read));
    if std::io::stdin().is_terminal() {
        plan.path(TERMINAL, Rights::Terminal);
    }
    put_up(&plan)
}

/// Raise the wall for a command that inspects components: it reads `read`, and
/// writes in the directories `write`. It may ask at the terminal.
///
/// # Errors
///
/// When a kernel that supports the wall refuses it.
pub fn raise_for_looking(read: &[PathBuf], write: &[PathBuf]) -> Result<()> {
    let mut plan = Plan::default();
    read.iter().for_each(|path| plan.path(path, Rights::Read));
    write.iter().for_each(|directory| plan.path(directory, Rights::Write));
    if std::io::stdin().is_terminal() {
        plan.path(TERMINAL, Rights::Terminal);
    }
    if let Some(cache) = user_directories::cache() {
        plan.path(cache, Rights::Read);
    }
    temporary_files(&mut plan);
    plan.helper();
    put_up(&plan)
}

fn put_up(plan: &Plan) -> Result<()> {
    if let Some(warning) = wall::raise(plan)?.warning() {
        complain(warning);
    }
    Ok(())
}

/// Add the directory for temporary files: SQLite's, and the helper's where the kernel has no safe
/// memory files. Without a directory they fail when they are needed.
fn temporary_files(plan: &mut Plan) {
    if let Ok(directory) = temporary::prepare() {
        plan.handle(directory.as_fd(), Rights::Files);
    }
}
