//! Restoring the terminal's settings, whatever ends the program while a line is
//! edited.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};

use nix::libc;
use nix::unistd::{getpgrp, tcgetpgrp};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::low_level;

/// The line editor's output at the end of editing: it turns off bracketed paste
/// and begins a new line.
const EDITING_ENDS: &[u8] = b"\x1b[?2004l\r\n";

/// The settings before a line was edited.
static BEFORE: OnceLock<Termios> = OnceLock::new();

/// Whether a line is being edited.
static IS_EDITING: AtomicBool = AtomicBool::new(false);

/// While this value lives, a line is edited, and the end of the program
/// restores the terminal.
pub(crate) struct Editing(());

impl Editing {
    /// Remember the terminal's settings, which the line editor changes next.
    pub fn begin() -> Self {
        static PREPARED: Once = Once::new();
        PREPARED.call_once(prepare);
        IS_EDITING.store(true, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Editing {
    fn drop(&mut self) {
        IS_EDITING.store(false, Ordering::Relaxed);
    }
}

fn prepare() {
    let Ok(settings) = tcgetattr(stdin()) else { return };
    let _ = BEFORE.set(settings);
    for signal in [SIGTERM, SIGHUP, SIGQUIT] {
        if !is_ignored(signal) {
            let end = move || {
                restore();
                let _ = low_level::emulate_default_handler(signal);
            };
            // SAFETY: `restore` and the emulation only load atomics and make
            // system calls that a signal handler may make.
            let _ = unsafe { low_level::register(signal, end) };
        }
    }
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        previous(panic);
    }));
}

/// Restore the terminal if a line is being edited. A signal handler may call
/// this.
pub fn restore() {
    let Some(before) = BEFORE.get() else { return };
    if !IS_EDITING.load(Ordering::Relaxed) || !is_in_foreground() {
        return;
    }
    if tcsetattr(stdin(), OptionalActions::Now, before).is_ok() && takes_output() {
        let _ = rustix::io::write(stdout(), EDITING_ENDS);
    }
}

/// In the background the settings belong to another program, and changing them
/// would stop this one.
fn is_in_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|foreground| foreground == getpgrp())
}

/// Whether a write would not block: the user may have stopped the output.
fn takes_output() -> bool {
    let mut output = libc::pollfd { fd: stdout().as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: `output` is one valid entry, which the call may write.
    unsafe { libc::poll(&mut output, 1, 0) == 1 && output.revents == libc::POLLOUT }
}

/// Whether the signal is ignored, as under `nohup`.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the structure is plain data, for which zeros are valid, and the
    // call only writes it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Let Ctrl-C set `flag`. If the flag is still set from before, Ctrl-C ends the
/// program with `code`.
///
/// # Errors
///
/// When the system refuses the handler.
pub fn catch_interrupts(flag: Arc<AtomicBool>, code: i32) -> std::io::Result<()> {
    let interrupt = move || {
        if flag.swap(true, Ordering::Relaxed) {
            restore();
            low_level::exit(code);
        }
    };
    // SAFETY: the closure uses atomics, `restore` and `exit`, all of which a
    // signal handler may use.
    unsafe { low_level::register(SIGINT, interrupt) }.map(drop)
}
