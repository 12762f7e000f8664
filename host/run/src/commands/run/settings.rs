//! The options of a run, from the command line and the environment.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sqlite_wasm_runtime::extensions::Limits;
use sqlite_wasm_runtime::filesystem::grants::Mask;
use sqlite_wasm_runtime::filesystem::inherited;
use sqlite_wasm_runtime::filesystem::stdio::Stdio;
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::limits::MAX_MEMORY_BYTES;
use sqlite_wasm_runtime::runner::console::History;
use sqlite_wasm_runtime::runner::{AtEnd, Options, Stack};
use sqlite_wasm_runtime::sandbox::Recipe;
use sqlite_wasm_runtime::wall::terminal;

use super::RunOptions;
use super::extension_grants::grants;
use super::load::LoadOption;
use crate::commands::directories;
use crate::commands::extension_directories::extension_directories;
use sqlite_wasm_runtime::words::complaint::complain;

/// The exit code of sqlite3 after a second Ctrl-C, when nothing reacted to the
/// first.
const INTERRUPTED: i32 = 1;

/// Environment variables that the shell receives: those that locate its own
/// files.
const ENVIRONMENT: &[&str] = &["HOME", "XDG_CONFIG_HOME", "SQLITE_HISTORY"];

pub fn options(
    run: &RunOptions,
    recipe: &mut Recipe,
    component: Option<&Path>,
    shell: Vec<OsString>,
) -> Result<Options> {
    let mut options = Options::new(Stdio::inherited());
    options.home = user_directories::home();
    let history_file = history(options.home.as_deref());
    options.startup_files = startup_files(options.home.as_deref());
    recipe.masks.add(Mask::Hidden, &history_file);
    recipe.masks.add(Mask::ReadOnly, trusted(run, component, &options.startup_files));
    recipe.search_extensions(extension_directories(&run.extension_dir));
    options.masks = recipe.masks.clone();
    directories::grant_named(recipe, &run.dir)?;
    options.grants = if run.no_default_dirs {
        recipe.grants.clone()
    } else {
        directories::default_grants(recipe, &shell)?
    };
    options.directory = env::current_dir().ok();
    options.descriptors = inherited::opened_by(&shell);
    options.environment = ENVIRONMENT
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?)))
        .collect();
    options.at_end = AtEnd::Abandon;
    // While a line is edited the component waits: signals then have a separate thread.
    if !std::io::stdin().is_terminal() {
        options.stack = Stack::main_if_possible();
    }
    options.extensions = recipe
        .extensions()
        .limits(extension_limits(run))
        .grants(grants(run)?)
        .report_with(Box::new(|message| complain(format!("sqlite-wasm-run: {message}"))));
    options.max_memory_bytes = run.max_memory.unwrap_or(MAX_MEMORY_BYTES);
    // Only lines typed at a terminal go into the history.
    if std::io::stdin().is_terminal() {
        options.history = history_file.and_then(|path| History::open(&path));
    }
    terminal::catch_interrupts(options.interrupt.flag(), INTERRUPTED)?;
    options.arguments = std::iter::once("sqlite3".into()).chain(shell).collect();
    Ok(options)
}

/// Files that determine which code runs with which grants. They are protected, since the next start
/// would trust files that SQL has written.
fn trusted(run: &RunOptions, component: Option<&Path>, startup: &[PathBuf]) -> Vec<PathBuf> {
    let loads = run.load.iter().filter_map(|option| match LoadOption::of(option) {
        LoadOption::File(path) => Some(path),
        LoadOption::Name(_) => None,
    });
    let named = component.map(Path::to_path_buf).into_iter().chain(loads);
    let lists = [&run.allow_native[..], &run.grants, startup].concat();
    named.chain(lists).collect()
}

/// The path of sqlite3's history file.
fn history(home: Option<&Path>) -> Option<PathBuf> {
    match env::var_os("SQLITE_HISTORY") {
        Some(path) => Some(path.into()),
        None => home.map(|home| home.join(".sqlite_history")),
    }
}

/// The paths of sqlite3's start-up file. Its default configuration directory is
/// below `$HOME`, whatever the user database says.
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

fn extension_limits(run: &RunOptions) -> Limits {
    let default = Limits::within(run.max_memory.unwrap_or(MAX_MEMORY_BYTES));
    Limits {
        memory_bytes: run.extension_memory.unwrap_or(default.memory_bytes),
        call_time: run.extension_timeout.unwrap_or(default.call_time),
        value_bytes: run.extension_value.unwrap_or(default.value_bytes),
        log_bytes: run.extension_log.unwrap_or(default.log_bytes),
    }
}
