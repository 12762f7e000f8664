//! `sqlite-wasm:host/console`: output, and line editing for a user at a
//! terminal.
//!
//! ```no_run
//! use sqlite_wasm_runtime::runner::console::{ConsoleCtx, History};
//! use sqlite_wasm_runtime::filesystem::stdio::Stdio;
//!
//! let Stdio { output, error, .. } = Stdio::inherited();
//! let history = History::open("/home/me/.sqlite_history".as_ref());
//! let console = ConsoleCtx::new(output, error, history);
//! ```

mod editor;
mod history;

use wasmtime::StoreContextMut;
use wasmtime::component::{HasData, Linker, WasmList};
use wasmtime_wasi::p2::{StreamError, StreamResult};

use crate::contract::bindings::sqlite_wasm::host::console::{self, Edited, Host, OutputStream};
use crate::filesystem::stdio::Output;
use crate::words::received;
use editor::Editor;
pub use history::History;

/// The interface's name in a component.
const INTERFACE: &str = "sqlite-wasm:host/console@0.1.0";

/// The state of a component's terminal.
pub struct ConsoleCtx {
    output: Output,
    error: Output,
    history: Option<History>,
    /// The line that the user typed last, until the component adds it to the
    /// history.
    typed: Option<String>,
    /// Started with the first line, since scripts need no editor.
    editor: Option<Editor>,
}

impl ConsoleCtx {
    /// A console that writes to `output` and `error`, with or without a history
    /// file.
    pub fn new(output: Output, error: Output, history: Option<History>) -> Self {
        Self { output, error, history, typed: None, editor: None }
    }

    fn write(&self, to: OutputStream, data: &[u8]) -> wasmtime::Result<bool> {
        let stream = match to {
            OutputStream::Output => &self.output,
            OutputStream::Error => &self.error,
        };
        was_written(stream.put(data))
    }

    fn editor(&mut self) -> &mut Editor {
        self.editor.get_or_insert_with(Editor::start)
    }

    /// Remember the edited line as typed.
    fn edited(&mut self, edited: Edited) -> Edited {
        self.typed = match &edited {
            Edited::Line(line) => Some(line.clone()),
            _ => None,
        };
        edited
    }

    /// Add `line` to the history if the user typed it.
    fn remember(&mut self, line: &str) {
        if self.typed.as_deref() != Some(line) {
            return;
        }
        self.typed = None;
        self.editor().remember(line.to_owned());
        if let Some(history) = &mut self.history {
            history.add(line);
        }
    }
}

fn was_written(result: StreamResult<()>) -> wasmtime::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(StreamError::Trap(trap)) => Err(trap),
        Err(_) => Ok(false),
    }
}

/// [`ConsoleCtx`], borrowed for a call.
pub struct ConsoleView<'a> {
    /// The terminal.
    pub ctx: &'a mut ConsoleCtx,
}

struct HasConsole;

impl HasData for HasConsole {
    type Data<'a> = ConsoleView<'a>;
}

/// Add the interface to the linker.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> ConsoleView<'_>,
    ctx: fn(&T) -> &ConsoleCtx,
) -> wasmtime::Result<()> {
    console::add_to_linker::<T, HasConsole>(linker, view)?;
    // Written by hand: the bytes go from the component's memory to the system
    // call without a copy.
    linker.allow_shadowing(true);
    linker.instance(INTERFACE)?.func_wrap(
        "write",
        move |store: StoreContextMut<'_, T>, (to, data): (OutputStream, WasmList<u8>)| {
            Ok((ctx(store.data()).write(to, data.as_le_slice(&store))?,))
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

impl Host for ConsoleView<'_> {
    fn write(&mut self, to: OutputStream, data: Vec<u8>) -> wasmtime::Result<bool> {
        self.ctx.write(to, &data)
    }

    fn edit(&mut self, prompt: String) -> Edited {
        let edited = self.ctx.editor().edit(received::text(prompt));
        self.ctx.edited(edited)
    }

    fn offer(&mut self, candidates: Vec<String>) -> Edited {
        let edited = self.ctx.editor().offer(received::texts(candidates));
        self.ctx.edited(edited)
    }

    fn remember(&mut self, line: String) {
        self.ctx.remember(&received::text(line));
    }

    fn load_history(&mut self) {
        let lines = self.ctx.history.as_mut().map(History::take_lines).unwrap_or_default();
        if !lines.is_empty() {
            self.ctx.editor().load(lines);
        }
    }

    fn save_history(&mut self, _limit: u32) {
        if let Some(history) = &mut self.ctx.history {
            history.save();
        }
    }
}
