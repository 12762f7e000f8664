//! Limits of the helper, derived from the caller's own.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::libc::rlim_t;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::filesystem::page::page_size;

/// Memory of the helper when the user sets no limit, in bytes. Composing a CLI
/// with thirty extensions and compiling the result needs a third of it.
const DEFAULT_MEMORY_BYTES: usize = 2 << 30;

/// Largest accepted `.wasm`, in bytes. SQLite's shell has 2.6 million.
pub const MAX_WASM_BYTES: u64 = 1 << 30;

/// Processor time of the helper without `--timeout`: SQLite's shell needs 20
/// seconds on a slow machine.
pub const DEFAULT_TIME: Duration = Duration::from_secs(120);

/// How many times [`DEFAULT_TIME`] the helper may take in wall-clock time, so
/// that it succeeds on a busy machine.
pub const WALL_CLOCK_FACTOR: u32 = 5;

/// What this program may use on top of `--max-memory`, in bytes: its own code,
/// data and stacks, and the helper.
const OVERHEAD_BYTES: usize = 64 << 20;

/// Resident memory of the helper at its start, in bytes, nearly all of it the code of
/// the compiler.
const IMAGE_BYTES: usize = 18 << 20;

/// Smallest memory limit of the helper, in bytes. The compiler cannot start
/// with less.
const MIN_MEMORY_BYTES: usize = 20 << 20;

/// Assumed resident memory where `/proc` is missing, in bytes.
const USUAL_RESIDENT_BYTES: usize = 32 << 20;

/// Memory limit from which the compiler uses several threads, in bytes: each
/// thread has its own stack and working memory.
const PARALLEL_BYTES: usize = 512 << 20;

/// Estimated bytes of memory for each byte of `.wasm`. A file that needs more
/// than estimated fails at the memory limit.
const MEMORY_PER_WASM_BYTE: usize = 8;

/// Stack of the helper, in bytes: the usual size of a main thread's.
const STACK_BYTES: u64 = 8 << 20;

/// Address space of the helper on top of its memory, in bytes: the program and the
/// arenas that its allocator reserves.
const ADDRESS_BYTES: u64 = 1 << 30;

/// Limit on files that the helper has open: three streams, and `/proc` to count processors.
const MAX_OPEN_FILES: u64 = 16;

/// The resources that this program may use to compile a component.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// The value of `--max-memory`.
    memory_bytes: Option<usize>,
    /// The end of `--timeout`.
    pub(super) deadline: Option<Instant>,
}

/// The limits of one helper process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory, in bytes.
    pub data_bytes: usize,
    /// Largest result, in bytes, which is held in memory too.
    pub result_bytes: usize,
    /// Processor time.
    pub cpu_seconds: u64,
}

impl Budget {
    /// A budget with the memory limit and the deadline of the user, or with the
    /// defaults.
    pub fn new(memory_bytes: Option<usize>, deadline: Option<Instant>) -> Self {
        if memory_bytes.is_some() {
            sizes();
        }
        Self { memory_bytes, deadline }
    }

    /// Whether `--max-memory` limits it.
    pub fn has_memory_limit(&self) -> bool {
        self.memory_bytes.is_some()
    }

    /// The largest accepted `.wasm`, in bytes.
    pub fn max_wasm_bytes(&self) -> u64 {
        let justified = self.memory(0) / MEMORY_PER_WASM_BYTE;
        MAX_WASM_BYTES.min(justified as u64)
    }

    /// The limits for a request of this size.
    pub fn limits(&self, request_bytes: usize) -> Limits {
        let memory = self.memory(request_bytes);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = left.unwrap_or(DEFAULT_TIME).min(DEFAULT_TIME);
        // The compiler holds the code in memory while it writes it.
        let result_bytes = memory / 4;
        Limits {
            data_bytes: memory - result_bytes,
            result_bytes,
            // The kernel counts whole seconds; the parent enforces the exact
            // deadline.
            cpu_seconds: time.as_secs() + 1,
        }
    }

    /// The memory left for the helper after what this process uses now.
    fn memory(&self, request_bytes: usize) -> usize {
        let Some(limit) = self.memory_bytes else { return DEFAULT_MEMORY_BYTES };
        // The helper gets a copy of the request.
        let used = resident_bytes() + IMAGE_BYTES + request_bytes;
        let left = limit.saturating_add(OVERHEAD_BYTES).saturating_sub(used);
        left.clamp(MIN_MEMORY_BYTES, DEFAULT_MEMORY_BYTES)
    }
}

impl Limits {
    /// The same limits with results of at most `bytes`.
    pub fn for_result(self, bytes: usize) -> Self {
        Self { result_bytes: self.result_bytes.min(bytes), ..self }
    }

    /// Whether the memory suffices for several threads.
    pub fn is_parallel(&self) -> bool {
        self.data_bytes >= PARALLEL_BYTES
    }

    /// As words for the helper's command line.
    pub fn words(&self) -> [String; 3] {
        [self.data_bytes.to_string(), self.result_bytes.to_string(), self.cpu_seconds.to_string()]
    }

    /// Parse those words.
    pub fn parse(words: &[String]) -> Option<Self> {
        let [data, result, cpu] = words else { return None };
        Some(Self {
            data_bytes: data.parse().ok()?,
            result_bytes: result.parse().ok()?,
            cpu_seconds: cpu.parse().ok()?,
        })
    }

    /// Limit this process irrevocably.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn impose(&self) -> io::Result<()> {
        let data = self.data_bytes as u64;
        limit(Resource::RLIMIT_DATA, data)?;
        limit(Resource::RLIMIT_AS, data + ADDRESS_BYTES)?;
        limit(Resource::RLIMIT_FSIZE, self.result_bytes as u64)?;
        limit_time(self.cpu_seconds)?;
        limit(Resource::RLIMIT_STACK, STACK_BYTES)?;
        limit(Resource::RLIMIT_NOFILE, MAX_OPEN_FILES)?;
        limit(Resource::RLIMIT_CORE, 0)
    }
}

/// Set a limit, never higher than the current one.
fn limit(resource: Resource, wanted: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(resource)?;
    let value = soft.min(hard).min(wanted as rlim_t);
    Ok(setrlimit(resource, value, value)?)
}

/// Limit the time of processors. At the hard limit the kernel kills; below it SIGXCPU shows the
/// parent what has happened.
fn limit_time(seconds: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_CPU)?;
    let value = soft.min(hard).min(seconds as rlim_t);
    Ok(setrlimit(Resource::RLIMIT_CPU, value, hard.min(value + 1))?)
}

/// This process's memory sizes in pages. The file is opened early, since the
/// second wall may close `/proc` before something is compiled.
fn sizes() -> Option<&'static File> {
    static SIZES: OnceLock<Option<File>> = OnceLock::new();
    SIZES.get_or_init(|| File::open("/proc/self/statm").ok()).as_ref()
}

/// The resident memory of this process.
fn resident_bytes() -> usize {
    let pages = || -> Option<usize> {
        let mut text = [0; 128];
        let length = sizes()?.read_at(&mut text, 0).ok()?;
        str::from_utf8(&text[..length]).ok()?.split(' ').nth(1)?.parse().ok()
    };
    pages().map_or(USUAL_RESIDENT_BYTES, |pages| pages * page_size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_divided_and_never_exceeded() {
        let budget = Budget::new(Some(512 << 20), None);
        let limits = budget.limits(1 << 20);
        assert!(limits.data_bytes + limits.result_bytes + IMAGE_BYTES <= (512 + 64) << 20);
        assert_eq!(Budget::default().limits(0).cpu_seconds, DEFAULT_TIME.as_secs() + 1);
        let over = Budget::new(None, Some(Instant::now()));
        assert_eq!(over.limits(0).cpu_seconds, 1);
    }

    #[test]
    fn this_process_has_some_memory() {
        assert!((1 << 20..4 << 30).contains(&resident_bytes()));
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        let limits = Budget::default().limits(0);
        assert_eq!(Limits::parse(&limits.words()), Some(limits));
        assert_eq!(Limits::parse(&["1".into()]), None);
    }
}
