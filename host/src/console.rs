//! `sqlite-wasm:host/console`: line editing for a person at a terminal.
//!
//! ```
//! use sqlite_wasm_run::console::ConsoleCtx;
//!
//! let console = ConsoleCtx::new(Some("/home/me/.sqlite_history".into()));
//! ```

mod editor;

use std::path::PathBuf;

use wasmtime::component::{HasData, Linker};

use crate::bindings::sqlite_wasm::host::console::{self, Edited, Host};
use editor::Editor;

/// What a component may do with the terminal.
pub struct ConsoleCtx {
    history: Option<PathBuf>,
    /// Started by the first line: a script needs none.
    editor: Option<Editor>,
    /// The line before was given up; twice in a row is the end.
    gave_up: bool,
}

impl ConsoleCtx {
    /// With the history in that file, or none that is kept.
    pub fn new(history: Option<PathBuf>) -> Self {
        Self { history, editor: None, gave_up: false }
    }

    fn editor(&mut self) -> &mut Editor {
        self.editor.get_or_insert_with(Editor::start)
    }

    fn told(&mut self, edited: Edited) -> Edited {
        let gave_up = matches!(edited, Edited::Interrupted);
        if gave_up && self.gave_up {
            return Edited::End;
        }
        self.gave_up = gave_up;
        edited
    }
}

/// [`ConsoleCtx`] on its way into a call.
pub struct ConsoleView<'a> {
    /// The terminal.
    pub ctx: &'a mut ConsoleCtx,
}

struct HasConsole;

impl HasData for HasConsole {
    type Data<'a> = ConsoleView<'a>;
}

/// Offer the interface to components.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> ConsoleView<'_>,
) -> wasmtime::Result<()> {
    console::add_to_linker::<T, HasConsole>(linker, view)
}

impl Host for ConsoleView<'_> {
    fn edit(&mut self, prompt: String) -> Edited {
        let edited = self.ctx.editor().edit(prompt);
        self.ctx.told(edited)
    }

    fn offer(&mut self, candidates: Vec<String>) -> Edited {
        let edited = self.ctx.editor().offer(candidates);
        self.ctx.told(edited)
    }

    fn remember(&mut self, line: String) {
        self.ctx.editor().remember(line);
    }

    fn load_history(&mut self) {
        if let Some(path) = self.ctx.history.clone() {
            self.ctx.editor().load_history(path);
        }
    }

    fn save_history(&mut self, limit: u32) {
        if let Some(path) = self.ctx.history.clone() {
            self.ctx.editor().save_history(path, limit as usize);
        }
    }
}
