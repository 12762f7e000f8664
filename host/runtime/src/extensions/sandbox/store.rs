//! An extension's code with its imports, and the stores in which it is instantiated, with their
//! limits.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, ensure};
use wasmtime::component::{Component, HasSelf, InstancePre, Linker, ResourceTable};
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::exports::suspendable::sqlite_wasm::extension::sql_work;
use super::trap::Shared;
use super::usage::{Usage, WatchedMemory};
use crate::contract::script::{ENGINE_EXPORT, Script};
use crate::contract::types::Manifest;
use crate::contract::{check, version};
use crate::extensions::Limits;
use crate::extensions::grants::Granted;
use crate::extensions::sandbox::sql::{self, Channel};
use crate::filesystem::grants::{Grant, Grants};
use crate::filesystem::masks::Masks;
use crate::filesystem::wasi_files::{self, Kinds, WasiFiles};
use crate::imports::clock::Waiting;
use crate::imports::data::Data;
use crate::imports::wasi::{self, MAX_RANDOM_BYTES, resource_table};
use crate::installation::user_directories::Homes;
use crate::limits::call_clock::{self, LOOK};
use crate::limits::memory::MemoryLimit;
use crate::limits::statement::{self, MustEnd};

/// The data in the store of an extension.
pub struct Sandbox {
    table: ResourceTable,
    pub channel: Channel,
    wasi: WasiCtx,
    files: WasiFiles,
    memory: WatchedMemory,
    /// The tick of the clock at which the call must have ended.
    call_end: u64,
}

impl WasiView for Sandbox {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// How an instance is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// A call is done when it returns, and cannot use SQL.
    Direct,
    /// A call can be suspended to wait for SQL.
    Suspendable,
}

/// An extension's code with its imports.
pub struct Code {
    pub pre: InstancePre<Data>,
    pub calls: Calls,
    /// What it runs, if it is an engine.
    pub script: Option<Arc<Script>>,
    exports: Vec<String>,
}

impl Code {
    /// Link the code of `component`.
    ///
    /// # Errors
    ///
    /// When it is not an extension for this version of the contract, or has an import that no
    /// extension can have.
    pub fn new(component: &Component, script: Option<Arc<Script>>) -> anyhow::Result<Self> {
        let exports = version::exports(component);
        version::check(&exports)?;
        // The clock's thread starts with the first extension, behind the second wall.
        call_clock::start(component.engine())?;
        let calls = if is_engine(&exports) { Calls::Direct } else { calls(component) };
        Self::linked(component, script, exports, calls)
    }

    /// The code for an extension with this manifest. An engine imports SQL for those of its scripts
    /// that need it; the calls of the others are direct, which is faster.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn for_manifest(self, component: &Component, manifest: &Manifest) -> anyhow::Result<Self> {
        if is_engine(&self.exports) && check::needs_sql(manifest) {
            Self::linked(component, self.script, self.exports, Calls::Suspendable)
        } else {
            Ok(self)
        }
    }

    fn linked(
        component: &Component,
        script: Option<Arc<Script>>,
        exports: Vec<String>,
        calls: Calls,
    ) -> anyhow::Result<Self> {
        let pre = linker(component, calls)?
            .instantiate_pre(component)
            .map_err(|error| anyhow!(error).context("it asks for what no extension can have"))?;
        Ok(Self { pre, calls, script, exports })
    }

    /// Compare `manifest` with the imports and exports.
    ///
    /// # Errors
    ///
    /// When it has functions without their export, or does not name what the code imports.
    pub fn check_use(&self, manifest: &Manifest) -> anyhow::Result<()> {
        check::exports(manifest, &self.exports)?;
        ensure!(
            check::needs_sql(manifest) || self.calls == Calls::Direct,
            "it imports `sql-work` and does not say in its manifest that it needs SQL"
        );
        Ok(())
    }

    /// A store for one instance.
    ///
    /// # Errors
    ///
    /// When a granted directory is missing.
    pub fn store(
        &self,
        limits: &Limits,
        granted: &Granted,
        masks: &Masks,
        shared: &Shared,
        usage: &Usage,
    ) -> anyhow::Result<Store<Data>> {
        let memory = MemoryLimit::new(limits.memory_bytes).reporting_to(&shared.memory_reached);
        let sandbox = Sandbox {
            table: resource_table(),
            channel: shared.channel.clone(),
            wasi: wasi_ctx(granted, &shared.log),
            files: files(granted, masks)?,
            memory: usage.watched(memory),
            call_end: 0,
        };
        let mut store = Store::new(self.pre.engine(), Data::new(sandbox));
        store.limiter(|data| &mut data.of_mut::<Sandbox>().memory);
        // Limits the data that one call returns: wasmtime counts each byte that the host lifts from
        // the component's memory.
        store.set_hostcall_fuel(limits.value_bytes);
        limit_calls(&mut store);
        limit_call(&mut store, limits.call_time);
        Ok(store)
    }
}

/// Whether a component with these exports runs scripts.
fn is_engine(exports: &[String]) -> bool {
    exports.iter().any(|name| name.starts_with(ENGINE_EXPORT))
}

fn calls(component: &Component) -> Calls {
    let ty = component.component_type();
    let mut imports = ty.imports(component.engine());
    if imports.any(|(name, _)| name.starts_with(version::SQL_IMPORT)) {
        Calls::Suspendable
    } else {
        Calls::Direct
    }
}

/// The imports that an extension may have.
fn linker(component: &Component, calls: Calls) -> wasmtime::Result<Linker<Data>> {
    let mut linker = Linker::new(component.engine());
    wasi::add_to_linker(&mut linker, component, Waiting::Refused)?;
    wasi_files::add_to_linker(&mut linker, |data: &mut Data| &mut data.of_mut::<Sandbox>().files)?;
    match calls {
        Calls::Suspendable => {
            sql_work::add_to_linker::<Data, HasSelf<Sandbox>>(&mut linker, Data::of_mut::<Sandbox>)?
        }
        Calls::Direct => sql::refuse(&mut linker)?,
    }
    Ok(linker)
}

/// The granted directories, with the rules of the program's grants.
fn files(granted: &Granted, masks: &Masks) -> anyhow::Result<WasiFiles> {
    let mut grants = Grants::default();
    let mut directories: Vec<_> = granted.directories.iter().collect();
    // As for SQL, the strongest of several grants applies.
    directories.sort_by_key(|directory| std::cmp::Reverse(directory.access));
    for directory in &directories {
        grants.add(Grant::open(&directory.host, &directory.host, directory.access)?);
    }
    if !directories.is_empty() && directories.iter().all(|directory| directory.hides_dotfiles) {
        Homes::of_user().iter().for_each(|home| grants.hide_dotfiles(home));
    }
    masks.apply(&mut grants);
    let files = WasiFiles::new(Arc::new(grants), Kinds::Regular);
    Ok(directories.iter().fold(files, |files, directory| match directory.host.to_str() {
        Some(whole) => directory.names().fold(files, |files, name| files.with_name(whole, name)),
        None => files,
    }))
}

fn wasi_ctx(granted: &Granted, log: &MemoryOutputPipe) -> WasiCtx {
    let mut wasi = WasiCtxBuilder::new();
    wasi.stdout(log.clone()).stderr(log.clone());
    wasi.max_random_size(MAX_RANDOM_BYTES).allow_blocking_current_thread(true);
    for (name, value) in &granted.environment {
        wasi.env(name, value);
    }
    wasi.build()
}

/// Limit the next call to `time`. A long one looks now and then at whether its statement must end.
#[inline]
pub fn limit_call(store: &mut Store<Data>, time: Duration) {
    let ticks = call_clock::ticks(time);
    store.set_epoch_deadline(ticks.min(LOOK));
    store.data_mut().of_mut::<Sandbox>().call_end = call_clock::ticked().saturating_add(ticks);
}

/// End a call whose time is over, without the time for which the instance waits for SQL, or whose
/// statement must end.
fn limit_calls(store: &mut Store<Data>) {
    store.epoch_deadline_callback(|mut store| {
        let sandbox = store.data_mut().of_mut::<Sandbox>();
        let waited = sandbox.channel.take_waited();
        sandbox.call_end = sandbox.call_end.saturating_add(waited);
        if statement::must_end() {
            return Err(MustEnd.into());
        }
        match sandbox.call_end.saturating_sub(call_clock::ticked()) {
            0 => Err(Trap::Interrupt.into()),
            left => Ok(UpdateDeadline::Continue(left.min(LOOK))),
        }
    });
}
