//! The imports of a database.

use std::env;
use std::ffi::OsStr;
use std::mem;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};

use super::bindings::sqlite_wasm::database::callbacks::{self, Outcome, OutcomeSize};
use super::callbacks::Answer;
use super::host::Host;
use super::messages::Output;
use super::streams;
use crate::artifact::component::Program;
use crate::contract::bindings::sqlite_wasm::host::process::{self, CpuTimes, Interruption};
use crate::contract::types::SqlError;
use crate::extensions::{self, ExtensionsView};
use crate::filesystem::files;
use crate::imports::clock::Waiting;
use crate::imports::data::Data;
use crate::imports::fused::{self, FusedView};
use crate::imports::process::{cpu_usage, local_offset};
use crate::imports::wasi;
use crate::words::escape::escaped;

/// Longest refused path that is stored for a message, in bytes: Linux's longest path. The component
/// chooses the path.
const MAX_REFUSED_BYTES: usize = 4096;

/// The imports that the component may use.
pub fn linker(program: &Program) -> wasmtime::Result<Linker<Data>> {
    let mut linker = Linker::new(&program.engine);
    wasi::add_to_linker(&mut linker, &program.component, Waiting::Refused)?;
    streams::add_to_linker(&mut linker)?;
    files::add_to_linker(
        &mut linker,
        |data: &mut Data| &mut data.of_mut::<Host>().files,
        |data| &data.of::<Host>().files,
    )?;
    extensions::add_to_linker(&mut linker, |data: &mut Data| {
        let Host { extensions, files, .. } = data.of_mut::<Host>();
        ExtensionsView { ctx: extensions, grants: files.grants() }
    })?;
    process::add_to_linker::<Data, HasSelf<Host>>(&mut linker, Data::of_mut::<Host>)?;
    callbacks::add_to_linker::<Data, HasSelf<Host>>(&mut linker, Data::of_mut::<Host>)?;
    if program.composition.is_some() {
        fused::add_to_linker(&mut linker, |data: &mut Data| {
            let Host { fused, table, .. } = data.of_mut::<Host>();
            FusedView { ctx: fused, table }
        })?;
    }
    Ok(linker)
}

impl callbacks::Host for Host {
    fn call(&mut self, callback: u32, arguments: Vec<u8>) -> wasmtime::Result<u32> {
        self.call_program(Output::Event { callback, arguments })
    }

    fn call_in_mailbox(&mut self, callback: u32, count: u32) -> wasmtime::Result<u32> {
        let mut arguments = mem::take(&mut self.spare);
        arguments.clear();
        if !self.events.as_ref().is_some_and(|events| events.take(count, &mut arguments)) {
            return Err(wasmtime::format_err!("its arguments are not in the mailbox"));
        }
        self.call_program(Output::Event { callback, arguments })
    }

    fn measure_outcome(&mut self) -> wasmtime::Result<OutcomeSize> {
        let (bytes, is_pending) = match &self.outcome {
            None => return Err(wasmtime::format_err!("no outcome is pending")),
            Some(Outcome::Returned(bytes)) => (bytes.len(), false),
            Some(Outcome::Pending(request)) => (request.operations.len(), true),
        };
        Ok(OutcomeSize { bytes: u32::try_from(bytes).unwrap_or(u32::MAX), is_pending })
    }

    fn last_outcome(&mut self) -> wasmtime::Result<Outcome> {
        self.outcome.take().ok_or_else(|| wasmtime::format_err!("no outcome is pending"))
    }

    fn resume(&mut self, reply: Result<Vec<u8>, SqlError>) -> wasmtime::Result<u32> {
        let reply = reply.map_err(|error| self.failure(error));
        self.call_program(Output::Reply(reply))
    }
}

impl process::Host for Host {
    fn poll_interruption(&mut self) -> wasmtime::Result<Option<Interruption>> {
        if let Answer::Interrupt(true) = self.leave(Output::Progress)? {
            self.process.interrupter.interrupt();
        }
        self.process.poll()
    }

    fn sleep(&mut self, microseconds: u32) -> wasmtime::Result<()> {
        self.process.sleep(Duration::from_micros(microseconds.into()));
        Ok(())
    }

    fn cpu_usage(&mut self) -> CpuTimes {
        cpu_usage()
    }

    fn local_offset(&mut self, unix_seconds: i64) -> Option<(i32, bool)> {
        local_offset(unix_seconds)
    }

    fn home_directory(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn startup_file(&mut self, _: Vec<u8>) -> Option<Vec<u8>> {
        None
    }

    fn check_granted(&mut self, path: Vec<u8>) -> bool {
        let is_granted = self.files.grants().is_granted(&path);
        if !is_granted {
            let path = Path::new(OsStr::from_bytes(&path[..path.len().min(MAX_REFUSED_BYTES)]));
            let path = escaped(path).to_string();
            match self.process.on_refused {
                Some(report) => report(&path),
                None => self.process.refused = Some(path),
            }
        }
        is_granted
    }

    fn arguments(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn working_directory(&mut self) -> Option<Vec<u8>> {
        // The program may have changed it since the last call.
        env::current_dir().ok().map(|path| path.into_os_string().into_vec())
    }

    fn set_exit_code(&mut self, _: u8) {}
}
