//! `sqlite-wasm:host/dispatch`: extensions, each in a sandbox of its own.
//!
//! ```
//! use sqlite_wasm_run::extensions::{ExtensionsCtx, Limits};
//!
//! let extensions = ExtensionsCtx::new(vec!["extensions".into()], Limits::default(), None);
//! ```
//!
//! An extension has nothing: no files, no network, no environment, no
//! arguments, and no SQL; only clocks and random numbers. What it prints goes
//! to a bounded log. One that breaks down yields an SQL error that names it;
//! the next call gets a fresh instance, and tables, cursors and computations of
//! the broken one fail.

mod handles;
mod instance;
mod search;

use std::path::PathBuf;
use std::time::Duration;

use wasmtime::Engine;
use wasmtime::component::{HasData, Linker};

use crate::bindings::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, Connected, FilterArgument, IndexPlan, IndexQuestion, Occasion,
    Overload, Transaction,
};
use crate::bindings::sqlite_wasm::extension::types::{Output, SqlError, Value};
use crate::bindings::sqlite_wasm::host::dispatch::{self, Host, Loaded};
use crate::cache::Folder;
use crate::component::Loader;
use crate::grants::Grants;
use handles::Handles;
use instance::{Extension, Live};

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
    /// Time for one call.
    pub call_time: Duration,
    /// What it prints, in bytes; the rest is dropped.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: 512 << 20, call_time: Duration::from_secs(10), log_bytes: 64 << 10 }
    }
}

/// The extensions of a component.
pub struct ExtensionsCtx {
    folders: Vec<PathBuf>,
    limits: Limits,
    cache: Option<Folder>,
    /// Made by the first extension: start-up has none.
    loader: Option<Loader>,
    loaded: Vec<Extension>,
}

impl ExtensionsCtx {
    /// Found in `folders` by their names, with compiled ones kept in `cache`.
    pub fn new(folders: Vec<PathBuf>, limits: Limits, cache: Option<Folder>) -> Self {
        Self { folders, limits, cache, loader: None, loaded: Vec::new() }
    }

    fn engine(&mut self) -> anyhow::Result<&Loader> {
        if self.loader.is_none() {
            let engine = crate::engine::extension_engine()?;
            instance::tick(&engine);
            self.loader = Some(Loader::for_engine(engine, self.cache.clone()));
        }
        self.loader.as_ref().ok_or_else(|| anyhow::anyhow!("there is no engine"))
    }

    fn load(&mut self, name: &str, grants: &Grants) -> anyhow::Result<Loaded> {
        let path = search::find(name, &self.folders, grants)?;
        let known = self.loaded.iter().position(|extension| extension.path() == path);
        let place = match known {
            Some(place) => place,
            None => {
                anyhow::ensure!(
                    self.loaded.len() < MAX_EXTENSIONS,
                    "{MAX_EXTENSIONS} extensions are loaded already"
                );
                let component = self.engine()?.load_component(&path)?;
                let engine: &Engine = component.engine();
                let extension = Extension::load(engine, &component, path, self.limits)?;
                self.loaded.push(extension);
                self.loaded.len() - 1
            }
        };
        Ok(Loaded { extension: place as u32, manifest: self.loaded[place].manifest().clone() })
    }
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
    crate::bindings::sqlite_wasm::extension::types::add_to_linker::<T, HasExtensions>(
        linker, view,
    )?;
    crate::bindings::sqlite_wasm::extension::table_types::add_to_linker::<T, HasExtensions>(
        linker, view,
    )?;
    dispatch::add_to_linker::<T, HasExtensions>(linker, view)
}

fn error(message: String) -> SqlError {
    SqlError { code: SQLITE_ERROR, message }
}

impl ExtensionsView<'_> {
    /// Call an extension: what it answers, or what broke.
    fn call<T>(
        &mut self,
        extension: u32,
        call: impl FnOnce(&mut Live) -> wasmtime::Result<Result<T, SqlError>>,
    ) -> Result<T, SqlError> {
        let Some(extension) = self.ctx.loaded.get_mut(extension as usize) else {
            return Err(error(format!("there is no extension number {extension}")));
        };
        extension.call(call)
    }
}

impl crate::bindings::sqlite_wasm::extension::types::Host for ExtensionsView<'_> {}
impl crate::bindings::sqlite_wasm::extension::table_types::Host for ExtensionsView<'_> {}

impl Host for ExtensionsView<'_> {
    fn load(&mut self, name: String) -> Result<Loaded, String> {
        self.ctx.load(&name, self.grants).map_err(|error| format!("{error:#}"))
    }

    fn call_scalar(
        &mut self,
        extension: u32,
        function: u32,
        arguments: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<Output, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, .. } = live;
            bindings.scalar()?.call_call(store, function, &arguments, &subtypes)
        })
    }

    fn aggregate_start(&mut self, extension: u32, function: u32) -> Result<u32, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let number = bindings.aggregate()?.call_start(store, function)?;
            Ok(handles.add(number))
        })
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
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(accumulator) else { return Ok(Err(Handles::lost())) };
            bindings.aggregate()?.call_step(store, number, count, width, &rows, &subtypes)
        })
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
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(accumulator) else { return Ok(Err(Handles::lost())) };
            bindings.aggregate()?.call_inverse(store, number, count, width, &rows, &subtypes)
        })
    }

    fn aggregate_value(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(accumulator) else { return Ok(Err(Handles::lost())) };
            bindings.aggregate()?.call_current(store, number)
        })
    }

    fn aggregate_finish(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.remove(accumulator) else { return Ok(Err(Handles::lost())) };
            bindings.aggregate()?.call_finish(store, number)
        })
    }

    fn aggregate_abandon(&mut self, extension: u32, accumulator: u32) {
        // Nobody is there to be told of a failure.
        let _ = self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.remove(accumulator) else { return Ok(Ok(())) };
            bindings.aggregate()?.call_abandon(store, number).map(Ok)
        });
    }

    fn compare(&mut self, extension: u32, collation: u32, left: Vec<u8>, right: Vec<u8>) -> i32 {
        let order = self.call(extension, |live| {
            let Live { store, bindings, .. } = live;
            bindings.collation()?.call_compare(store, collation, &left, &right).map(Ok)
        });
        // A comparison cannot fail; the order of bytes is at least an order.
        order.unwrap_or_else(|_| left.cmp(&right) as i32)
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
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let connected = bindings
                .table()?
                .call_connect(store, module, occasion, &schema, &name, &arguments)?;
            Ok(connected.and_then(|connected| {
                let table = handles.add(connected.table)?;
                Ok(Connected { table, ..connected })
            }))
        })
    }

    fn table_disconnect(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.remove(table) else { return Ok(Ok(())) };
            bindings.table()?.call_disconnect(store, number)
        })
    }

    fn table_destroy(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.remove(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_destroy(store, number)
        })
    }

    fn table_best_index(
        &mut self,
        extension: u32,
        table: u32,
        question: IndexQuestion,
    ) -> Result<Option<IndexPlan>, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_best_index(store, number, &question)
        })
    }

    fn table_open(&mut self, extension: u32, table: u32) -> Result<u32, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            let opened = bindings.table()?.call_open(store, number)?;
            Ok(opened.and_then(|cursor| handles.add(cursor)))
        })
    }

    fn table_close(&mut self, extension: u32, cursor: u32) {
        // Nobody is there to be told of a failure.
        let _ = self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.remove(cursor) else { return Ok(Ok(())) };
            bindings.table()?.call_close(store, number).map(Ok)
        });
    }

    fn table_filter(
        &mut self,
        extension: u32,
        cursor: u32,
        number: i32,
        text: Option<String>,
        arguments: Vec<FilterArgument>,
        columns: Vec<u32>,
    ) -> Result<(), SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(cursor) = handles.get(cursor) else { return Ok(Err(Handles::lost())) };
            let text = text.as_deref();
            bindings.table()?.call_filter(store, cursor, number, text, &arguments, &columns)
        })
    }

    fn table_fetch(&mut self, extension: u32, cursor: u32, limit: u32) -> Result<Batch, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(cursor) = handles.get(cursor) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_fetch(store, cursor, limit)
        })
    }

    fn table_update(
        &mut self,
        extension: u32,
        table: u32,
        change: Change,
        conflict: Conflict,
    ) -> Result<i64, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_update(store, number, &change, conflict)
        })
    }

    fn table_transact(
        &mut self,
        extension: u32,
        table: u32,
        step: Transaction,
    ) -> Result<(), SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_transact(store, number, step)
        })
    }

    fn table_rename(&mut self, extension: u32, table: u32, name: String) -> Result<(), SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_rename(store, number, &name)
        })
    }

    fn table_integrity(
        &mut self,
        extension: u32,
        table: u32,
        schema: String,
        name: String,
        quick: bool,
    ) -> Result<Option<String>, SqlError> {
        self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Err(Handles::lost())) };
            bindings.table()?.call_integrity(store, number, &schema, &name, quick)
        })
    }

    fn table_find_function(
        &mut self,
        extension: u32,
        table: u32,
        arguments: u32,
        name: String,
    ) -> Option<Overload> {
        let found = self.call(extension, |live| {
            let Live { store, bindings, handles, .. } = live;
            let Some(number) = handles.get(table) else { return Ok(Ok(None)) };
            bindings.table()?.call_find_function(store, number, arguments, &name).map(Ok)
        });
        found.unwrap_or(None)
    }
}
