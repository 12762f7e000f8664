//! What the helper may use, by what its caller was granted.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::libc::rlim_t;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Memory of the helper when the user sets no limit, in bytes: composing a CLI
/// with thirty extensions and compiling the result needs a third of it.
const DEFAULT_MEMORY_BYTES: usize = 2 << 30;

/// Largest `.wasm`, in bytes, whatever the memory: SQLite's shell has 2.6
/// million.
pub const MAX_WASM_BYTES: u64 = 1 << 30;

/// Processor time of the helper without `--timeout`: SQLite's shell needs 20
/// seconds on a slow machine.
pub const DEFAULT_TIME: Duration = Duration::from_secs(120);

/// How much longer than [`DEFAULT_TIME`] it may take by the clock on the wall:
/// a machine that is busy must not fail it.
pub const PATIENCE: u32 = 5;

/// What this program may use on top of `--max-memory`, in bytes, whatever a
/// component does; its own code, data and stacks, and the helper.
const OVERHEAD_BYTES: usize = 64 << 20;

/// What the helper has resident before it begins, in bytes: the compiler's own
/// code and the C library's, most of which the two processes share.
const IMAGE_BYTES: usize = 18 << 20;

/// Memory with which the compiler cannot begin, in bytes; less is not tried.
const MIN_MEMORY_BYTES: usize = 20 << 20;

/// Resident memory that is assumed where `/proc` does not tell, in bytes.
const USUAL_RESIDENT_BYTES: usize = 32 << 20;

/// Memory from which on several functions are compiled at a time, in bytes:
/// each thread has stacks and working memory of its own.
const PARALLEL_BYTES: usize = 512 << 20;

/// Bytes of memory for one of `.wasm`: text, code and what lies between. A file
/// that needs more than this suggests meets the limit itself.
const MEMORY_PER_WASM_BYTE: usize = 8;

/// Stack of the helper, in bytes: what a main thread usually has.
const STACK_BYTES: u64 = 8 << 20;

/// Address space on top of its memory, in bytes: program, libraries and
/// reserved arenas.
const ADDRESS_BYTES: u64 = 1 << 30;

/// Files that the helper may have open: three streams, and `/proc` to count
/// processors.
const MAX_OPEN_FILES: u64 = 16;

/// What a component may make this program use until it is compiled.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// What `--max-memory` says.
    memory_bytes: Option<usize>,
    /// When `--timeout` is over.
    pub(super) deadline: Option<Instant>,
}

/// The helper's own limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory, in bytes.
    pub data_bytes: usize,
    /// What it may write, in bytes, as it is memory too.
    pub result_bytes: usize,
    /// Processor time.
    pub cpu_seconds: u64,
}

impl Budget {
    /// So much memory for all that the component makes this program use, and a
    /// time when it is to end; without them, constants.
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

    /// The largest `.wasm` that is taken, in bytes.
    pub fn max_wasm_bytes(&self) -> u64 {
        let justified = self.memory(0) / MEMORY_PER_WASM_BYTE;
        MAX_WASM_BYTES.min(justified as u64)
    }

    /// For a request of so many bytes.
    pub fn limits(&self, request_bytes: usize) -> Limits {
        let memory = self.memory(request_bytes);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = left.unwrap_or(DEFAULT_TIME).min(DEFAULT_TIME);
        // The code is written while the compiler has it too.
        let result_bytes = memory / 4;
        Limits {
            data_bytes: memory - result_bytes,
            result_bytes,
            // The kernel counts whole seconds; the caller looks at the clock.
            cpu_seconds: time.as_secs() + 1,
        }
    }

    /// What is left for the helper when this process has what it has now.
    fn memory(&self, request_bytes: usize) -> usize {
        let Some(limit) = self.memory_bytes else { return DEFAULT_MEMORY_BYTES };
        // A copy of the request is on its way.
        let used = resident_bytes() + IMAGE_BYTES + request_bytes;
        let left = limit.saturating_add(OVERHEAD_BYTES).saturating_sub(used);
        left.clamp(MIN_MEMORY_BYTES, DEFAULT_MEMORY_BYTES)
    }
}

impl Limits {
    /// With a result of so many bytes at most.
    pub fn for_result(self, bytes: usize) -> Self {
        Self { result_bytes: self.result_bytes.min(bytes), ..self }
    }

    /// Whether several threads have room.
    pub fn is_parallel(&self) -> bool {
        self.data_bytes >= PARALLEL_BYTES
    }

    /// As words for the helper's command line.
    pub fn words(&self) -> [String; 3] {
        [self.data_bytes.to_string(), self.result_bytes.to_string(), self.cpu_seconds.to_string()]
    }

    /// From those words.
    pub fn parse(words: &[String]) -> Option<Self> {
        let [data, result, cpu] = words else { return None };
        Some(Self {
            data_bytes: data.parse().ok()?,
            result_bytes: result.parse().ok()?,
            cpu_seconds: cpu.parse().ok()?,
        })
    }

    /// Limit this process, for good.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn impose(&self) -> io::Result<()> {
        let data = self.data_bytes as u64;
        limit(Resource::RLIMIT_DATA, data)?;
        limit(Resource::RLIMIT_AS, data + ADDRESS_BYTES)?;
        limit(Resource::RLIMIT_FSIZE, self.result_bytes as u64)?;
        limit(Resource::RLIMIT_CPU, self.cpu_seconds)?;
        limit(Resource::RLIMIT_STACK, STACK_BYTES)?;
        limit(Resource::RLIMIT_NOFILE, MAX_OPEN_FILES)?;
        limit(Resource::RLIMIT_CORE, 0)
    }
}

/// Never more than there was.
fn limit(resource: Resource, wanted: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(resource)?;
    let value = soft.min(hard).min(wanted as rlim_t);
    Ok(setrlimit(resource, value, value)?)
}

/// This process's sizes in pages. Opened while files can be: the second wall
/// may close `/proc` before something is compiled.
fn sizes() -> Option<&'static File> {
    static SIZES: OnceLock<Option<File>> = OnceLock::new();
    SIZES.get_or_init(|| File::open("/proc/self/statm").ok()).as_ref()
}

/// The memory that this process has now.
fn resident_bytes() -> usize {
    let pages = || -> Option<usize> {
        let mut text = [0; 128];
        let length = sizes()?.read_at(&mut text, 0).ok()?;
        str::from_utf8(&text[..length]).ok()?.split(' ').nth(1)?.parse().ok()
    };
    pages().map_or(USUAL_RESIDENT_BYTES, |pages| pages * rustix::param::page_size())
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
