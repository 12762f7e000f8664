//! Editing lines, done by the host.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::io::{IsTerminal, stdin};

use engine::host::console::{self, Edited};

/// Exit code of a shell that Ctrl-C has ended.
const INTERRUPTED: c_int = 1;

/// Computes the whole lines that a line can become.
type Completion = Box<dyn Fn(String) -> Vec<String>>;

thread_local! {
    static COMPLETION: RefCell<Option<Completion>> = const { RefCell::new(None) };
    /// Lines that stay in the history file; the shell sets 2000.
    static HISTORY_LIMIT: Cell<u32> = const { Cell::new(2000) };
}

/// What came of editing a line.
pub enum Line {
    /// The line.
    Finished(String),
    /// The input ends.
    End,
    /// The user ends the program, with this exit code.
    Interrupted(c_int),
}

/// Whether there is a user to edit lines.
pub fn is_terminal() -> bool {
    stdin().is_terminal()
}

/// Let the user edit a line.
pub fn edit(prompt: &str) -> Line {
    let mut edited = console::edit(prompt);
    loop {
        match edited {
            Edited::Complete(line) => edited = console::offer(&candidates(line)),
            Edited::Line(line) => return Line::Finished(line),
            Edited::Interrupted => return Line::Interrupted(INTERRUPTED),
            Edited::End => return Line::End,
        }
    }
}

fn candidates(line: String) -> Vec<String> {
    COMPLETION
        .with_borrow(|completion| completion.as_ref().map(|complete| complete(line)))
        .unwrap_or_default()
}

/// Let `completion` compute candidates.
pub fn set_completion(completion: Completion) {
    COMPLETION.set(Some(completion));
}

/// Keep at most `lines` lines of history.
pub fn limit_history(lines: u32) {
    HISTORY_LIMIT.set(lines);
}

/// Append the new lines to the history file.
pub fn save_history() {
    console::save_history(HISTORY_LIMIT.get());
}
