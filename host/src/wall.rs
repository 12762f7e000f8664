//! The second wall: what the process gives up before a component runs.
//!
//! The first wall is WebAssembly. If native code of an attacker's choice ran in
//! this process all the same, the kernel still refuses what the run does not
//! need: files outside the grants ([`landlock`]), and system calls that reach
//! other processes, the network or the system ([`seccomp`]).
//!
//! ```no_run
//! use sqlite_wasm_run::wall::{self, Plan, Rights};
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
//! starts, for good. A thread that runs already is bound by neither, so the
//! wall goes up before the first one starts.

pub mod broken;
#[rustfmt::skip] // A table: one call a line would be five pages.
mod calls;
mod descriptors;
mod filter;
mod landlock;
mod loaded;
mod seccomp;
mod system;
mod trap;

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use crate::grants::Access;

pub use descriptors::{close_inherited, named_by};

/// What may be done with a file, or with all that lies below a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Read files, list directories.
    Read,
    /// Everything that SQLite and its shell do with files: no devices, sockets
    /// or pipes are made, and nothing is executed.
    Write,
    /// Read, write, create and remove plain files: what a database needs of the
    /// directory that its journals lie in.
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

/// What stays reachable behind the wall.
///
/// Rights add up: a directory inside a writable one is writable, whatever its
/// own rule says. What is excluded there is excluded by the first wall alone.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    handles: Vec<(BorrowedFd<'a>, Rights)>,
    paths: Vec<(PathBuf, Rights)>,
}

impl<'a> Plan<'a> {
    /// Keep what is open as `handle` reachable, and what lies below it.
    pub fn handle(&mut self, handle: BorrowedFd<'a>, rights: Rights) {
        self.handles.push((handle, rights));
    }

    /// Keep what is at `path` now reachable; nothing if it does not exist.
    pub fn path(&mut self, path: impl Into<PathBuf>, rights: Rights) {
        self.paths.push((path.into(), rights));
    }

    /// Keep reachable what the runner's own libraries read: the time zone.
    pub fn time_zone(&mut self) {
        system::time_zone(self);
    }

    /// Keep this program executable, with the loader and the libraries that it
    /// was started with: for its own helper process.
    pub fn helper(&mut self) {
        system::helper(self);
    }

    fn handles(&self) -> impl Iterator<Item = (BorrowedFd<'a>, Rights)> + '_ {
        self.handles.iter().copied()
    }

    fn paths(&self) -> impl Iterator<Item = (&Path, Rights)> {
        self.paths.iter().map(|(path, rights)| (path.as_path(), *rights))
    }
}

/// Whether a layer of the wall stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// It stands.
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
    /// One line for the user if this kernel lacks a layer.
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

/// Give up what `plan` does not name. There is no way back.
///
/// # Errors
///
/// When another thread runs already, which would stay outside, or the kernel
/// refuses a layer that it has.
pub fn raise(plan: &Plan) -> Result<Raised> {
    ensure!(
        descriptors::is_single_thread(),
        "the second wall must go up before the first thread starts; \
         `--no-second-wall` runs without it"
    );
    // Known from here on: it would be read from a file in `/proc`.
    rustix::param::page_size();
    // The order: seccomp comes last, as what puts up the rest needs system calls.
    prctl_no_new_privileges()?;
    // A core would hold what the process has read.
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("failed to limit core dumps")?;
    trap::install()?;
    let way_out = "the second wall cannot go up; `--no-second-wall` runs without it";
    let landlock = landlock::restrict(plan).context(way_out)?;
    let seccomp = seccomp::restrict().context(way_out)?;
    Ok(Raised { landlock, seccomp })
}

fn prctl_no_new_privileges() -> Result<()> {
    nix::sys::prctl::set_no_new_privs().context("failed to give up new privileges")
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
