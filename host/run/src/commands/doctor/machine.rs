//! The parts of the installation, and what the kernel offers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use sqlite_wasm_runtime::artifact::cache::Directory;
use sqlite_wasm_runtime::artifact::engine::WASMTIME_VERSION;
use sqlite_wasm_runtime::extensions::search;
use sqlite_wasm_runtime::installation::key::Key;
use sqlite_wasm_runtime::installation::owner;
use sqlite_wasm_runtime::installation::program_files::{self, AGENTS, HELPER, SERVER};
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::limits::MAX_MEMORY_BYTES;
use sqlite_wasm_runtime::limits::address_space::Reservation;
use sqlite_wasm_runtime::sandbox::Recipe;
use sqlite_wasm_runtime::wall::{self, Layer, Plan};
use sqlite_wasm_runtime::words::escape::escaped;

use super::Finding;
use crate::commands::loader;
use crate::commands::run::program::{PORTABLE_SHELL, first_shell};

/// All but the second wall.
pub fn check(extension_directories: &[PathBuf]) -> Vec<Finding> {
    let mut findings = vec![versions(), shell(), compiler()];
    findings.extend(servers());
    findings.extend([key(), cache(), extensions(extension_directories), address_space()]);
    findings
}

fn versions() -> Finding {
    let ours = env!("CARGO_PKG_VERSION");
    let processor = std::env::consts::ARCH;
    Finding::ok("version", format!("{ours}, wasmtime {WASMTIME_VERSION}, {processor}"))
}

/// Whether this build's shell runs, and without being compiled.
fn shell() -> Finding {
    let first = || {
        let path = first_shell()?;
        if path.ends_with(PORTABLE_SHELL) {
            return Ok(format!("{}, compiled at first use", path.display()));
        }
        let recipe = Recipe::of_user().without_cache();
        let program = loader(&recipe, Reservation::Full)?.load(&path)?;
        Ok(format!("{}, code by {}", path.display(), program.compiler()?))
    };
    first().map_or_else(
        |error: anyhow::Error| {
            Finding::note(
                "shell",
                format!("{error:#}"),
                "the first run compiles `cli.wasm` and caches it; without that file install again",
            )
        },
        |found| Finding::ok("shell", found),
    )
}

fn compiler() -> Finding {
    program("compiler", HELPER, "install the whole package: without it no `.wasm` runs")
}

/// The servers are another package, which may be missing.
fn servers() -> impl Iterator<Item = Finding> {
    let all = [
        ("server", SERVER, "without it `serve` does not start"),
        ("server for agents", AGENTS, "without it `mcp` does not start"),
    ];
    let is_installed = |name| program_files::path(name).is_ok_and(|path| path.exists());
    let installed = all.into_iter().filter(move |(_, name, _)| is_installed(name));
    installed.map(|(check, name, remedy)| program(check, name, remedy))
}

/// The program `name` as it is checked before it is started.
fn program(check: &'static str, name: &str, remedy: &'static str) -> Finding {
    let found = program_files::path(name).and_then(|path| {
        program_files::opened(&path).with_context(|| path.display().to_string())?;
        Ok(path)
    });
    match found {
        Ok(path) => Finding::ok(check, path.display().to_string()),
        Err(error) => Finding::problem(check, format!("{error:#}"), remedy),
    }
}

fn key() -> Finding {
    match Key::of_user() {
        Ok(_) => Finding::ok("key", of(user_directories::state())),
        Err(error) => Finding::problem(
            "key",
            format!("{error:#}"),
            "set XDG_STATE_HOME to a directory of your own: without a key nothing is cached",
        ),
    }
}

fn cache() -> Finding {
    let path = of(user_directories::cache());
    match Directory::by_xdg() {
        Some(_) => {
            let (files, bytes) = user_directories::cache().map(contents).unwrap_or_default();
            let megabytes = bytes.div_ceil(1 << 20);
            Finding::ok("cache", format!("{path}: {files} compiled components, {megabytes} MB"))
        }
        None => Finding::problem(
            "cache",
            format!("{path} cannot be used: it is not a directory that you alone can write"),
            "set XDG_CACHE_HOME to one: without it each start compiles for seconds",
        ),
    }
}

/// The compiled components in the cache: their count, and their size in bytes.
fn contents(cache: PathBuf) -> (usize, u64) {
    let entries = fs::read_dir(cache.join("compiled")).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len());
    sizes.fold((0, 0), |(files, bytes), size| (files + 1, bytes + size))
}

fn extensions(directories: &[PathBuf]) -> Finding {
    let found = search::all(directories);
    if found.is_empty() {
        return Finding::note(
            "extensions",
            "none was found",
            "`extension list` searches --extension-dir, $SQLITE_WASM_EXTENSIONS and the \
             directory `extensions` beside the program",
        );
    }
    let is_open = |directory: &&PathBuf| {
        fs::metadata(directory).is_ok_and(|found| !owner::is_trusted(&found).unwrap_or_default())
    };
    if let Some(directory) = directories.iter().find(is_open) {
        return Finding::note(
            "extensions",
            format!("{}: another user owns it or can write it", directory.display()),
            "`chmod go-w` it: an extension gets the grants of its name there",
        );
    }
    let names: Vec<String> = found.iter().map(|found| escaped(&found.name).to_string()).collect();
    Finding::ok("extensions", names.join(", "))
}

fn address_space() -> Finding {
    match Reservation::for_command(1, MAX_MEMORY_BYTES) {
        Reservation::Full => Finding::ok("memory", "address space for 4 GiB of memory"),
        Reservation::Bytes(bytes) | Reservation::Unsignalled(bytes) => Finding::note(
            "memory",
            format!("address space for {} MB of memory", bytes >> 20),
            "raise `ulimit -v`: code that checks each address is slower",
        ),
    }
}

/// Raise the wall for this process, with access to nothing.
pub fn check_second_wall() -> Vec<Finding> {
    let raised = match wall::raise(&Plan::default()) {
        Ok(raised) => raised,
        Err(error) => {
            let remedy = "only the WebAssembly sandbox protects runs with `--no-second-wall`";
            return vec![Finding::problem("second wall", format!("{error:#}"), remedy)];
        }
    };
    let layer = |check, layer, remedy| match layer {
        Layer::Up => Finding::ok(check, "supported by this kernel"),
        Layer::Missing => Finding::note(check, "this kernel does not have it", remedy),
    };
    vec![
        layer("Landlock", raised.landlock, "Linux has it since 5.13, if `lsm=` names it"),
        layer("seccomp", raised.seccomp, "the kernel needs CONFIG_SECCOMP_FILTER"),
    ]
}

fn of(path: Option<PathBuf>) -> String {
    path.as_deref().map_or("no directory".into(), |path: &Path| path.display().to_string())
}
