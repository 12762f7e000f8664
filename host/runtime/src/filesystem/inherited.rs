//! Inherited descriptors: which ones arguments name, and which ones are open.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use nix::libc;

/// The first descriptor after standard input, output and error.
const FIRST: u32 = 3;

/// The directories that name a process's own descriptors.
const DIRECTORIES: &[&[u8]] = &[b"/dev/fd/", b"/proc/self/fd/"];

/// The inherited descriptors that stay open. Every other descriptor is free, and this program may
/// later open it for itself.
static INHERITED: OnceLock<Vec<RawFd>> = OnceLock::new();

/// The descriptors that arguments name, such as a shell's `<(…)`.
pub fn named_by<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Vec<RawFd> {
    arguments.into_iter().flat_map(|argument| named(argument.as_ref().as_bytes())).collect()
}

/// An inherited descriptor that an argument names.
#[derive(Debug)]
pub struct Named {
    /// The descriptor as the argument writes it.
    pub number: u32,
    /// The same open file.
    pub file: OwnedFd,
}

/// Open those descriptors that arguments name once more, where [`close_inherited`] has found them open.
pub fn opened_by<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Vec<Named> {
    let inherited = INHERITED.get().map_or(&[][..], Vec::as_slice);
    let numbers = named_by(arguments).into_iter().filter(|number| inherited.contains(number));
    numbers
        .filter_map(|number| {
            Some(Named { number: number.try_into().ok()?, file: duplicate(number)? })
        })
        .collect()
}

fn duplicate(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: the caller of the program owns this descriptor, and nothing here closes it.
    let inherited = (number >= 0).then(|| unsafe { BorrowedFd::borrow_raw(number) })?;
    rustix::io::fcntl_dupfd_cloexec(inherited, FIRST as RawFd).ok()
}

/// Find the names anywhere in an argument, such as `.read /dev/fd/63`.
fn named(argument: &[u8]) -> Vec<RawFd> {
    let behind = |at| DIRECTORIES.iter().find_map(|name| argument[at..].strip_prefix(*name));
    (0..argument.len()).filter_map(behind).filter_map(leading_number).collect()
}

fn leading_number(text: &[u8]) -> Option<RawFd> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// Close every inherited descriptor above standard error except those in
/// `keep`, and note which of these are open. Must be called before the process opens descriptors
/// itself.
pub fn close_inherited(keep: &[RawFd]) {
    let inherited = keep.iter().copied().filter(|number| is_open(*number)).collect();
    // It is called once.
    let _ = INHERITED.set(inherited);
    let mut keep: Vec<u32> = keep.iter().filter_map(|fd| u32::try_from(*fd).ok()).collect();
    keep.sort_unstable();
    let mut first = FIRST;
    for kept in keep.into_iter().filter(|kept| *kept >= FIRST) {
        if kept > first {
            close_range(first, kept - 1);
        }
        first = kept + 1;
    }
    close_range(first, u32::MAX);
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: the call changes nothing, and only fails for a descriptor that is not open.
    number >= FIRST as RawFd && unsafe { libc::fcntl(number, libc::F_GETFD) } != -1
}

/// Kernels before 5.9 lack the call, and leave the descriptors open.
fn close_range(first: u32, last: u32) {
    // SAFETY: no value of this program owns a descriptor yet: it calls this
    // before it opens anything.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_found_in_arguments() {
        let arguments =
            ["my.db", "/dev/fd/63", "a '/proc/self/fd/7' /dev/fd/8", "/dev/fd/x", "/dev/null"];
        assert_eq!(named_by(arguments), [63, 7, 8]);
    }
}
