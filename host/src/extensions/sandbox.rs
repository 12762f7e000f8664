//! What an extension runs in: a store with its own memory, log and clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wasmtime::component::{Component, InstancePre, Linker, ResourceTable};
use wasmtime::{Engine, Store, Trap, UpdateDeadline};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::contract::suspendable::sqlite_wasm::extension::sql;
use super::exchange::Exchange;
use super::permissions::Permissions;
use super::usage::{self, Usage, WatchedMemory};
use super::{Limits, text};
use crate::clock::Waiting;
use crate::deadline::MAX_TIME;
use crate::grants::{Grant, Grants};
use crate::memory::MemoryLimit;
use crate::own_files;
use crate::threads;
use crate::user_directories::Homes;
use crate::wasi::{self, MAX_RANDOM_BYTES, resource_table};
use crate::wasi_files::{self, Kinds, WasiFiles};

/// Steps of the clock that limits calls.
pub const TICK: Duration = Duration::from_millis(10);

/// Bytes at the end of the log that are shown when an extension traps.
const MAX_SHOWN_BYTES: usize = 1000;

/// What Rust adds to a panic's text, and nobody here can follow.
const BACKTRACE_NOTE: &str =
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";

/// In wasmtime's text for too much data from a component; its type is private.
const TOO_MUCH: &str = "fuel allocated for hostcalls";

/// What an extension has.
pub struct Sandbox {
    pub table: ResourceTable,
    pub exchange: Exchange,
    /// Bytes that statements keep for their next steps.
    pub bound_bytes: usize,
    wasi: WasiCtx,
    files: WasiFiles,
    memory: WatchedMemory,
}

impl WasiView for Sandbox {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

struct HasSql;

impl wasmtime::component::HasData for HasSql {
    type Data<'a> = &'a mut Sandbox;
}

/// How an instance is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// A call is done when it returns; there is no SQL.
    Direct,
    /// A call may wait for SQL.
    Suspendable,
}

/// All that an extension may import.
pub fn linker(component: &Component, calls: Calls) -> wasmtime::Result<Linker<Sandbox>> {
    let mut linker = Linker::new(component.engine());
    wasi::add_to_linker(&mut linker, Waiting::Refused)?;
    wasi_files::add_to_linker(&mut linker, |sandbox: &mut Sandbox| &mut sandbox.files)?;
    if calls == Calls::Suspendable {
        sql::add_to_linker::<Sandbox, HasSql>(&mut linker, |sandbox| sandbox)?;
    }
    Ok(linker)
}

/// Whether an extension's calls may be suspended.
pub fn imports_sql(component: &Component) -> bool {
    const SQL_IMPORT: &str = "sqlite-wasm:extension/sql@";
    let ty = component.component_type();
    ty.imports(component.engine()).any(|(name, _)| name.starts_with(SQL_IMPORT))
}

/// The outside a sandbox: what stays when the instance is gone.
#[derive(Clone)]
pub struct Outside {
    pub exchange: Exchange,
    pub log: MemoryOutputPipe,
    memory_reached: Arc<AtomicBool>,
}

impl Outside {
    pub fn new(limits: &Limits) -> Self {
        Self {
            exchange: Exchange::default(),
            log: MemoryOutputPipe::new(limits.log_bytes),
            memory_reached: Arc::default(),
        }
    }

    /// What broke: the limit that was reached, and the panic's own text where
    /// there is one.
    pub fn story(&self, trap: &wasmtime::Error, limits: &Limits) -> String {
        let cause = self.cause(trap, limits);
        with_log(cause, &self.log.contents())
    }

    fn cause(&self, trap: &wasmtime::Error, limits: &Limits) -> String {
        let Limits { memory_bytes, call_time, value_bytes, .. } = limits;
        if self.memory_reached.load(Ordering::Relaxed) {
            return format!(
                "it wanted more than its {memory_bytes} bytes of memory; `--extension-memory` sets \
                 the limit"
            );
        }
        if trap.root_cause().to_string().contains(TOO_MUCH) {
            return format!(
                "it gave more than {value_bytes} bytes in one call; `--extension-value` sets the limit"
            );
        }
        match trap.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => format!(
                "it used up its time for one call, {call_time:?}; `--extension-timeout` sets the limit"
            ),
            _ => cause(trap),
        }
    }
}

/// What broke, and the panic's own text where there is one.
pub(crate) fn story(trap: &wasmtime::Error, log: &[u8]) -> String {
    with_log(cause(trap), log)
}

fn cause(trap: &wasmtime::Error) -> String {
    match trap.downcast_ref::<Trap>() {
        // What Rust's panics end with.
        Some(Trap::UnreachableCodeReached) => "unreachable".to_owned(),
        Some(trap) => text::one_line(&trap.to_string()),
        None => text::one_line(&trap.root_cause().to_string()),
    }
}

fn with_log(cause: String, log: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&log[log.len().saturating_sub(MAX_SHOWN_BYTES)..]);
    let shown = text::one_line(&shown);
    match shown.trim_end_matches(BACKTRACE_NOTE).trim_end() {
        "" => cause,
        shown => format!("{cause}; stderr: {shown}"),
    }
}

/// A store for an instance of `pre`.
pub fn store(
    pre: &InstancePre<Sandbox>,
    limits: &Limits,
    permissions: &Permissions,
    outside: &Outside,
    usage: &Usage,
) -> anyhow::Result<Store<Sandbox>> {
    let sandbox = Sandbox {
        table: resource_table(),
        exchange: outside.exchange.clone(),
        bound_bytes: 0,
        wasi: wasi(permissions, &outside.log),
        files: files(permissions)?,
        memory: usage
            .watched(MemoryLimit::new(limits.memory_bytes).reporting_to(&outside.memory_reached)),
    };
    let mut store = Store::new(pre.engine(), sandbox);
    store.limiter(|sandbox| &mut sandbox.memory);
    store.set_hostcall_fuel(limits.value_bytes);
    set_deadline(&mut store, limits.call_time);
    Ok(store)
}

/// The granted directories, by the rules of the program's own.
fn files(permissions: &Permissions) -> anyhow::Result<WasiFiles> {
    let mut grants = Grants::default();
    let mut directories: Vec<_> = permissions.directories.iter().collect();
    // As with SQL, the strongest of several grants counts.
    directories.sort_by_key(|directory| std::cmp::Reverse(directory.access));
    for directory in &directories {
        grants.add(Grant::open(&directory.host, &directory.host, directory.access)?);
    }
    if !directories.is_empty() && directories.iter().all(|directory| directory.hides_dotfiles) {
        Homes::of_user().iter().for_each(|home| grants.hide_dotfiles(home));
    }
    own_files::mask(&mut grants);
    let files = WasiFiles::new(Arc::new(grants), Kinds::Regular);
    Ok(directories.iter().fold(files, |files, directory| match directory.host.to_str() {
        Some(whole) => directory.names().fold(files, |files, name| files.with_name(whole, name)),
        None => files,
    }))
}

fn wasi(permissions: &Permissions, log: &MemoryOutputPipe) -> WasiCtx {
    let mut wasi = WasiCtxBuilder::new();
    wasi.stdout(log.clone()).stderr(log.clone());
    wasi.max_random_size(MAX_RANDOM_BYTES).allow_blocking_current_thread(true);
    for (name, value) in &permissions.environment {
        wasi.env(name, value);
    }
    wasi.build()
}

/// Let the next call end by then.
#[inline]
pub fn set_deadline(store: &mut Store<Sandbox>, time: Duration) {
    store.set_epoch_deadline(ticks(time));
}

/// Do not count the time that the instance waits for SQL.
pub fn forgive_waiting(store: &mut Store<Sandbox>) {
    store.epoch_deadline_callback(|store| match store.data().exchange.take_waited() {
        0 => Err(Trap::Interrupt.into()),
        waited => Ok(UpdateDeadline::Continue(waited + 1)),
    });
}

/// Done for each call, so without a division of 128 bits.
fn ticks(time: Duration) -> u64 {
    const TICKS_PER_SECOND: u64 = 1_000_000_000 / TICK.as_nanos() as u64;
    let parts = u64::from(time.subsec_nanos()) / TICK.as_nanos() as u64;
    // The engine adds the epoch so far, which must not wrap.
    time.as_secs()
        .min(MAX_TIME.as_secs())
        .saturating_mul(TICKS_PER_SECOND)
        .saturating_add(parts + 1)
}

static TICKS: AtomicU64 = AtomicU64::new(0);

/// Ticks of the clock so far.
pub fn ticked() -> u64 {
    TICKS.load(Ordering::Relaxed)
}

/// Start the clock of `engine`, once for the process: it has one engine for
/// extensions.
///
/// # Errors
///
/// When the system gives no thread: without the clock no call would end.
pub fn tick(engine: &Engine) -> anyhow::Result<()> {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    if *started {
        return Ok(());
    }
    let engine = engine.weak();
    threads::start("clock", move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            TICKS.fetch_add(1, Ordering::Relaxed);
            usage::tick();
            drop(engine);
            std::thread::sleep(TICK);
        }
    })?;
    *started = true;
    Ok(())
}
