//! One extension: its component, and the instance that answers at the moment.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use wasmtime::component::{Component, Instance, InstancePre, Linker, ResourceTable};
use wasmtime::{Engine, Store, Trap};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::handles::Handles;
use super::{Limits, error};
use crate::bindings::sqlite_wasm::extension::types::{Manifest, SqlError};
use crate::process::MemoryLimit;
use exports::sqlite_wasm::extension as interfaces;

wasmtime::component::bindgen!({
    path: "../wit/extension",
    inline: "
        package sqlite-wasm:host-view;
        world every-export {
            export sqlite-wasm:extension/extension@0.1.0;
            export sqlite-wasm:extension/scalar@0.1.0;
            export sqlite-wasm:extension/aggregate@0.1.0;
            export sqlite-wasm:extension/collation@0.1.0;
            export sqlite-wasm:extension/table@0.1.0;
        }
    ",
    with: {
        "sqlite-wasm:extension/types": crate::bindings::sqlite_wasm::extension::types,
        "sqlite-wasm:extension/table-types": crate::bindings::sqlite_wasm::extension::table_types,
    },
});

/// Steps of the clock that limits calls.
const TICK: Duration = Duration::from_millis(10);

/// Longest name that an extension may register, in bytes; SQLite takes 255.
const MAX_NAME_BYTES: usize = 255;

/// Most functions, collations and modules of one extension together.
const MAX_REGISTRATIONS: usize = 1000;

/// Bytes at the end of the log that are shown when an extension breaks down.
const MAX_SHOWN_BYTES: usize = 1000;

/// What an extension has.
pub struct Sandbox {
    wasi: WasiCtx,
    table: ResourceTable,
    memory: MemoryLimit,
}

impl WasiView for Sandbox {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// What an extension exports, as far as it does.
pub struct Bindings {
    scalar: Option<interfaces::scalar::Guest>,
    aggregate: Option<interfaces::aggregate::Guest>,
    collation: Option<interfaces::collation::Guest>,
    table: Option<interfaces::table::Guest>,
}

macro_rules! offered {
    ($($name:ident)*) => {$(
        pub fn $name(&self) -> wasmtime::Result<&interfaces::$name::Guest> {
            let missing = concat!("the extension does not export `", stringify!($name), "`");
            self.$name.as_ref().ok_or_else(|| wasmtime::format_err!("{missing}"))
        }
    )*};
}

impl Bindings {
    offered! { scalar aggregate collation table }
}

/// An instance that answers.
pub struct Live {
    pub store: Store<Sandbox>,
    pub bindings: Bindings,
    pub handles: Handles,
    instance: Instance,
}

/// A loaded extension.
pub struct Extension {
    path: PathBuf,
    manifest: Manifest,
    pre: InstancePre<Sandbox>,
    limits: Limits,
    live: Option<(Live, MemoryOutputPipe)>,
    generation: u32,
}

impl Extension {
    /// Instantiate `component` and ask what it registers.
    pub fn load(
        engine: &Engine,
        component: &Component,
        path: PathBuf,
        limits: Limits,
    ) -> Result<Self> {
        let pre = linker(engine)?.instantiate_pre(component).map_err(|error| {
            anyhow!(error).context("it asks for what an extension is not granted")
        })?;
        let mut extension = Self {
            path,
            manifest: Manifest {
                name: String::new(),
                version: String::new(),
                description: String::new(),
                functions: Vec::new(),
                collations: Vec::new(),
                modules: Vec::new(),
                needs: Vec::new(),
            },
            pre,
            limits,
            live: None,
            generation: 0,
        };
        extension.manifest = extension.describe()?;
        check(&extension.manifest)?;
        Ok(extension)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it registers.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn describe(&mut self) -> Result<Manifest> {
        let indices = interfaces::extension::GuestIndices::new(&self.pre)
            .map_err(|_| anyhow!("it is no extension: it exports no `sqlite-wasm:extension`"))?;
        self.start().map_err(|error| anyhow!(error))?;
        let Some((live, log)) = &mut self.live else { bail!("it did not start") };
        let guest = indices.load(&mut live.store, &live.instance)?;
        deadline(&mut live.store, self.limits.call_time);
        guest.call_describe(&mut live.store).map_err(|error| anyhow!(story(&error, log)))
    }

    /// Call the instance, or a fresh one where there is none. One that breaks
    /// down is dropped.
    pub fn call<T>(
        &mut self,
        call: impl FnOnce(&mut Live) -> wasmtime::Result<Result<T, SqlError>>,
    ) -> std::result::Result<T, SqlError> {
        if self.live.is_none() {
            self.start().map_err(|cause| error(format!("{}: {cause}", self.manifest.name)))?;
        }
        let Some((live, log)) = &mut self.live else {
            return Err(error(format!("{}: it did not start", self.manifest.name)));
        };
        deadline(&mut live.store, self.limits.call_time);
        match call(live) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(failure)) => Err(failure),
            Err(trap) => {
                let story = story(&trap, log);
                self.live = None;
                Err(error(format!("the extension `{}` broke down: {story}", self.manifest.name)))
            }
        }
    }

    fn start(&mut self) -> wasmtime::Result<()> {
        let log = MemoryOutputPipe::new(self.limits.log_bytes);
        let mut wasi = WasiCtxBuilder::new();
        wasi.stdout(log.clone()).stderr(log.clone()).allow_blocking_current_thread(true);
        let sandbox = Sandbox {
            wasi: wasi.build(),
            table: ResourceTable::new(),
            memory: MemoryLimit::new(self.limits.memory_bytes),
        };
        let mut store = Store::new(self.pre.engine(), sandbox);
        store.limiter(|sandbox| &mut sandbox.memory);
        deadline(&mut store, self.limits.call_time);
        let instance = self.pre.instantiate(&mut store)?;
        macro_rules! find {
            ($name:ident) => {
                match interfaces::$name::GuestIndices::new(&self.pre) {
                    Ok(indices) => Some(indices.load(&mut store, &instance)?),
                    Err(_) => None,
                }
            };
        }
        let bindings = Bindings {
            scalar: find!(scalar),
            aggregate: find!(aggregate),
            collation: find!(collation),
            table: find!(table),
        };
        let handles = Handles::new(self.generation);
        self.generation += 1;
        self.live = Some((Live { store, bindings, handles, instance }, log));
        Ok(())
    }
}

fn linker(engine: &Engine) -> Result<Linker<Sandbox>> {
    let mut linker = Linker::new(engine);
    crate::runner::add_wasi_to_linker(&mut linker)?;
    Ok(linker)
}

/// Refuse what no honest extension registers.
fn check(manifest: &Manifest) -> Result<()> {
    let functions = manifest.functions.iter().map(|function| &function.name);
    let collations = manifest.collations.iter().map(|collation| &collation.name);
    let modules = manifest.modules.iter().map(|module| &module.name);
    let names: Vec<&String> = functions.chain(collations).chain(modules).collect();
    if names.len() > MAX_REGISTRATIONS {
        bail!("it registers {} names; {MAX_REGISTRATIONS} are allowed", names.len());
    }
    for name in names.into_iter().chain([&manifest.name]) {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.contains('\0') {
            bail!(
                "it registers a name that is empty, longer than {MAX_NAME_BYTES} bytes, or has a NUL"
            );
        }
    }
    if let Some(function) = manifest.functions.iter().find(|f| f.arguments < -1) {
        bail!("it registers `{}` with {} arguments", function.name, function.arguments);
    }
    Ok(())
}

/// What broke: the panic's own text where there is one.
fn story(trap: &wasmtime::Error, log: &MemoryOutputPipe) -> String {
    let cause = match trap.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => "it used up its time for one call".to_owned(),
        Some(trap) => trap.to_string(),
        None => trap.root_cause().to_string(),
    };
    let log = log.contents();
    let shown = String::from_utf8_lossy(&log[log.len().saturating_sub(MAX_SHOWN_BYTES)..]);
    match shown.trim() {
        "" => cause,
        shown => format!("{cause}; it said: {}", shown.replace('\n', " ")),
    }
}

/// Let the next call end by then.
fn deadline(store: &mut Store<Sandbox>, time: Duration) {
    let ticks = time.as_millis() / TICK.as_millis() + 1;
    store.set_epoch_deadline(ticks as u64);
}

/// Start the clock of `engine`, once for the process: it has one engine for
/// extensions.
pub fn tick(engine: &Engine) {
    static STARTED: Once = Once::new();
    let engine = engine.weak();
    STARTED.call_once(|| {
        std::thread::spawn(move || {
            while let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        });
    });
}
