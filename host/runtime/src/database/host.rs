//! The data in the store of an instance.

use wasmtime::component::ResourceTable;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wire::code;

use super::bindings::sqlite_wasm::database::callbacks::{Outcome, Request};
use super::callbacks::Answer;
use super::failure::{Failure, Reason};
use super::fiber::Exit;
use super::mailbox::{self, Mailbox};
use super::messages::{Input, Output};
use super::process::Process;
use crate::contract::types::SqlError;
use crate::extensions::ExtensionsCtx;
use crate::filesystem::files::FilesCtx;
use crate::imports::fused::FusedCtx;
use crate::limits::memory::MemoryLimit;
use crate::words::received;

/// The length of a reply that is not in the mailbox: more than any length.
const ELSEWHERE: u32 = u32::MAX;

/// The data in the store of a database.
pub struct Host {
    pub wasi: WasiCtx,
    pub table: ResourceTable,
    pub files: FilesCtx,
    pub process: Process,
    pub memory: MemoryLimit,
    pub extensions: ExtensionsCtx,
    pub fused: FusedCtx,
    /// Leaves the fiber for the program, while the component is called.
    pub exit: Option<Exit<Input, Output>>,
    /// The mailbox of events.
    pub events: Option<Mailbox>,
    /// The memory of the last reply, for the arguments of the next event.
    pub spare: Vec<u8>,
    /// The outcome of the last call of the program.
    pub outcome: Option<Outcome>,
    /// The component's output: the message of a panic.
    pub log: MemoryOutputPipe,
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl Host {
    /// Leave the stack for the program, and return with its reply.
    pub fn leave(&self, output: Output) -> wasmtime::Result<Answer> {
        match self.exit.as_ref().map(|exit| exit.leave(output)) {
            Some(Input::Answer(answer)) => Ok(answer),
            _ => Err(wasmtime::format_err!("the program has ended it")),
        }
    }

    /// The same for a call. Returns the length of the reply, if that is in the mailbox; otherwise the
    /// outcome is stored.
    pub fn call_program(&mut self, output: Output) -> wasmtime::Result<u32> {
        let outcome = match self.leave(output)? {
            Answer::Reply(reply) => match self.events.as_mut().and_then(|to| to.put(&reply)) {
                Some(count) => {
                    self.spare = reply;
                    self.spare.shrink_to(mailbox::BYTES);
                    return Ok(count);
                }
                None => Outcome::Returned(reply),
            },
            Answer::Request { connection, operations } => {
                Outcome::Pending(Request { connection, operations })
            }
            Answer::Interrupt(_) => {
                return Err(wasmtime::format_err!("the program did not answer"));
            }
        };
        self.outcome = Some(outcome);
        Ok(ELSEWHERE)
    }

    /// A failure of SQLite, with the reason if the host knows it.
    pub fn failure(&mut self, error: SqlError) -> Failure {
        let SqlError { code, message } = error;
        let was_refused = self.files.take_temporary_refused();
        let reason = match code::primary(code) {
            code::INTERRUPT => self.process.why_ended(),
            code::NOMEM if self.memory.was_reached() => Some(Reason::Memory),
            code::FULL if was_refused => Some(Reason::TemporaryFiles),
            _ => None,
        };
        let mut message = received::text(message);
        if let Some(path) = self.process.refused.take() {
            message = format!("{message}; `{path}` is outside the granted directories");
        }
        Failure { code, message, reason }
    }
}
