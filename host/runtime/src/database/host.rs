//! What the store of an instance contains, and the imports that it gives.

use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::bindings::sqlite_wasm::database::callbacks;
use super::callbacks::Callbacks;
use super::process::{Process, View};
use super::streams;
use crate::bindings::sqlite_wasm::host::process;
use crate::clock::Waiting;
use crate::component::Program;
use crate::extensions::{self, ExtensionsCtx, ExtensionsView};
use crate::files::{self, FilesCtx};
use crate::fused::{self, FusedCtx, FusedView};
use crate::memory::MemoryLimit;
use crate::wasi;

/// What a store contains.
pub struct Host {
    pub wasi: WasiCtx,
    pub table: ResourceTable,
    pub files: FilesCtx,
    pub process: Process,
    pub memory: MemoryLimit,
    pub extensions: ExtensionsCtx,
    pub fused: FusedCtx,
    pub callbacks: Callbacks,
    /// What the component printed: the message of a panic.
    pub log: MemoryOutputPipe,
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

struct HasProcess;

impl HasData for HasProcess {
    type Data<'a> = View<'a>;
}

struct HasCallbacks;

impl HasData for HasCallbacks {
    type Data<'a> = &'a mut Callbacks;
}

/// All that the component may import.
pub fn linker(program: &Program) -> wasmtime::Result<Linker<Host>> {
    let mut linker = Linker::new(&program.engine);
    wasi::add_to_linker(&mut linker, &program.component, Waiting::Refused)?;
    streams::add_to_linker(&mut linker)?;
    files::add_to_linker(&mut linker, |host: &mut Host| &mut host.files, |host| &host.files)?;
    extensions::add_to_linker(&mut linker, |host: &mut Host| ExtensionsView {
        ctx: &mut host.extensions,
        grants: host.files.grants(),
    })?;
    process::add_to_linker::<Host, HasProcess>(&mut linker, |host| View {
        process: &mut host.process,
        grants: host.files.grants(),
    })?;
    callbacks::add_to_linker::<Host, HasCallbacks>(&mut linker, |host| &mut host.callbacks)?;
    if program.composition.is_some() {
        fused::add_to_linker(&mut linker, |host: &mut Host| FusedView {
            ctx: &host.fused,
            table: &mut host.table,
        })?;
    }
    Ok(linker)
}
