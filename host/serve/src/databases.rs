//! The databases that are served, by name. A name from the network is never a path.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use access::files::{Files, Identity};
use access::policy::{self, Reading, Role};
use anyhow::{Context, Result};
use sqlite_sandbox::{Connection, Database, DbConfig, OpenFlags};
use sqlite_wasm_runtime::wall::{Plan, Rights};
use sqlite_wasm_runtime::words::escape::escaped;
use tokio::sync::Semaphore;

use crate::feed::Feed;
use crate::session::{Log, Opened, Writers};
pub use access::files::Named;

/// How long a database stays open without a session. Closing it copies its log into it, which
/// the next session need not wait for.
const KEEP: Duration = Duration::from_secs(60);

/// Connections that wait for clients of the Postgres wire, for each database in use.
const READY: usize = 2;

/// The log is shortened to this after a checkpoint, in bytes, so that one large transaction does
/// not keep the disk for ever.
const MAX_KEPT_LOG_BYTES: u64 = 64 << 20;

/// Connections to one database that are opened at a time: its file says how long that takes, and the
/// server opens eight at a time for all.
const OPENING: usize = 2;

/// What each connection gets.
#[derive(Debug, Clone, Copy)]
pub struct FileLimits {
    /// Size of a database, in bytes.
    pub size: u64,
    /// Whether temporary data may be in files, which the sandbox limits.
    pub has_temporary_files: bool,
    /// Whether each commit waits for the disk.
    pub is_durable: bool,
    /// Whether connections move the WAL to the database: after a commit when it is long, and when
    /// the last one is closed.
    pub has_checkpoints: bool,
    /// Whether no client may write: files are neither created nor changed to WAL.
    pub is_read_only: bool,
    /// Whether extensions are loaded, whose SQL a client may choose.
    pub has_extensions: bool,
}

/// The protocol of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Hrana,
    Postgres,
}

/// What connections run in.
pub struct Sandboxes {
    pub hrana: Database,
    pub postgres: Database,
}

/// A database that is open: one connection stays, so that its log and shared memory do.
struct OpenDatabase {
    connection: Mutex<Option<Connection>>,
    opening: Arc<Semaphore>,
    writers: Writers,
    /// For the next clients of the Postgres wire: nobody has used them.
    ready: Mutex<Vec<(Identity, Connection)>>,
    /// The thread that opens them.
    filling: Mutex<Option<JoinHandle<()>>>,
    is_closing: AtomicBool,
}

struct Entry {
    kept: Arc<OpenDatabase>,
    last_used: Instant,
}

/// The databases that are served.
pub struct Databases {
    sandbox: Database,
    /// With what the Postgres wire needs; the same where that is not served.
    postgres: Database,
    files: Files,
    limits: FileLimits,
    open: Mutex<HashMap<String, Entry>>,
    /// Those that sessions and subscribers have.
    feeds: Mutex<HashMap<String, Weak<Feed>>>,
}

impl std::fmt::Debug for Databases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Databases").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Databases {
    /// Serve these files; each is named as its file without the ending.
    ///
    /// # Errors
    ///
    /// Where two have one name, or the directory of one is missing.
    pub fn of_files(sandboxes: Sandboxes, limits: FileLimits, paths: &[PathBuf]) -> Result<Self> {
        Ok(Self::new(sandboxes, Files::named(paths)?, limits))
    }

    /// Serve the databases of a directory.
    ///
    /// # Errors
    ///
    /// Where the directory is missing.
    pub fn of_root(sandboxes: Sandboxes, limits: FileLimits, root: &Path) -> Result<Self> {
        Ok(Self::new(sandboxes, Files::root(root)?, limits))
    }

    fn new(sandboxes: Sandboxes, files: Files, limits: FileLimits) -> Self {
        let Sandboxes { hrana: sandbox, postgres } = sandboxes;
        Self { sandbox, postgres, files, limits, open: Mutex::default(), feeds: Mutex::default() }
    }

    /// Keep what sessions need reachable behind the second wall.
    ///
    /// # Errors
    ///
    /// For an invalid grant.
    pub fn plan(&self, plan: &mut Plan<'_>) -> Result<()> {
        let directories = self.files.directories();
        directories.into_iter().for_each(|path| plan.path(path, Rights::Files));
        self.sandbox.plan(plan)?;
        self.postgres.plan(plan)
    }

    /// Open the files that were named on the command line, and create those that are missing unless
    /// nobody may write, to report what is wrong.
    ///
    /// # Errors
    ///
    /// With the file and SQLite's reason.
    pub fn prepare(&self, sandbox: &Database) -> Result<()> {
        sandbox.open_in_memory().context("failed to start a session")?;
        let Files::Named(files) = &self.files else { return Ok(()) };
        for (name, path) in files {
            let flags = if self.limits.is_read_only {
                OpenFlags::SQLITE_OPEN_READ_WRITE
            } else {
                OpenFlags::default()
            } | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let opened =
                sandbox.open_with_flags(path, flags).and_then(|db| self.limits.applied(db));
            let checked =
                opened.and_then(|db| db.query_row("PRAGMA schema_version", (), |_| Ok(())));
            checked.with_context(|| format!("failed to open `{}`", escaped(path)))?;
            tracing::debug!(%name, path = %path.display(), "database");
        }
        Ok(())
    }

    /// Load the extensions once, to report what they lack before a client meets it.
    ///
    /// # Errors
    ///
    /// With the extension, and what it needs.
    pub fn try_extensions(&self) -> Result<()> {
        if self.limits.has_extensions {
            self.sandbox.open_in_memory()?;
        }
        Ok(())
    }

    /// The database with this name; without one the only one.
    pub fn find(&self, name: Option<&str>) -> Option<Named> {
        self.files.find(name)
    }

    /// The names of all databases that there are now, in order.
    pub fn names(&self) -> Vec<String> {
        self.files.names()
    }

    /// Whether a URL needs no name: only this one database is served.
    pub fn has_default(&self) -> bool {
        self.files.find(None).is_some()
    }

    /// Connect, with the settings of a role.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn connect(&self, named: &Named, role: Role, wire: Wire) -> sqlite_sandbox::Result<Opened> {
        let kept = self.kept(named);
        self.keep_open(&kept, named)?;
        let db = match wire {
            Wire::Hrana => open(&self.sandbox, named, self.limits)?,
            Wire::Postgres => self.ready(&kept, named)?,
        };
        let mut settings = self.settings(role);
        if wire == Wire::Postgres {
            settings.push_str(&format!("; {}", sqlite_wasm_postgres::state::SETUP.join("; ")));
        }
        db.execute_batch(&settings)?;
        if role != Role::Read {
            self.limits.limit_size(&db)?;
        }
        let reading = Reading::default();
        if self.limits.has_extensions {
            let has_checkpoints = self.limits.has_checkpoints;
            db.authorizer(Some(policy::authorizer(role, has_checkpoints, reading.clone())))?;
        }
        let has_plain_queries = !self.limits.has_extensions;
        let (writers, feed) = (kept.writers.clone(), self.feed(named));
        Ok(Opened { db, writers, has_plain_queries, reading, feed })
    }

    /// The feed of changes of a database.
    pub fn feed(&self, named: &Named) -> Arc<Feed> {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(feed) = feeds.get(&named.name).and_then(Weak::upgrade) {
            return feed;
        }
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed::new(&named.path));
        feeds.insert(named.name.clone(), Arc::downgrade(&feed));
        feed
    }

    /// Keep a database open for some time, as a session does.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn keep(&self, named: &Named) -> sqlite_sandbox::Result<()> {
        self.keep_open(&self.kept(named), named)
    }

    /// A connection of the Postgres wire, whose extensions take most of its time; others are
    /// opened meanwhile.
    fn ready(&self, kept: &Arc<OpenDatabase>, named: &Named) -> sqlite_sandbox::Result<Connection> {
        // Another file may have the name by now.
        let now = named.identity();
        let of_this = |(of, db): &mut (Identity, Connection)| *of == now && !db.is_gone();
        let found = {
            let mut ready = kept.ready.lock().unwrap_or_else(PoisonError::into_inner);
            ready.retain_mut(of_this);
            ready.pop()
        };
        let (sandbox, named_too, limits) = (self.postgres.clone(), named.clone(), self.limits);
        kept.start_filling(move |kept| kept.fill(&sandbox, &named_too, limits));
        match found {
            Some((_, db)) => Ok(db),
            None => open(&self.postgres, named, self.limits),
        }
    }

    /// Whether there can be several.
    pub fn has_many(&self) -> bool {
        self.files.has_many()
    }

    /// The turns to open connections of a database.
    pub fn opening(&self, named: &Named) -> Arc<Semaphore> {
        self.kept(named).opening.clone()
    }

    fn kept(&self, named: &Named) -> Arc<OpenDatabase> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let log = Log::of(&named.path, self.limits.size, self.limits.has_checkpoints);
            Entry { kept: Arc::new(OpenDatabase::new(log)), last_used: Instant::now() }
        };
        let entry = open.entry(named.name.clone()).or_insert_with(new);
        entry.last_used = Instant::now();
        entry.kept.clone()
    }

    fn keep_open(&self, kept: &OpenDatabase, named: &Named) -> sqlite_sandbox::Result<()> {
        let mut kept = kept.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_some_and(|db| !db.is_gone()) {
            return Ok(());
        }
        let db = open(&self.sandbox, named, self.limits)?;
        if !self.limits.is_read_only {
            // A file system without shared memory keeps its journal.
            db.query_row("PRAGMA journal_mode = WAL", (), |_| Ok(()))?;
        }
        // Only a read opens the log where the file has just been changed to it.
        db.query_row("PRAGMA schema_version", (), |_| Ok(()))?;
        *kept = Some(db);
        Ok(())
    }

    /// SQL that limits a connection. Clients cannot undo it: see `host/access/src/policy/pragmas.rs`. Temporary
    /// data is in memory, where the client's limit counts it, unless files for it have their own.
    fn settings(&self, role: Role) -> String {
        let synchronous = if self.limits.is_durable { "FULL" } else { "NORMAL" };
        let temporary = if self.limits.has_temporary_files { "FILE" } else { "MEMORY" };
        let mut sql = format!(
            "PRAGMA temp_store = {temporary}; PRAGMA synchronous = {synchronous};
             PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = {MAX_KEPT_LOG_BYTES};"
        );
        if role == Role::Read {
            sql.push_str("PRAGMA query_only = ON");
        }
        sql
    }

    /// Close the databases that no session has used for some time.
    pub fn sweep(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, entry| entry.last_used.elapsed() < KEEP);
    }

    /// Close all, so that their logs are copied into them, unless that is left to another program.
    pub fn close(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.drain().for_each(|(_, entry)| entry.kept.stop_filling());
    }
}

impl FileLimits {
    /// A connection that has not used its file, with what holds for every one.
    fn applied(self, db: Connection) -> sqlite_sandbox::Result<Connection> {
        if !self.has_checkpoints {
            db.execute_batch("PRAGMA wal_autocheckpoint = 0")?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        }
        Ok(db)
    }

    /// Limit the database. SQLite counts its pages, whose size no client may change, also not by
    /// VACUUM: see `host/access/src/policy/pragmas.rs`.
    fn limit_size(self, db: &Connection) -> sqlite_sandbox::Result<()> {
        // Only a read makes sure of the size: the header of a new file may be in its log alone.
        db.query_row("PRAGMA schema_version", (), |_| Ok(()))?;
        let bytes = db.query_row("PRAGMA page_size", (), |row| row.get::<_, i64>(0))?;
        let pages = (self.size / bytes.max(1) as u64).max(1);
        db.execute_batch(&format!("PRAGMA max_page_count = {pages}"))
    }
}

impl OpenDatabase {
    fn new(log: Log) -> Self {
        let (connection, ready, filling, is_closing) = Default::default();
        let opening = Arc::new(Semaphore::new(OPENING));
        Self { connection, opening, writers: Writers::new(log), ready, filling, is_closing }
    }

    /// Let a thread `fill` it, unless one does.
    fn start_filling(self: &Arc<Self>, fill: impl FnOnce(&Self) + Send + 'static) {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        if filling.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let kept = self.clone();
        let thread = std::thread::Builder::new().name("ready".to_owned());
        // Without another thread each client waits for its own.
        *filling = thread.spawn(move || fill(&kept)).ok();
    }

    /// Wait for the connection that is being opened, if any: no other one will be.
    fn stop_filling(&self) {
        self.is_closing.store(true, Ordering::Release);
        let thread = self.filling.lock().unwrap_or_else(PoisonError::into_inner).take();
        // One that panicked has closed its connection, too.
        thread.into_iter().for_each(|thread| drop(thread.join()));
    }

    fn fill(&self, sandbox: &Database, named: &Named, limits: FileLimits) {
        let ready = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        while ready().len() < READY && !self.is_closing.load(Ordering::Acquire) {
            let before = named.identity();
            let Ok(db) = open(sandbox, named, limits) else { break };
            if before != named.identity() {
                break;
            }
            ready().push((before, db));
        }
    }
}

fn open(
    sandbox: &Database,
    named: &Named,
    limits: FileLimits,
) -> sqlite_sandbox::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    limits.applied(sandbox.open_with_flags(&named.path, flags)?)
}
