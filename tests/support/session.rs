//! A shell that lives on while a test talks to it through its standard input.

use std::io::{BufRead, BufReader, PipeReader, Write, pipe};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use nix::libc;

use super::{End, POLL_INTERVAL, TIME_LIMIT};

/// Printed by a shell when it has done all that was sent before.
const DONE: &str = "-- done --";

/// Processor time after which a program is busy, in hundredths of a second.
const BUSY_TICKS: u64 = 10;

/// A running shell. Standard output and standard error go to one pipe, in the
/// order in which they are written. The shell is killed when this is dropped.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    command: String,
}

impl Session {
    /// Starts `program` in `directory`.
    pub fn start(program: &Path, args: &[&str], directory: &Path) -> Self {
        Self::of(super::command(program, args, directory))
    }

    /// Starts `command`.
    pub fn of(mut command: Command) -> Self {
        let (output, write_end) = pipe().expect("a pipe can be made");
        let second_end = write_end.try_clone().expect("a pipe can be shared");
        command.stdin(Stdio::piped()).stdout(write_end).stderr(second_end);
        let mut child = super::spawn(&mut command);
        let description = format!("{command:?}");
        // The pipe ends with the child only when nobody else can write to it.
        drop(command);
        Self { input: child.stdin.take(), child, lines: lines_of(output), command: description }
    }

    /// The id of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a script, and does not wait for what comes of it.
    pub fn send(&mut self, script: &str) {
        let input = self.input.as_mut().expect("the session has not finished");
        let sent = input.write_all(script.as_bytes());
        sent.unwrap_or_else(|error| panic!("{}: nobody reads its input: {error}", self.command));
    }

    /// Sends a script to a program that may end before it has read it all.
    pub fn try_send(&mut self, script: &str) {
        let input = self.input.as_mut().expect("the session has not finished");
        // A closed pipe is not an error here.
        let _ = input.write_all(script.as_bytes());
    }

    /// Sends whole statements, one line each or more, and waits until they are
    /// done; what was printed meanwhile.
    pub fn ask(&mut self, script: &str) -> String {
        self.send(&format!("{script}\n.print {DONE}\n"));
        self.wait_for(DONE)
    }

    /// What is printed until a line ends with `mark`, without that line.
    pub fn wait_for(&mut self, mark: &str) -> String {
        let mut printed = String::new();
        loop {
            let line = self.lines.recv_timeout(TIME_LIMIT).unwrap_or_else(|_| {
                panic!("{}: {mark:?} was not printed; before it came:\n{printed}", self.command)
            });
            if line.trim_end().ends_with(mark) {
                return printed;
            }
            printed += &line;
        }
    }

    /// Fails unless running `script` prints this, and no more.
    #[track_caller]
    pub fn answers(&mut self, script: &str, expected: &str) {
        let printed = self.ask(script);
        assert!(
            printed == expected,
            "{}\n{script}\n{expected:?} was expected, it printed:\n{printed}",
            self.command
        );
    }

    /// Fails unless running `script` prints this among other things.
    #[track_caller]
    pub fn answers_with(&mut self, script: &str, expected: &str) {
        let printed = self.ask(script);
        assert!(
            printed.contains(expected),
            "{}\n{script}\n{expected:?} was expected, it printed:\n{printed}",
            self.command
        );
    }

    /// Waits until it has computed for a while, so that whatever was sent last
    /// is certainly running.
    pub fn wait_until_busy(&self) {
        wait_until_busy(self.process(), &self.command);
    }

    /// What Ctrl-C does, to this process alone; it has been noticed when this
    /// returns.
    pub fn interrupt(&self) {
        signal(&self.child, libc::SIGINT);
        let deadline = Instant::now() + TIME_LIMIT;
        while has_pending_signals(self.process()) {
            assert!(Instant::now() < deadline, "{}: it takes no signal", self.command);
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Kills it as a crash of the machine would (SIGKILL).
    pub fn crash(mut self) {
        self.child.kill().expect("our own child can be killed");
        self.child.wait().expect("our own child can be waited for");
    }

    /// Ends its input; how it ended, and what it printed since the last answer.
    pub fn finish(mut self) -> (End, String) {
        drop(self.input.take());
        let end = super::wait(&mut self.child).expect("our own child can be waited for");
        (end, self.lines.iter().collect())
    }

    /// How it ended by itself, with its input still open, and what it printed.
    pub fn wait(mut self) -> (End, String) {
        let end = super::wait(&mut self.child).expect("our own child can be waited for");
        (end, self.lines.iter().collect())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most memory that a running process has had at once.
pub fn peak_memory_bytes(process: u32) -> u64 {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(path).expect("Linux tells of a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let size = line.and_then(|line| line.trim().strip_suffix(" kB"));
    size.and_then(|size| size.parse::<u64>().ok()).expect("its peak is a number of kB") << 10
}

/// Waits until a running process has computed for a while.
pub fn wait_until_busy(process: u32, command: &str) {
    let start = processor_ticks(process);
    let deadline = Instant::now() + TIME_LIMIT;
    while processor_ticks(process) < start + BUSY_TICKS {
        assert!(Instant::now() < deadline, "{command}: it computes nothing");
        thread::sleep(POLL_INTERVAL);
    }
}

/// Processor time, in user mode, of a running process.
fn processor_ticks(process: u32) -> u64 {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(path).expect("Linux tells of a running process");
    // After the program's name, which is in brackets, `utime` is field 12.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11);
    ticks.and_then(|ticks| ticks.parse().ok()).expect("it has a processor time")
}

/// Whether a signal waits for the process.
fn has_pending_signals(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.expect("Linux tells of a process that was not waited for");
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
    pending.expect("it has a set of signals").trim().contains(|digit| digit != '0')
}

/// Sends a signal to a child that has not been waited for.
pub fn signal(child: &Child, number: i32) {
    let process = i32::try_from(child.id()).expect("process numbers are small");
    // SAFETY: `kill` has no memory of ours to harm; the child is a process or a zombie until it is
    // waited for, so the id is its own.
    let result = unsafe { libc::kill(process, number) };
    assert_eq!(result, 0, "a signal can be sent to our own child");
}

fn lines_of(output: PipeReader) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}
