//! `sqlite-wasm:host/dispatch`: extensions, each in a sandbox of its own.
//!
//! ```
//! use sqlite_wasm_run::extensions::{ExtensionsCtx, Permits};
//!
//! let mut permits = Permits::default();
//! permits.add("define=sql")?;
//! let extensions = ExtensionsCtx::new(vec!["extensions".into()]).permits(permits);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! An extension has nothing: no files, no network, no environment, no
//! arguments, and no SQL; only clocks and random numbers. [`Permits`] grant it
//! more. What it prints goes to a bounded log. One that breaks down yields an
//! SQL error that names it; the next call gets a fresh instance, and tables,
//! cursors and computations of the broken one fail.

mod check;
mod contract;
mod exchange;
mod extension;
mod handles;
pub mod inspect;
mod instance;
mod permissions;
mod permits;
mod sandbox;
pub mod search;
mod sql;
pub(crate) mod text;
pub mod types;
mod usage;
mod value;
mod version;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use wasmtime::component::{Component, HasData, Linker};

use crate::bindings::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, Connected, FilterArgument, IndexPlan, IndexQuestion, Occasion,
    Overload, Transaction,
};
use crate::bindings::sqlite_wasm::host::dispatch::{
    self, ExtensionUsage, Host, Loaded, SqlReply, SqlRequest,
};
use crate::cache::Folder;
use crate::component::{Beside, Loader};
use crate::compose::Embedded;
use crate::grants::Grants;
use extension::{Extension, Origin};
use instance::{Instance, Sandboxed};
use types::{Manifest, Output, SqlError, Value};

pub use permissions::{Folder as GrantedFolder, Permissions, SqlAccess};
pub use permits::{Ask, Permits, sha256};
pub(crate) use sandbox::{refuse_sql, story};

/// `SQLITE_ERROR`.
const SQLITE_ERROR: i32 = 1;

/// Most extensions of one component. The component chooses; each has memory
/// and compiled code.
const MAX_EXTENSIONS: usize = 256;

/// What an extension may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Linear memory at most, in bytes. sqlite-vec searches a hundred million
    /// bytes of vectors; ordinary functions need a million or two.
    pub memory_bytes: usize,
    /// Time for one call: long for a function, and a person still waits.
    pub call_time: Duration,
    /// What one call gives back at most, in bytes, all rows of a batch together.
    /// The extension chooses, and the host makes copies; SQLite's own values may
    /// be ten times as large, which hardly any are.
    pub value_bytes: usize,
    /// What it prints, in bytes; the rest is dropped. It is shown when the
    /// extension breaks down.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            call_time: Duration::from_secs(10),
            value_bytes: 128 << 20,
            log_bytes: 64 << 10,
        }
    }
}

/// Tells the person what SQLite has no way to show.
pub type Tell = Box<dyn FnMut(&str) + Send>;

/// The extensions of a component.
pub struct ExtensionsCtx {
    folders: Vec<PathBuf>,
    limits: Limits,
    permits: Permits,
    cache: Option<Folder>,
    tell: Option<Tell>,
    /// Made by the first extension: start-up has none.
    loader: Option<Loader>,
    loaded: Vec<Extension>,
    /// Those that came with the component, until they are asked for, and then
    /// their numbers.
    beside: Vec<Beside>,
    embedded: Vec<u32>,
}

impl ExtensionsCtx {
    /// Found in `folders` by their names.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            limits: Limits::default(),
            permits: Permits::default(),
            cache: None,
            tell: None,
            loader: None,
            loaded: Vec::new(),
            beside: Vec::new(),
            embedded: Vec::new(),
        }
    }

    /// With those that came with the component.
    pub(crate) fn embed(&mut self, beside: Vec<Beside>) {
        self.beside = beside;
    }

    /// With other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With what is granted to them.
    #[must_use]
    pub fn permits(mut self, permits: Permits) -> Self {
        self.permits = permits;
        self
    }

    /// With somebody to tell that an extension broke down in a call whose
    /// failure SQLite does not show.
    #[must_use]
    pub fn tell_by(mut self, tell: Tell) -> Self {
        self.tell = Some(tell);
        self
    }

    /// With compiled ones kept in `folder`.
    #[must_use]
    pub fn cache(mut self, folder: Option<Folder>) -> Self {
        self.cache = folder;
        self
    }

    fn load(&mut self, name: &str, grants: &Grants) -> anyhow::Result<Loaded> {
        let path = search::find(name, &self.folders, grants)?;
        let place = match self.loaded.iter().position(|extension| extension.path() == Some(&path)) {
            Some(place) => place,
            None => {
                let extension = self
                    .open(&path)
                    .with_context(|| format!("failed to load the extension `{name}`"))?;
                self.loaded.push(extension);
                self.loaded.len() - 1
            }
        };
        Ok(Loaded { extension: place as u32, manifest: self.loaded[place].manifest().clone() })
    }

    fn open(&mut self, path: &Path) -> anyhow::Result<Extension> {
        let component = self.component(path)?;
        self.start(&component, &Origin::File(path))
    }

    fn start(&mut self, component: &Component, origin: &Origin) -> anyhow::Result<Extension> {
        anyhow::ensure!(
            self.loaded.len() < MAX_EXTENSIONS,
            "{MAX_EXTENSIONS} extensions are loaded already"
        );
        Extension::load(component, origin, self.limits, &mut self.permits)
    }

    fn component(&mut self, path: &Path) -> anyhow::Result<Component> {
        self.loader()?.load_component(path)
    }

    fn loader(&mut self) -> anyhow::Result<&Loader> {
        let loader = match self.loader.take() {
            Some(loader) => loader,
            None => loader(self.cache.clone())?,
        };
        Ok(self.loader.insert(loader))
    }

    /// What the extension at `path` says that it is.
    pub(crate) fn describe(&mut self, path: &Path) -> anyhow::Result<Manifest> {
        let component = self.component(path)?;
        let (_, manifest) = extension::described(&component, self.limits)?;
        Ok(manifest)
    }

    /// Load those that came with the component. One that cannot be used is left
    /// out, as one that the command line loads.
    fn load_embedded(&mut self) -> Vec<Loaded> {
        for beside in std::mem::take(&mut self.beside) {
            match self.open_embedded(&beside) {
                Ok(extension) => {
                    self.embedded.push(self.loaded.len() as u32);
                    self.loaded.push(extension);
                }
                Err(error) => {
                    let name = &beside.embedded.name;
                    let story =
                        format!("failed to load the embedded extension `{name}`: {error:#}");
                    if let Some(tell) = &mut self.tell {
                        tell(&story);
                    }
                }
            }
        }
        let manifest = |number: u32| self.loaded[number as usize].manifest().clone();
        let loaded = |number: &u32| Loaded { extension: *number, manifest: manifest(*number) };
        self.embedded.iter().map(loaded).collect()
    }

    fn open_embedded(&mut self, beside: &Beside) -> anyhow::Result<Extension> {
        let engine = self.loader()?.engine();
        let component = match beside.is_native {
            true => crate::native_code::load_part(engine, &beside.content)?,
            false => Component::new(engine, &beside.content)?,
        };
        let Embedded { file, sha256, .. } = &beside.embedded;
        self.start(&component, &Origin::Embedded { name: file, sha256 })
    }
}

fn loader(cache: Option<Folder>) -> anyhow::Result<Loader> {
    let engine = crate::engine::extension_engine()?;
    sandbox::tick(&engine);
    Ok(Loader::for_engine(engine, cache))
}

/// [`ExtensionsCtx`] on its way into a call.
pub struct ExtensionsView<'a> {
    /// The extensions.
    pub ctx: &'a mut ExtensionsCtx,
    /// The folders that a path may lead into.
    pub grants: &'a Grants,
}

struct HasExtensions;

impl HasData for HasExtensions {
    type Data<'a> = ExtensionsView<'a>;
}

/// Offer the interface to components.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> ExtensionsView<'_>,
) -> wasmtime::Result<()> {
    types::add_to_linker::<T, HasExtensions>(linker, view)?;
    crate::bindings::sqlite_wasm::extension::table_types::add_to_linker::<T, HasExtensions>(
        linker, view,
    )?;
    dispatch::add_to_linker::<T, HasExtensions>(linker, view)
}

fn error(message: String) -> SqlError {
    SqlError { code: SQLITE_ERROR, message }
}

impl ExtensionsView<'_> {
    fn loaded(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        self.ctx
            .loaded
            .get_mut(number as usize)
            .ok_or_else(|| error(format!("there is no extension number {number}")))
    }

    fn extension(&mut self, number: u32) -> Result<&mut Sandboxed, SqlError> {
        self.loaded(number).map(Extension::sandbox)
    }

    /// The answer of a call whose failure SQLite does not show: a breakdown is
    /// told all the same.
    fn unheard<T>(
        &mut self,
        extension: u32,
        call: impl FnOnce(&mut Self) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.extension(extension)?.take_breakdown();
        let answer = call(self);
        if let Some(story) = self.extension(extension)?.take_breakdown()
            && let Some(tell) = &mut self.ctx.tell
        {
            tell(&story);
        }
        answer
    }
}

/// Call a function of an extension's interface: `interface.function(…)`.
///
/// - `with NUMBER = HANDLE`: the extension's own number of what the caller
///   calls HANDLE, for the arguments;
/// - `plain`: the extension's function cannot fail.
macro_rules! call {
    ($extension:expr, $interface:ident.$function:ident($($argument:expr),*)
        $(, with $number:ident = $handle:expr)? $(; $plain:ident)?) => {{
        let extension: &mut Sandboxed = $extension;
        match extension.take_answer() {
            Some(answer) => answer,
            None => {
                $(let $number = extension.number_of($handle)?;)?
                match extension.instance()? {
                    Instance::Direct(live) => {
                        let outcome = live.exports.$interface().and_then(|exports| {
                            exports.$function(&mut live.store $(, $argument)*)
                        });
                        extension.concluded(answer!(outcome $($plain)?))
                    }
                    Instance::Suspendable(mut live) => extension.begin(Box::pin(async move {
                        let outcome = match live.exports.$interface() {
                            Ok(exports) => {
                                exports.$function(&mut live.store $(, $argument)*).await
                            }
                            Err(error) => Err(error),
                        };
                        let outcome: wasmtime::Result<Result<_, SqlError>> =
                            answer!(outcome $($plain)?);
                        let outcome = outcome.map(|answer| Box::new(answer) as Box<_>);
                        (live, outcome)
                    })),
                }
            }
        }
    }};
}

macro_rules! answer {
    ($outcome:ident) => {
        $outcome
    };
    ($outcome:ident plain) => {
        $outcome.map(Ok)
    };
}

impl types::Host for ExtensionsView<'_> {}
impl crate::bindings::sqlite_wasm::extension::table_types::Host for ExtensionsView<'_> {}

impl Host for ExtensionsView<'_> {
    fn load(&mut self, name: String) -> Result<Loaded, String> {
        self.ctx.load(&name, self.grants).map_err(|error| format!("{error:#}"))
    }

    fn statistics(&mut self) -> Vec<ExtensionUsage> {
        self.ctx.loaded.iter().map(Extension::statistics).collect()
    }

    fn connect(&mut self, extension: u32) -> Result<(), SqlError> {
        call!(self.extension(extension)?, extension.call_connect())
    }

    fn request(&mut self, extension: u32) -> Option<SqlRequest> {
        self.extension(extension).ok()?.request()
    }

    fn resume(&mut self, extension: u32, reply: SqlReply) -> Option<SqlRequest> {
        self.extension(extension).ok()?.resume(reply)
    }

    fn embedded(&mut self) -> Vec<Loaded> {
        self.ctx.load_embedded()
    }

    fn call_scalar(
        &mut self,
        extension: u32,
        function: u32,
        arguments: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<Output, SqlError> {
        let extension = self.loaded(extension)?.sandbox_for(function);
        if arguments.len() == 1 && subtypes.is_empty() && extension.has_unary() {
            return call!(extension, unary.call_call(function, &arguments[0]));
        }
        call!(extension, scalar.call_call(function, &arguments, &subtypes))
    }

    fn aggregate_start(&mut self, extension: u32, function: u32) -> Result<u32, SqlError> {
        let extension = self.extension(extension)?;
        let number = call!(extension, aggregate.call_start(function); plain)?;
        extension.handles.add(number)
    }

    fn aggregate_step(
        &mut self,
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<(), SqlError> {
        let extension = self.extension(extension)?;
        extension.usage.batches += 1;
        call!(
            extension,
            aggregate.call_step(number, count, width, &rows, &subtypes),
            with number = accumulator
        )
    }

    fn aggregate_inverse(
        &mut self,
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<(), SqlError> {
        let extension = self.extension(extension)?;
        extension.usage.batches += 1;
        call!(
            extension,
            aggregate.call_inverse(number, count, width, &rows, &subtypes),
            with number = accumulator
        )
    }

    fn aggregate_value(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        call!(
            self.extension(extension)?,
            aggregate.call_current(number),
            with number = accumulator
        )
    }

    fn aggregate_finish(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        let extension = self.extension(extension)?;
        let answer = call!(extension, aggregate.call_finish(number), with number = accumulator);
        extension.forget_handle(accumulator, answer)
    }

    fn aggregate_abandon(&mut self, extension: u32, accumulator: u32) -> Result<(), SqlError> {
        self.unheard(extension, |view| {
            let extension = view.extension(extension)?;
            let answer =
                call!(extension, aggregate.call_abandon(number), with number = accumulator; plain);
            extension.forget_handle(accumulator, answer)
        })
    }

    fn compare(&mut self, extension: u32, collation: u32, left: Vec<u8>, right: Vec<u8>) -> i32 {
        // A comparison cannot fail; the order of bytes is at least an order.
        self.unheard(extension, |view| view.compared(extension, collation, &left, &right))
            .unwrap_or_else(|_| left.cmp(&right) as i32)
    }

    fn table_connect(
        &mut self,
        extension: u32,
        module: u32,
        occasion: Occasion,
        schema: String,
        name: String,
        arguments: Vec<String>,
    ) -> Result<Connected, SqlError> {
        let extension = self.extension(extension)?;
        let connected =
            call!(extension, table.call_connect(module, occasion, &schema, &name, &arguments))?;
        let table = extension.handles.add(connected.table)?;
        Ok(Connected { table, ..connected })
    }

    fn table_disconnect(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.unheard(extension, |view| {
            let extension = view.extension(extension)?;
            let answer = call!(extension, table.call_disconnect(number), with number = table);
            extension.forget_handle(table, answer)
        })
    }

    fn table_destroy(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.unheard(extension, |view| {
            let extension = view.extension(extension)?;
            call!(extension, table.call_destroy(number), with number = table)?;
            extension.forget_handle(table, Ok(()))
        })
    }

    fn table_best_index(
        &mut self,
        extension: u32,
        table: u32,
        question: IndexQuestion,
    ) -> Result<Option<IndexPlan>, SqlError> {
        call!(
            self.extension(extension)?,
            table.call_best_index(number, &question),
            with number = table
        )
    }

    fn table_open(&mut self, extension: u32, table: u32) -> Result<u32, SqlError> {
        let extension = self.extension(extension)?;
        let cursor = call!(extension, table.call_open(number), with number = table)?;
        extension.handles.add(cursor)
    }

    fn table_close(&mut self, extension: u32, cursor: u32) -> Result<(), SqlError> {
        self.unheard(extension, |view| {
            let extension = view.extension(extension)?;
            let answer = call!(extension, table.call_close(number), with number = cursor; plain);
            extension.forget_handle(cursor, answer)
        })
    }

    fn table_filter(
        &mut self,
        extension: u32,
        cursor: u32,
        plan: i32,
        text: Option<String>,
        arguments: Vec<FilterArgument>,
        subtypes: Vec<u8>,
        columns: Vec<u32>,
    ) -> Result<(), SqlError> {
        call!(
            self.extension(extension)?,
            table.call_filter(number, plan, text.as_deref(), &arguments, &subtypes, &columns),
            with number = cursor
        )
    }

    fn table_fetch(&mut self, extension: u32, cursor: u32, limit: u32) -> Result<Batch, SqlError> {
        let extension = self.extension(extension)?;
        extension.usage.batches += 1;
        call!(extension, table.call_fetch(number, limit), with number = cursor)
    }

    fn table_update(
        &mut self,
        extension: u32,
        table: u32,
        change: Change,
        subtypes: Vec<u8>,
        conflict: Conflict,
    ) -> Result<i64, SqlError> {
        call!(
            self.extension(extension)?,
            table.call_update(number, &change, &subtypes, conflict),
            with number = table
        )
    }

    fn table_transact(
        &mut self,
        extension: u32,
        table: u32,
        step: Transaction,
    ) -> Result<(), SqlError> {
        let call = |view: &mut Self| call!(view.extension(extension)?, table.call_transact(number, step), with number = table);
        // Of all steps SQLite shows only the message of these two.
        match step {
            Transaction::Begin | Transaction::Sync => call(self),
            _ => self.unheard(extension, call),
        }
    }

    fn table_rename(&mut self, extension: u32, table: u32, name: String) -> Result<(), SqlError> {
        call!(self.extension(extension)?, table.call_rename(number, &name), with number = table)
    }

    fn table_integrity(
        &mut self,
        extension: u32,
        table: u32,
        schema: String,
        name: String,
        quick: bool,
    ) -> Result<Option<String>, SqlError> {
        call!(
            self.extension(extension)?,
            table.call_integrity(number, &schema, &name, quick),
            with number = table
        )
    }

    fn table_find_function(
        &mut self,
        extension: u32,
        table: u32,
        arguments: u32,
        name: String,
    ) -> Result<Option<Overload>, SqlError> {
        self.unheard(extension, |view| {
            call!(
                view.extension(extension)?,
                table.call_find_function(number, arguments, &name),
                with number = table;
                plain
            )
        })
    }
}

impl ExtensionsView<'_> {
    fn compared(
        &mut self,
        extension: u32,
        collation: u32,
        left: &[u8],
        right: &[u8],
    ) -> Result<i32, SqlError> {
        let extension = self.extension(extension)?;
        match extension.instance()? {
            Instance::Direct(live) => {
                let outcome = live.exports.collation().and_then(|exports| {
                    exports.call_compare(&mut live.store, collation, left, right)
                });
                extension.concluded(outcome.map(Ok))
            }
            Instance::Suspendable(mut live) => {
                let outcome = live.exports.collation().and_then(|exports| {
                    let store = &mut live.store;
                    instance::at_once(exports.call_compare(store, collation, left, right))
                });
                extension.concluded_at_once(live, outcome)
            }
        }
    }
}
