//! A program at a pseudo-terminal, and a user who types.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc;
use rustix::io::{FdFlags, fcntl_setfd};

use super::End;
use super::session::wait_until_busy;

/// How long to wait for something to appear on the screen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Ctrl-C, Ctrl-D, Tab and the arrows, as a terminal sends them.
pub const CTRL_C: &str = "\x03";
/// See [`CTRL_C`].
pub const CTRL_D: &str = "\x04";
/// See [`CTRL_C`].
pub const TAB: &str = "\t";
/// See [`CTRL_C`].
pub const UP: &str = "\x1b[A";
/// See [`CTRL_C`].
pub const LEFT: &str = "\x1b[D";

/// A program that sees a terminal. It is killed when this is dropped.
pub struct Terminal {
    child: Child,
    keyboard: File,
    pieces: Receiver<Vec<u8>>,
    /// All that was shown and is not yet expected.
    screen: Vec<u8>,
    command: String,
}

impl Terminal {
    /// Starts `command` as the leader of a session at a new terminal.
    pub fn open(mut command: Command) -> Self {
        let (near, far) = pseudo_terminal();
        let far_too = || far.try_clone().expect("a terminal can be shared");
        command.stdin(far_too()).stdout(far_too()).stderr(far_too());
        command.env("TERM", "xterm");
        // SAFETY: `take_terminal` only makes system calls.
        unsafe { command.pre_exec(take_terminal) };
        let child = super::spawn(&mut command);
        let description = format!("{command:?}");
        // The screen ends when only the child has the far end.
        drop((command, far));
        let keyboard = near.try_clone().expect("a terminal can be shared");
        Self { child, keyboard, pieces: pieces_of(near), screen: Vec::new(), command: description }
    }

    /// Types this.
    pub fn types(&mut self, keys: &str) {
        let typed = self.keyboard.write_all(keys.as_bytes());
        typed.unwrap_or_else(|error| panic!("{}: cannot type: {error}", self.command));
    }

    /// Types this and Enter.
    pub fn enters(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
    }

    /// Waits until `text` is shown; what stood before it, without the
    /// terminal's control sequences.
    #[track_caller]
    pub fn shows(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let plain = plain(&self.screen);
            if let Some((before, after)) = plain.split_once(text) {
                let before = before.to_owned();
                self.screen = after.as_bytes().to_vec();
                return before;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.screen.extend(piece),
                Err(why) => panic!("{}", self.missing(text, why)),
            }
        }
    }

    /// Whether what is typed is shown, and comes in lines: as a terminal is
    /// when nobody edits a line.
    pub fn is_cooked(&self) -> bool {
        let settings = rustix::termios::tcgetattr(&self.keyboard).expect("it is a terminal");
        let cooked = rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON;
        settings.local_modes.contains(cooked)
    }

    /// Another handle of the keyboard's end, which stays open when the program
    /// has ended.
    pub fn other_end(&self) -> File {
        self.keyboard.try_clone().expect("a terminal can be shared")
    }

    /// Sends the signal `number`.
    pub fn signal(&self, number: i32) {
        super::session::signal(&self.child, number);
    }

    /// Waits until the program has computed for a while.
    pub fn waits_until_busy(&self) {
        wait_until_busy(self.child.id(), &self.command);
    }

    fn missing(&self, text: &str, why: RecvTimeoutError) -> String {
        let why = match why {
            RecvTimeoutError::Timeout => "in time",
            RecvTimeoutError::Disconnected => "before the program ended",
        };
        let shown = plain(&self.screen);
        format!("{}\n{text:?} was not shown {why}; shown was:\n{shown}", self.command)
    }

    /// Waits for the end of the program; how it ended, and what it still
    /// showed.
    pub fn ends(mut self) -> (End, String) {
        let end = super::wait(&mut self.child).expect("our own child can be waited for");
        let rest = self.pieces.iter().flatten();
        let shown: Vec<u8> = std::mem::take(&mut self.screen).into_iter().chain(rest).collect();
        (end, plain(&shown))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The two ends of a new pseudo-terminal: ours, and the program's.
fn pseudo_terminal() -> (File, OwnedFd) {
    let (mut near, mut far) = (-1, -1);
    // SAFETY: the two descriptors may be written, and the rest may be null.
    let result = unsafe { libc::openpty(&mut near, &mut far, null_mut(), null_mut(), null_mut()) };
    let error = std::io::Error::last_os_error();
    assert_eq!(result, 0, "this machine gives no pseudo-terminal: {error}");
    // SAFETY: both are open, and nobody else has them.
    let (near, far) = unsafe { (File::from_raw_fd(near), OwnedFd::from_raw_fd(far)) };
    // Programs of other tests must not keep them open.
    fcntl_setfd(&near, FdFlags::CLOEXEC).expect("it is open");
    fcntl_setfd(&far, FdFlags::CLOEXEC).expect("it is open");
    (near, far)
}

/// Makes the terminal on standard input the one that Ctrl-C comes from. As a login does, it ends
/// what `nohup` or a background job set, which the program would respect.
fn take_terminal() -> std::io::Result<()> {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: it installs no handler of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: system calls without memory.
    let taken = unsafe {
        libc::setsid() != -1 && libc::ioctl(std::io::stdin().as_raw_fd(), libc::TIOCSCTTY, 0) == 0
    };
    if taken { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

fn pieces_of(mut near: File) -> Receiver<Vec<u8>> {
    let (sender, pieces) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // The far end's last close is an error (EIO) here, not an end.
        while let Ok(count @ 1..) = near.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    pieces
}

/// What is shown, without control sequences (`ESC [ … letter`) and carriage
/// returns.
fn plain(shown: &[u8]) -> String {
    let text = String::from_utf8_lossy(shown);
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' if letters.as_str().starts_with('[') => {
                let _ = letters.by_ref().skip(1).find(|c| ('@'..='~').contains(c));
            }
            '\r' => {}
            _ => plain.push(letter),
        }
    }
    plain
}
