//! A loaded component, from which instances are made.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::{Context, Result};
use wasmtime::Store;
use wasmtime::component::InstancePre;
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use super::exports::Exports;
use super::host::Host;
use super::imports::linker;
use super::instance::Instance;
use super::live::MAX_REPLY_BYTES;
use super::process::{OnRefused, Process};
use super::time;
use crate::artifact::component::Program;
use crate::extensions::ExtensionsCtx;
use crate::filesystem::files::FilesCtx;
use crate::filesystem::grants::Grants;
use crate::filesystem::masks::Masks;
use crate::imports::data::Data;
use crate::imports::fused::FusedCtx;
use crate::imports::wasi::{MAX_RANDOM_BYTES, resource_table};
use crate::limits::call_clock;
use crate::limits::memory::MemoryLimit;
use crate::limits::statement::Interrupter;

/// Longest text that an instance prints, in bytes; the rest is dropped. A panic's message has a
/// line or two.
const MAX_LOG_BYTES: usize = 64 << 10;

/// The grants and limits of an instance.
pub struct Settings {
    /// Directories and databases.
    pub grants: Grants,
    /// The files that no grant opens, neither of the instance nor of its extensions.
    pub masks: Masks,
    /// Limit on memory, in bytes, without that of extensions.
    pub memory_bytes: usize,
    /// Limit on temporary files, in bytes; `None` for no limit.
    pub temporary_bytes: Option<u64>,
    /// The end of the time of all statements; `None` for no limit.
    pub end: Option<Instant>,
    /// Called with each refused path; without it, the path is part of an error's message.
    pub on_refused: Option<OnRefused>,
    /// The extensions that it may load.
    pub extensions: ExtensionsCtx,
}

/// A component of `wit/database` with its imports, ready to be instantiated.
pub struct Template {
    program: Program,
    pre: InstancePre<Data>,
    exports: Arc<Exports>,
    /// Set once the clock of its engine runs.
    has_clock: OnceLock<()>,
}

impl Template {
    /// A template of `program`, which [`Loader::load_database`] has loaded.
    ///
    /// [`Loader::load_database`]: crate::artifact::component::Loader::load_database
    ///
    /// # Errors
    ///
    /// When the program imports an interface that no database may have, or was made for another
    /// version.
    pub fn new(program: Program) -> Result<Self> {
        let unusable = "the component is not a database of this version";
        let pre = linker(&program)?.instantiate_pre(&program.component);
        let pre = pre.map_err(anyhow::Error::from).context(unusable)?;
        let exports = Exports::of(&pre).context(unusable)?;
        Ok(Self { program, pre, exports: Arc::new(exports), has_clock: OnceLock::new() })
    }

    /// Start an instance with these settings.
    ///
    /// # Errors
    ///
    /// When the limits leave no room for it.
    pub fn start(&self, mut settings: Settings) -> Result<Instance> {
        settings.extensions.embed(&self.program);
        settings.extensions = settings.extensions.masks(settings.masks.clone());
        settings.masks.apply(&mut settings.grants);
        self.start_clock()?;
        let limit = self.program.reservation().limited(settings.memory_bytes);
        let interrupter = Interrupter::default();
        let data = Data::new(host(settings, limit, &interrupter));
        let mut store = Store::new(&self.program.engine, data);
        store.limiter(|data| &mut data.of_mut::<Host>().memory);
        store.set_hostcall_fuel(limit.min(MAX_REPLY_BYTES));
        time::limit(&mut store);
        Instance::start(store, self.pre.clone(), self.exports.clone(), interrupter)
    }
}

impl Template {
    /// The thread of the clock starts with the first instance, behind the second wall.
    fn start_clock(&self) -> Result<()> {
        if self.program.checks_time && self.has_clock.get().is_none() {
            call_clock::start(&self.program.engine)?;
            let _ = self.has_clock.set(());
        }
        Ok(())
    }
}

fn host(settings: Settings, memory_bytes: usize, interrupter: &Interrupter) -> Host {
    let log = MemoryOutputPipe::new(MAX_LOG_BYTES);
    let mut wasi = WasiCtxBuilder::new();
    wasi.stdout(log.clone()).stderr(log.clone()).max_random_size(MAX_RANDOM_BYTES);
    Host {
        wasi: wasi.build(),
        table: resource_table(),
        files: FilesCtx::new(Arc::new(settings.grants)).temporary_bytes(settings.temporary_bytes),
        process: Process {
            interrupter: interrupter.clone(),
            end: settings.end,
            statement_end: None,
            begun: None,
            polls: 0,
            polls_at_end: None,
            unnoticed: None,
            stopped: None,
            refused: None,
            on_refused: settings.on_refused,
        },
        memory: MemoryLimit::new(memory_bytes),
        extensions: settings.extensions,
        fused: FusedCtx::default(),
        exit: None,
        events: None,
        spare: Vec::new(),
        outcome: None,
        log,
    }
}
