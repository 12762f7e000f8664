//! The second wall: kernel restrictions that the process accepts before a
//! component runs.
//!
//! The first wall is WebAssembly. If an attacker broke it and ran native code
//! in this process, the kernel would still refuse files outside the grants
//! ([`landlock`]), and system calls that reach other processes, the network or
//! the system ([`seccomp`]).
//!
//! ```no_run
//! use sqlite_wasm_runtime::wall::{self, Plan, Rights};
//!
//! # fn main() -> anyhow::Result<()> {
//! let mut plan = Plan::default();
//! plan.path("/srv/data", Rights::Write);
//! if let Some(warning) = wall::raise(&plan)?.warning() {
//!     eprintln!("{warning}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Both layers bind the calling thread and all threads and processes that it
//! starts, irrevocably. They do not bind threads that run already, so the wall
//! goes up before the first one starts.

pub mod broken;
pub mod exit_code;
pub mod terminal;
#[rustfmt::skip] // A table: one call a line would be five pages.
mod calls;
mod filter;
mod landlock;
mod seccomp;
mod system;
mod trap;

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use crate::filesystem::grants::Access;
use crate::installation::program_files::{self, HELPER};
use crate::limits::threads;
use calls::Network;

/// The rights to a file, or to a directory and all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Read files, list directories.
    Read,
    /// All rights that SQLite and its shell need: not to create devices,
    /// sockets or pipes, nor to execute files.
    Write,
    /// Read, write, create and remove regular files: the rights that a database
    /// needs in its directory for its journals.
    Files,
    /// Start a program.
    Execute,
    /// Read, write and set up a terminal.
    Terminal,
}

impl From<Access> for Rights {
    fn from(access: Access) -> Self {
        match access {
            Access::ReadOnly => Self::Read,
            Access::ReadWrite => Self::Write,
        }
    }
}

/// The files that stay accessible behind the wall.
///
/// Rights add up: a directory inside a writable one is writable, whatever its
/// own rule. Only the first wall can exclude files inside an accessible
/// directory.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    handles: Vec<(BorrowedFd<'a>, Rights)>,
    paths: Vec<(PathBuf, Rights)>,
    network: Network,
}

impl<'a> Plan<'a> {
    /// Let the process accept connections at the sockets that it has bound.
    pub fn accept_connections(&mut self) {
        self.network = Network::Accepts;
    }

    /// Keep the open `handle` and all below it accessible.
    pub fn handle(&mut self, handle: BorrowedFd<'a>, rights: Rights) {
        self.handles.push((handle, rights));
    }

    /// Keep the current file at `path` accessible, if it exists.
    pub fn path(&mut self, path: impl Into<PathBuf>, rights: Rights) {
        self.paths.push((path.into(), rights));
    }

    /// Keep the time zone files accessible, which the runner's own libraries
    /// read.
    pub fn time_zone(&mut self) {
        system::time_zone(self);
    }

    /// Keep the helper executable. It is static, so that neither a loader nor a library need be accessible.
    pub fn helper(&mut self) {
        if let Ok(helper) = program_files::path(HELPER) {
            self.path(helper, Rights::Execute);
        }
    }

    fn handles(&self) -> impl Iterator<Item = (BorrowedFd<'a>, Rights)> + '_ {
        self.handles.iter().copied()
    }

    fn paths(&self) -> impl Iterator<Item = (&Path, Rights)> {
        self.paths.iter().map(|(path, rights)| (path.as_path(), *rights))
    }
}

/// Whether a layer of the wall is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// It is up.
    Up,
    /// This kernel does not have it.
    Missing,
}

/// The layers of the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Raised {
    /// Access to files.
    pub landlock: Layer,
    /// System calls.
    pub seccomp: Layer,
}

impl Raised {
    /// A warning in one line if this kernel lacks a layer.
    pub fn warning(self) -> Option<String> {
        let (lacks, rest) = match (self.landlock, self.seccomp) {
            (Layer::Up, Layer::Up) => return None,
            (Layer::Missing, Layer::Up) => ("Landlock", "the WebAssembly sandbox and seccomp"),
            (Layer::Up, Layer::Missing) => ("seccomp", "the WebAssembly sandbox and Landlock"),
            (Layer::Missing, Layer::Missing) => {
                ("Landlock and no seccomp", "only the WebAssembly sandbox")
            }
        };
        let verb = if rest.starts_with("only") { "protects" } else { "protect" };
        Some(format!(
            "sqlite-wasm-run: this kernel has no {lacks}; {rest} {verb} this run; \
             `--no-second-wall` silences this"
        ))
    }
}

/// Restrict this process to `plan`, irrevocably.
///
/// # Errors
///
/// When another thread runs already, which would stay unrestricted, or the
/// kernel refuses a layer that it supports.
pub fn raise(plan: &Plan) -> Result<Raised> {
    ensure!(
        threads::is_single_thread(),
        "the second wall must go up before the first thread starts; \
         `--no-second-wall` runs without it"
    );
    // Seccomp comes last, since the other steps need system calls that it
    // refuses.
    prctl_no_new_privileges()?;
    // A core dump would contain the data of the process.
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("failed to limit core dumps")?;
    trap::install()?;
    let remedy = "the second wall cannot go up; `--no-second-wall` runs without it";
    let landlock = landlock::restrict(plan).context(remedy)?;
    let seccomp = seccomp::restrict(plan.network).context(remedy)?;
    Ok(Raised { landlock, seccomp })
}

fn prctl_no_new_privileges() -> Result<()> {
    nix::sys::prctl::set_no_new_privs().context("failed to set no_new_privs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_lacks_a_layer_is_named_in_one_line() {
        let warning = |landlock, seccomp| Raised { landlock, seccomp }.warning();
        assert_eq!(warning(Layer::Up, Layer::Up), None);
        let none = warning(Layer::Missing, Layer::Missing).unwrap();
        assert!(none.contains("no Landlock and no seccomp; only the WebAssembly sandbox protects"));
        let half = warning(Layer::Missing, Layer::Up).unwrap();
        assert!(half.contains("no Landlock; the WebAssembly sandbox and seccomp protect"));
        assert!(!half.contains('\n'));
    }

    #[test]
    fn a_process_with_several_threads_is_refused() {
        // The test harness has threads: nothing is restricted here.
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || stopped.recv());
        assert!(raise(&Plan::default()).unwrap_err().to_string().contains("first thread"));
        drop(stop);
        assert!(thread.join().unwrap().is_err());
    }
}
