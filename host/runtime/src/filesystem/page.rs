//! The size of a page of memory.

use nix::unistd::{SysconfVar, sysconf};

/// The usual one, where the system does not say.
const USUAL_BYTES: usize = 4096;

/// The size of a page in bytes. libc knows it from the start of the process; `rustix` would ask the
/// kernel, also where valgrind has its own answer, and would read a file that the second wall refuses.
pub(crate) fn page_size() -> usize {
    let known = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    known.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(USUAL_BYTES)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_size_is_that_of_the_kernel() {
        // In kilobytes, of the first mapping.
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let line = maps.lines().find_map(|line| line.strip_prefix("KernelPageSize:")).unwrap();
        let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
        assert_eq!(super::page_size(), kilobytes << 10);
    }
}
