//! The databases that are offered, and the connections that calls use: each only once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use access::files::{Files, Identity, Named};
use access::policy::Role;
use anyhow::{Context, Result, bail};
use sqlite_sandbox::{Connection, Database, OpenFlags};
use sqlite_wasm_runtime::wall::{Plan, Rights};
use sqlite_wasm_runtime::words::escape::escaped;

use crate::catalog::{self, Catalog};
use crate::guard::{Guard, read_catalog};
use crate::lists::Lists;
use crate::options::Limits;

/// The name of the database of `--scratch`.
pub const SCRATCH: &str = "scratch";

/// A database.
pub struct Offered {
    pub named: Named,
    /// What `execute` may do; all other tools read.
    role: Role,
    /// Largest size, in bytes.
    size: u64,
    /// What agents do not see.
    pub lists: Lists,
    /// A connection that runs nothing of agents, so that the files of a log exist while theirs can
    /// only read.
    _kept: Mutex<Option<Connection>>,
    /// A connection for the next call that reads, and the file that it has opened.
    ready: Mutex<Option<(Identity, Ready)>>,
    catalog: Mutex<Arc<Catalog>>,
}

/// A connection that nobody has used, with its rules.
pub struct Ready {
    pub db: Connection,
    pub guard: Guard,
    /// The schema that the guard knows.
    pub catalog: Arc<Catalog>,
}

/// All of them.
pub struct Databases {
    sandbox: Database,
    all: Vec<Offered>,
}

/// How the files are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadOnly,
    ReadWrite,
}

impl Databases {
    /// Open each file once, in `first`: a sandbox without threads.
    ///
    /// # Errors
    ///
    /// With the file and SQLite's reason, and for a name of the lists that no database has.
    pub fn open(
        first: &Database,
        sandbox: Database,
        paths: &[PathBuf],
        access: Access,
        lists: &Lists,
        limits: Limits,
    ) -> Result<Self> {
        let files = Files::named(paths)?;
        let mut all = Vec::new();
        for name in files.names() {
            let named = files.find(Some(&name)).context("a database has no name")?;
            let shown = escaped(&named.path).to_string();
            if name == SCRATCH {
                bail!(
                    "`{shown}` has the name of the database of `--scratch`; rename it, or link to it by another name"
                );
            }
            let role = if access == Access::ReadWrite { Role::Write } else { Role::Read };
            let offered = Offered::open(first, named, role, limits.size, lists.clone());
            all.push(offered.with_context(|| format!("failed to open `{shown}`"))?);
        }
        let databases = Self { sandbox, all };
        databases.check(lists)?;
        Ok(databases)
    }

    /// A mistake in a list would show what should be hidden.
    fn check(&self, lists: &Lists) -> Result<()> {
        for name in lists.names() {
            let has = |offered: &Offered| {
                let catalog = offered.catalog();
                let table = catalog.table(&name.table);
                table.is_some_and(|table| {
                    name.column.as_ref().is_none_or(|column| table.column(column).is_some())
                })
            };
            if !self.all.iter().any(has) {
                let column = name
                    .column
                    .as_ref()
                    .map_or(String::new(), |column| format!(".{}", escaped(column)));
                bail!(
                    "no database has `{}{column}`, which `--tables` or `--hide` names",
                    escaped(&name.table)
                );
            }
        }
        Ok(())
    }

    /// Add the database of `--scratch`, a new file.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn add_scratch(&mut self, first: &Database, path: &Path, size: u64) -> Result<()> {
        let named = Named { name: SCRATCH.to_owned(), path: path.to_owned() };
        self.all.push(Offered::open(first, named, Role::Write, size, Lists::default())?);
        Ok(())
    }

    /// Keep what calls need reachable behind the second wall.
    ///
    /// # Errors
    ///
    /// For an invalid grant.
    pub fn plan(&self, plan: &mut Plan<'_>) -> Result<()> {
        for offered in &self.all {
            let directory = offered.named.path.parent().context("a database is in no directory")?;
            let rights = if offered.can_write() { Rights::Files } else { Rights::Read };
            plan.path(directory, rights);
        }
        self.sandbox.plan(plan)
    }

    /// Load the extensions once, to report what they lack before an agent meets it.
    ///
    /// # Errors
    ///
    /// With the extension, and what it needs.
    pub fn try_extensions(&self) -> Result<()> {
        self.sandbox.open_in_memory().context("failed to start a sandbox")?;
        Ok(())
    }

    /// The database with this name; without one the only one.
    ///
    /// # Errors
    ///
    /// The names that there are.
    pub fn find(&self, name: Option<&str>) -> Result<&Offered, String> {
        let found = match name {
            Some(name) => self.all.iter().find(|offered| offered.named.name == name),
            None => self.all.first().filter(|_| self.all.len() == 1),
        };
        found.ok_or_else(|| {
            let names: Vec<&str> =
                self.all.iter().map(|offered| offered.named.name.as_str()).collect();
            let missing = name.map_or("the argument `database` is missing".to_owned(), |name| {
                format!("no database `{name}`")
            });
            format!("{missing}; the databases are: {}", names.join(", "))
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Offered> {
        self.all.iter()
    }

    /// A connection that nobody has used: to read, one that is ready.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn connect(&self, offered: &Offered, access: Access) -> sqlite_sandbox::Result<Ready> {
        match access {
            Access::ReadWrite => self.fresh(offered, access),
            Access::ReadOnly => {
                let ready = offered.ready().take();
                match ready
                    .filter(|(of, ready)| *of == offered.named.identity() && !ready.db.is_gone())
                {
                    Some((_, ready)) => Ok(ready),
                    None => self.fresh(offered, access),
                }
            }
        }
    }

    /// Make a connection ready for the next call.
    pub fn prepare(&self, offered: &Offered) {
        if offered.ready().is_some() {
            return;
        }
        let before = offered.named.identity();
        // If it fails, the next call reports why.
        let Ok(ready) = self.fresh(offered, Access::ReadOnly) else { return };
        if before == offered.named.identity() {
            offered.ready().get_or_insert((before, ready));
        }
    }

    fn fresh(&self, offered: &Offered, access: Access) -> sqlite_sandbox::Result<Ready> {
        let db = open(&self.sandbox, &offered.named.path, access)?;
        db.execute_batch(settings(access))?;
        // SQLite reads the schema now, and not when an agent waits.
        let bytes: i64 = db.query_row("PRAGMA page_size", (), |row| row.get(0))?;
        db.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()))?;
        if access == Access::ReadWrite {
            let pages = (offered.size / bytes.max(1) as u64).max(1);
            db.execute_batch(&format!("PRAGMA max_page_count = {pages}"))?;
        }
        // Its statement stays prepared.
        catalog::version(&db)?;
        let role = if access == Access::ReadWrite { Role::Write } else { Role::Read };
        let catalog = offered.catalog();
        let guard = Guard::new(role, catalog.clone());
        db.authorizer(Some(guard.authorizer()))?;
        Ok(Ready { db, guard, catalog })
    }
}

impl Offered {
    fn open(first: &Database, named: Named, role: Role, size: u64, lists: Lists) -> Result<Self> {
        let create = named.name == SCRATCH;
        let flags = if create { OpenFlags::default() } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
        let db = first.open_with_flags(&named.path, flags | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
        if create {
            db.query_row("PRAGMA journal_mode = WAL", (), |_| Ok(()))?;
        }
        let catalog = Arc::new(read_catalog(&db, &lists)?);
        let mode: String = db.query_row("PRAGMA journal_mode", (), |row| row.get(0))?;
        let kept = Mutex::new((mode == "wal").then_some(db));
        let (ready, catalog) = (Mutex::default(), Mutex::new(catalog));
        Ok(Self { named, role, size, lists, _kept: kept, ready, catalog })
    }

    /// Whether `execute` may change it.
    pub fn can_write(&self) -> bool {
        self.role != Role::Read
    }

    /// The schema as it was read last.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The schema in this version, which `read` reads.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn renewed<E>(
        &self,
        version: i64,
        read: impl FnOnce() -> Result<Catalog, E>,
    ) -> Result<Arc<Catalog>, E> {
        let known = self.catalog();
        if known.version == version {
            return Ok(known);
        }
        let renewed = Arc::new(read()?);
        *self.catalog.lock().unwrap_or_else(PoisonError::into_inner) = renewed.clone();
        Ok(renewed)
    }

    fn ready(&self) -> MutexGuard<'_, Option<(Identity, Ready)>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a call waits for a lock of another program.
const BUSY: Duration = Duration::from_secs(5);

fn open(sandbox: &Database, path: &Path, access: Access) -> sqlite_sandbox::Result<Connection> {
    let mode = match access {
        Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let db = sandbox.open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
    db.busy_timeout(BUSY)?;
    Ok(db)
}

/// Temporary data is part of the memory of the sandbox, which has a limit.
fn settings(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => {
            "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA query_only = ON"
        }
        Access::ReadWrite => {
            "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON"
        }
    }
}
