//! The end of a process that makes a system call which only an attack would
//! make: one message, and exit. The kernel has refused the call.

use anyhow::{Context, Result};
use nix::libc::{self, c_int, c_void, siginfo_t};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::wall::exit_code::ExitCode;

const BEFORE: &[u8] = b"error: the second wall stopped this process: it made the system call ";
const BEHIND: &[u8] = b", which no component needs; report this if you trust what you ran\n";

/// Offset of `si_syscall` in `siginfo_t`, in bytes, after `si_code` and the address of the call
/// (`_sigsys` in asm-generic/siginfo.h).
const NUMBER_OFFSET: usize = 24;

/// Install the handler for SIGSYS.
pub fn install() -> Result<()> {
    let handler = SigHandler::SigAction(on_refused_call);
    let action =
        SigAction::new(handler, SaFlags::SA_ONSTACK | SaFlags::SA_SIGINFO, SigSet::empty());
    // SAFETY: the handler only calls `tcsetattr`, `write` and `_exit`, which
    // are async-signal-safe, and touches no memory but its own stack, constants
    // and the kernel's `siginfo_t`.
    unsafe { sigaction(Signal::SIGSYS, &action) }.context("failed to handle SIGSYS")?;
    Ok(())
}

extern "C" fn on_refused_call(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes a `siginfo_t`, whose field for SIGSYS has this
    // offset on both architectures of the filter.
    let number = unsafe { info.cast::<u8>().add(NUMBER_OFFSET).cast::<c_int>().read_unaligned() };
    let mut digits = [0; 10];
    crate::wall::terminal::restore();
    write(BEFORE);
    write(decimal(number.unsigned_abs(), &mut digits));
    write(BEHIND);
    // SAFETY: it does not return, and runs no code of this process.
    unsafe { libc::_exit(ExitCode::SecondWall as c_int) }
}

fn write(text: &[u8]) {
    // SAFETY: `text` is readable during the call. A failure cannot be reported
    // anywhere.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Format in decimal, without allocation.
fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[start..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 41, 435, u32::MAX] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }
}
