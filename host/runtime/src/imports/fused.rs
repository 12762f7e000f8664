//! The WASI interfaces of fused extensions, which grant nothing.
//!
//! `compose` renames their imports, so that they do not share the component's
//! own arguments, environment, directories and streams. Their output goes to a
//! bounded log, which is shown when one traps.

use wasmtime::component::{Linker, LinkerInstance, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::sync::cli::{
    terminal_input::TerminalInput, terminal_output::TerminalOutput,
};
use wasmtime_wasi::p2::bindings::sync::filesystem::types::Descriptor;
use wasmtime_wasi::p2::pipe::{ClosedInputStream, MemoryOutputPipe};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream};

/// The version of WASI; components for earlier versions link to it too.
const VERSION: &str = "0.2.12";

/// Size of the log, in bytes; further output is dropped. A panic's message has
/// a line or two.
const MAX_LOG_BYTES: usize = 64 << 10;

/// The state of the fused extensions of one component.
pub struct FusedCtx {
    log: MemoryOutputPipe,
}

impl Default for FusedCtx {
    fn default() -> Self {
        Self { log: MemoryOutputPipe::new(MAX_LOG_BYTES) }
    }
}

impl FusedCtx {
    /// The output so far.
    pub fn log(&self) -> Vec<u8> {
        self.log.contents().to_vec()
    }
}

/// [`FusedCtx`], borrowed for a call.
pub struct FusedView<'a> {
    /// The state.
    pub ctx: &'a FusedCtx,
    /// The table for streams.
    pub table: &'a mut ResourceTable,
}

/// Add the interfaces to the linker.
///
/// # Errors
///
/// When the linker has them already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> FusedView<'_>,
) -> wasmtime::Result<()> {
    let mut environment = interface(linker, "cli/environment")?;
    environment.func_wrap("get-environment", |_, ()| Ok((Vec::<(String, String)>::new(),)))?;
    environment.func_wrap("get-arguments", |_, ()| Ok((Vec::<String>::new(),)))?;
    environment.func_wrap("initial-cwd", |_, ()| Ok((None::<String>,)))?;
    interface(linker, "filesystem/preopens")?.func_wrap("get-directories", |_, ()| {
        Ok((Vec::<(Resource<Descriptor>, String)>::new(),))
    })?;
    interface(linker, "cli/exit")?.func_wrap("exit", |_, (_,): (Result<(), ()>,)| {
        Err::<(), _>(wasmtime::format_err!("an extension cannot end the program"))
    })?;
    add_streams(linker, view)?;
    add_terminals(linker)
}

fn add_streams<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> FusedView<'_>,
) -> wasmtime::Result<()> {
    interface(linker, "cli/stdin")?.func_wrap("get-stdin", move |mut store, ()| {
        let stream: DynInputStream = Box::new(ClosedInputStream);
        Ok((view(store.data_mut()).table.push(stream)?,))
    })?;
    for (name, function) in [("cli/stdout", "get-stdout"), ("cli/stderr", "get-stderr")] {
        interface(linker, name)?.func_wrap(function, move |mut store, ()| {
            let FusedView { ctx, table } = view(store.data_mut());
            let stream: DynOutputStream = Box::new(ctx.log.clone());
            Ok((table.push(stream)?,))
        })?;
    }
    Ok(())
}

fn add_terminals<T: 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    interface(linker, "cli/terminal-stdin")?
        .func_wrap("get-terminal-stdin", |_, ()| Ok((None::<Resource<TerminalInput>>,)))?;
    for (name, function) in [
        ("cli/terminal-stdout", "get-terminal-stdout"),
        ("cli/terminal-stderr", "get-terminal-stderr"),
    ] {
        interface(linker, name)?
            .func_wrap(function, |_, ()| Ok((None::<Resource<TerminalOutput>>,)))?;
    }
    Ok(())
}

/// The WASI interface `name`, by its name for fused extensions.
fn interface<'a, T>(
    linker: &'a mut Linker<T>,
    name: &str,
) -> wasmtime::Result<LinkerInstance<'a, T>> {
    linker.instance(&format!("extension-wasi:{name}@{VERSION}"))
}
