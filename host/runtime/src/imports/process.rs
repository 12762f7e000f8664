//! `sqlite-wasm:host/process`: interruption, the time limit, and the exit code.
//!
//! ```
//! use sqlite_wasm_runtime::limits::deadline::Deadline;
//! use sqlite_wasm_runtime::imports::process::{Interrupt, ProcessCtx};
//! use std::time::Duration;
//!
//! let ctrl_c = Interrupt::default();
//! let deadline = Deadline::after(Some(Duration::from_secs(5)));
//! let process = ProcessCtx::new(ctrl_c.clone()).deadline(deadline);
//! ctrl_c.raise();
//! ```

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use wasmtime::component::{HasData, Linker};

use crate::contract::bindings::sqlite_wasm::host::process::{self, CpuTimes, Host, Interruption};
use crate::filesystem::grants::Grants;
use crate::filesystem::refusals::Refusals;
use crate::filesystem::stdio::Output;
use crate::limits::deadline::Deadline;
use crate::limits::stop::DeadlineFlag;

/// Interval at which a sleep checks for interruption.
const WAIT_STEP: Duration = Duration::from_millis(50);

/// Largest start-up file, in bytes: it is held in memory twice.
const MAX_STARTUP_BYTES: u64 = 1 << 20;

/// A request to stop the running statement, such as Ctrl-C.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Stop the running statement, or the next one.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn take(&self) -> bool {
        // Nearly every call does only this load.
        self.is_raised() && self.0.swap(false, Ordering::Relaxed)
    }
}

/// The state of a component's process, and its limits.
pub struct ProcessCtx {
    interrupt: Interrupt,
    deadline: Deadline,
    deadline_flag: DeadlineFlag,
    home: Option<PathBuf>,
    arguments: Vec<OsString>,
    directory: Option<PathBuf>,
    startup_files: Vec<PathBuf>,
    refusals: Refusals,
    exit_code: Option<u8>,
}

impl ProcessCtx {
    /// A process without limits that `interrupt` can interrupt.
    pub fn new(interrupt: Interrupt) -> Self {
        Self {
            interrupt,
            deadline: Deadline::default(),
            deadline_flag: DeadlineFlag::default(),
            home: None,
            arguments: Vec::new(),
            directory: None,
            startup_files: Vec::new(),
            refusals: Refusals::default(),
            exit_code: None,
        }
    }

    /// Stop the program at `deadline`.
    pub fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = deadline;
        self
    }

    /// The path of the user's home directory, which is not granted by it.
    pub fn home(mut self, home: Option<PathBuf>) -> Self {
        self.home = home;
        self
    }

    /// The arguments of its command line, its name first, and the working
    /// directory.
    pub fn command_line(mut self, arguments: Vec<OsString>, directory: Option<PathBuf>) -> Self {
        self.arguments = arguments;
        self.directory = directory;
        self
    }

    /// Files that are readable by name, whatever their directory.
    pub fn startup_files(mut self, files: Vec<PathBuf>) -> Self {
        self.startup_files = files;
        self
    }

    /// Report refused paths on `output`.
    pub fn report_refusals_on(mut self, output: Output) -> Self {
        self.refusals = Refusals::on(output);
        self
    }

    /// The exit code that the program has set.
    pub fn exit_code(&self) -> Option<u8> {
        self.exit_code
    }

    /// Whether the program was notified of its deadline.
    pub fn timed_out(&self) -> bool {
        self.deadline_flag.is_set()
    }

    /// The flag for the deadline, for the program's streams and files.
    pub fn deadline_flag(&self) -> DeadlineFlag {
        self.deadline_flag.clone()
    }

    fn is_startup_file(&self, path: &Path) -> bool {
        self.startup_files.iter().any(|file| file == path)
    }

    /// Whether the path is accessible without a grant: start-up files, and
    /// SQLite's name for an in-memory database.
    fn is_given_by_name(&self, path: &Path) -> bool {
        self.is_startup_file(path) || path.file_name() == Some(":memory:".as_ref())
    }

    fn poll(&mut self) -> wasmtime::Result<Option<Interruption>> {
        if self.interrupt.take() {
            return Ok(Some(Interruption::User));
        }
        if !self.deadline.is_over() {
            return Ok(None);
        }
        // The first notification ends the statement by SQLite's rules; a
        // program that continues traps.
        self.deadline_flag.check()?;
        self.deadline_flag.set();
        Ok(Some(Interruption::Deadline))
    }

    fn sleep(&mut self, duration: Duration) -> wasmtime::Result<()> {
        let end = Instant::now() + duration;
        while !self.interrupt.is_raised() {
            if self.deadline.is_over() {
                // A program that waits for a lock is notified when it tries
                // again.
                self.deadline_flag.check()?;
                self.deadline_flag.set();
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(WAIT_STEP));
        }
        Ok(())
    }
}

/// [`ProcessCtx`], borrowed for a call.
pub struct ProcessView<'a> {
    /// The program's state.
    pub ctx: &'a mut ProcessCtx,
    /// The granted directories.
    pub grants: &'a Grants,
}

struct HasProcess;

impl HasData for HasProcess {
    type Data<'a> = ProcessView<'a>;
}

/// Add the interface to the linker.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> ProcessView<'_>,
) -> wasmtime::Result<()> {
    process::add_to_linker::<T, HasProcess>(linker, view)
}

impl Host for ProcessView<'_> {
    fn poll_interruption(&mut self) -> wasmtime::Result<Option<Interruption>> {
        self.ctx.poll()
    }

    fn sleep(&mut self, microseconds: u32) -> wasmtime::Result<()> {
        self.ctx.sleep(Duration::from_micros(microseconds.into()))
    }

    fn cpu_usage(&mut self) -> CpuTimes {
        cpu_usage()
    }

    fn local_offset(&mut self, unix_seconds: i64) -> Option<(i32, bool)> {
        local_offset(unix_seconds)
    }

    fn home_directory(&mut self) -> Option<Vec<u8>> {
        self.ctx.home.clone().map(|home| home.into_os_string().into_vec())
    }

    fn arguments(&mut self) -> Vec<Vec<u8>> {
        self.ctx.arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect()
    }

    fn working_directory(&mut self) -> Option<Vec<u8>> {
        self.ctx.directory.clone().map(|directory| directory.into_os_string().into_vec())
    }

    fn startup_file(&mut self, path: Vec<u8>) -> Option<Vec<u8>> {
        let path = Path::new(OsStr::from_bytes(&path));
        self.ctx.is_startup_file(path).then(|| read_startup_file(path))?
    }

    fn check_granted(&mut self, path: Vec<u8>) -> bool {
        let is_granted = self.grants.is_granted(&path);
        let path = Path::new(OsStr::from_bytes(&path));
        if !is_granted && !self.ctx.is_given_by_name(path) {
            self.ctx.refusals.report(path);
        }
        is_granted
    }

    fn set_exit_code(&mut self, code: u8) {
        self.ctx.exit_code = Some(code);
    }
}

/// The content of a regular file; none if it is too large or of another type.
fn read_startup_file(path: &Path) -> Option<Vec<u8>> {
    // Opening a pipe without a writer would block.
    let without_waiting = nix::libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(without_waiting).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut content = Vec::new();
    file.take(MAX_STARTUP_BYTES + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= MAX_STARTUP_BYTES).then_some(content)
}

/// Processor time of the calling thread.
pub(crate) fn cpu_usage() -> CpuTimes {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else {
        return CpuTimes { user: 0, system: 0 };
    };
    CpuTimes { user: microseconds(usage.user_time()), system: microseconds(usage.system_time()) }
}

/// Seconds to add to UTC in the system's time zone, and whether daylight saving is in force.
pub(crate) fn local_offset(unix_seconds: i64) -> Option<(i32, bool)> {
    let time = jiff::Timestamp::from_second(unix_seconds).ok()?;
    let zone = jiff::tz::TimeZone::system();
    let info = zone.to_offset_info(time);
    Some((info.offset().seconds(), info.dst().is_dst()))
}

fn microseconds(time: TimeVal) -> u64 {
    u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::stop::Stop;

    #[test]
    fn an_interrupt_is_reported_once() {
        let interrupt = Interrupt::default();
        let mut ctx = ProcessCtx::new(interrupt.clone());
        interrupt.raise();
        assert_eq!(ctx.poll().unwrap(), Some(Interruption::User));
        assert_eq!(ctx.poll().unwrap(), None);
    }

    #[test]
    fn a_program_that_ignores_the_deadline_is_ended() {
        let over = Deadline::after(Some(Duration::ZERO));
        let mut ctx = ProcessCtx::new(Interrupt::default()).deadline(over);
        assert_eq!(ctx.poll().unwrap(), Some(Interruption::Deadline));
        assert_eq!(ctx.poll().unwrap_err().downcast_ref(), Some(&Stop::Timeout));
        assert!(ctx.timed_out());
    }
}
