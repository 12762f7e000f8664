//! The line editor, on its own thread.
//!
//! The component computes the candidates for completion, but cannot be called
//! while it waits for a line. The editor therefore pauses in the middle of a
//! line, `edit` returns to the component, and the component resumes the editor
//! with the candidates. Only a user at a terminal pays for the thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, EventHandler, RepeatCount};
use rustyline::{CompletionType, Config, Context, KeyEvent};
use rustyline::{Helper, Highlighter, Hinter, Validator};

use crate::contract::bindings::sqlite_wasm::host::console::Edited;
use crate::limits::threads;
use crate::wall::terminal::Editing;
use crate::words::complaint::complain;

/// Limit on candidates for one line. The component chooses how many it offers.
const MAX_CANDIDATES: usize = 1000;

/// Longest candidate, in bytes: more than a line of a terminal. The component
/// chooses it, and the editor copies it.
const MAX_CANDIDATE_BYTES: usize = 4096;

/// Longest prompt, in bytes: the shell's own has at most 128.
const MAX_PROMPT_BYTES: usize = 4096;

/// Largest history in memory, in lines: more than the shell's 2000 in the file.
const MAX_HISTORY_LINES: usize = 10_000;

enum Request {
    Edit(String),
    Remember(String),
    Load(Vec<String>),
}

/// The component's side of the editor's thread.
pub struct Editor {
    requests: Sender<Request>,
    candidates: Sender<Vec<String>>,
    edited: Receiver<Edited>,
    /// Whether the editor waits for candidates.
    is_completing: bool,
}

impl Editor {
    /// Start the thread.
    pub fn start() -> Self {
        let (requests, for_requests) = channel();
        let (candidates, for_candidates) = channel();
        let (to_edited, edited) = channel();
        let edit = move || {
            let helper = Completion { edited: to_edited.clone(), candidates: for_candidates };
            // Without a terminal requests get no reply, which reads as the end
            // of input.
            if let Ok(mut line_editor) = line_editor(helper) {
                for request in for_requests {
                    handle(&mut line_editor, request, &to_edited);
                }
            }
        };
        if let Err(error) = threads::start("editor", edit) {
            // Every request for a line now reads as the end of input.
            complain(format!("sqlite-wasm-run: failed to start the line editor: {error:#}"));
        }
        Self { requests, candidates, edited, is_completing: false }
    }

    /// Let the user edit a line.
    pub fn edit(&mut self, mut prompt: String) -> Edited {
        prompt.truncate(prompt.floor_char_boundary(MAX_PROMPT_BYTES));
        self.send(Request::Edit(prompt));
        self.wait()
    }

    /// Reply to a request for completion.
    pub fn offer(&mut self, mut candidates: Vec<String>) -> Edited {
        if !self.is_completing {
            return self.edit(String::new());
        }
        candidates.truncate(MAX_CANDIDATES);
        candidates.retain(|candidate| candidate.len() <= MAX_CANDIDATE_BYTES);
        // Free the room of the removed candidates.
        candidates.shrink_to_fit();
        // If the thread has ended, `wait` notices.
        let _ = self.candidates.send(candidates);
        self.wait()
    }

    /// Add a line to the history.
    pub fn remember(&self, line: String) {
        self.send(Request::Remember(line));
    }

    /// Add the lines of earlier sessions.
    pub fn load(&self, lines: Vec<String>) {
        self.send(Request::Load(lines));
    }

    fn send(&self, request: Request) {
        // If the thread has ended, `wait` notices.
        let _ = self.requests.send(request);
    }

    fn wait(&mut self) -> Edited {
        let edited = self.edited.recv().unwrap_or(Edited::End);
        self.is_completing = matches!(edited, Edited::Complete(_));
        edited
    }
}

type LineEditor = rustyline::Editor<Completion, MemHistory>;

fn line_editor(helper: Completion) -> rustyline::Result<LineEditor> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(MAX_HISTORY_LINES)?
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = LineEditor::with_history(config, history)?;
    editor.set_helper(Some(helper));
    Ok(editor)
}

/// The text before and after the cursor.
type Line = (String, String);

/// Remembers the line in which the user pressed Ctrl-C.
#[derive(Clone, Default)]
struct OnInterrupt(Arc<Mutex<Line>>);

impl OnInterrupt {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConditionalEventHandler for OnInterrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let (before, behind) = context.line().split_at(context.pos());
        *self.line() = (before.to_owned(), behind.to_owned());
        Some(Cmd::Interrupt)
    }
}

/// Edit a line. As in the native shell's editor, Ctrl-C loses nothing: the line
/// is shown again, and only a second Ctrl-C in it ends the program.
fn edit(editor: &mut LineEditor, prompt: &str) -> Edited {
    let on_interrupt = OnInterrupt::default();
    let handler = EventHandler::Conditional(Box::new(on_interrupt.clone()));
    editor.bind_sequence(KeyEvent::ctrl('c'), handler);
    let _editing = Editing::begin();
    let mut result = editor.readline(prompt);
    if matches!(result, Err(ReadlineError::Interrupted)) {
        let (before, behind) = std::mem::take(&mut *on_interrupt.line());
        result = editor.readline_with_initial(prompt, (&before, &behind));
    }
    match result {
        Ok(line) => Edited::Line(line),
        Err(ReadlineError::Interrupted) => Edited::Interrupted,
        Err(_) => Edited::End,
    }
}

fn handle(editor: &mut LineEditor, request: Request, edited: &Sender<Edited>) {
    match request {
        Request::Edit(prompt) => {
            let _ = edited.send(edit(editor, &prompt));
        }
        Request::Remember(line) => {
            let _ = editor.add_history_entry(line);
        }
        Request::Load(lines) => {
            for line in lines {
                let _ = editor.add_history_entry(line);
            }
        }
    }
}

/// Requests the completions of a line from the component.
#[derive(Helper, Highlighter, Hinter, Validator)]
struct Completion {
    edited: Sender<Edited>,
    candidates: Receiver<Vec<String>>,
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let line = &line[..cursor];
        let start = word_start(line);
        let _ = self.edited.send(Edited::Complete(line.to_owned()));
        let candidates = self.candidates.recv().unwrap_or_default();
        let words = candidates.iter().filter_map(|candidate| candidate.get(start..));
        Ok((start, words.map(|word| pair(word.trim_end())).collect()))
    }
}

fn pair(word: &str) -> Pair {
    Pair { display: word.to_owned(), replacement: word.to_owned() }
}

/// Where the word before the cursor begins, by the shell's own rule.
fn word_start(line: &str) -> usize {
    line.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_consist_of_letters_digits_and_underscores() {
        assert_eq!(word_start("select na"), 7);
        assert_eq!(word_start("sel"), 0);
        assert_eq!(word_start("é_1"), 2);
    }
}
