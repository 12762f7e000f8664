//! What happens when the process makes a system call that only an attack would
//! make: one line, and its end. The kernel has not made the call.

use anyhow::{Context, Result};
use nix::libc::{self, c_int, c_void, siginfo_t};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::exit_code::ExitCode;

const BEFORE: &[u8] = b"error: the second wall stopped this process: it made the system call ";
const BEHIND: &[u8] = b", which no component needs; report this if you trust what you ran\n";

/// Where the number lies in `siginfo_t` behind `si_code` and the address of the
/// call (`_sigsys` in asm-generic/siginfo.h), in bytes.
const NUMBER_OFFSET: usize = 24;

/// Install the handler for SIGSYS.
pub fn install() -> Result<()> {
    let handler = SigHandler::SigAction(on_refused_call);
    let action =
        SigAction::new(handler, SaFlags::SA_ONSTACK | SaFlags::SA_SIGINFO, SigSet::empty());
    // SAFETY: the handler only calls `tcsetattr`, `write` and `_exit`, which are
    // async-signal-safe, and touches no memory but its own stack, constants
    // and what the kernel hands it.
    unsafe { sigaction(Signal::SIGSYS, &action) }.context("failed to handle SIGSYS")?;
    Ok(())
}

extern "C" fn on_refused_call(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel hands a `siginfo_t`, whose field for SIGSYS lies there
    // on both 64-bit machines that the filter is for.
    let number = unsafe { info.cast::<u8>().add(NUMBER_OFFSET).cast::<c_int>().read_unaligned() };
    let mut digits = [0; 10];
    crate::terminal::restore();
    write(BEFORE);
    write(decimal(number.unsigned_abs(), &mut digits));
    write(BEHIND);
    // SAFETY: it does not return, and runs no code of this process.
    unsafe { libc::_exit(ExitCode::SecondWall as c_int) }
}

fn write(text: &[u8]) {
    // SAFETY: the text is readable as long as the call lasts. Nobody could be
    // told that it failed.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// The number in decimal, without memory of its own.
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
