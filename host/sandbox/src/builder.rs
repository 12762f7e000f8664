//! Databases: the grants and limits of their connections.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use runtime::database::{Settings, Template};
pub use runtime::filesystem::grants::Access;
use runtime::limits::address_space::Reservation;
use runtime::sandbox::{DatabaseGrant, Links, Neighbours, Recipe, Source, Timing};
use runtime::wall::Plan;

use crate::connection::{Connection, OpenFlags};
use crate::error::{Error, Result};
use crate::extensions::{Extensions, extension_grants};
use crate::links;

/// Default memory of a connection, in bytes.
const DEFAULT_MEMORY: usize = 256 << 20;

/// Default time for which a statement waits for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub memory: usize,
    pub statement_time: Option<Duration>,
    pub time: Option<Duration>,
    pub rows: Option<u64>,
    pub bytes: Option<u64>,
    pub temporary_files: Option<u64>,
}

/// Grants and limits of connections; [`Database::builder`] creates one.
pub struct Builder {
    recipe: Recipe,
    component: Option<Source>,
    directories: Vec<(PathBuf, Access)>,
    limits: Limits,
    extension_directories: Vec<PathBuf>,
    extensions: Vec<String>,
    extension_grants: Vec<String>,
}

impl Builder {
    fn new() -> Self {
        Self {
            recipe: Recipe::of_user(),
            component: None,
            directories: Vec::new(),
            limits: Limits {
                memory: DEFAULT_MEMORY,
                statement_time: None,
                time: None,
                rows: None,
                bytes: None,
                temporary_files: None,
            },
            extension_directories: Vec::new(),
            extensions: Vec::new(),
            extension_grants: Vec::new(),
        }
    }

    /// Use the sandboxed SQLite in this file: `database.cwasm`, `database.wasm`, or a result of
    /// `compose --cli database.wasm`. Without this and [`Self::component_bytes`], the first of the
    /// two names is used that is in the program's directory; if that has neither, nor
    /// `sqlite-wasm-compile`, in `../libexec/sqlite-wasm-run` of a program in `bin`, or in the parent
    /// of cargo's `deps` and `examples`.
    #[must_use]
    pub fn component(mut self, path: impl Into<PathBuf>) -> Self {
        self.component = Some(Source::File(path.into()));
        self
    }

    /// Use these bytes of a `.wasm`: `include_bytes!("database.wasm")`. The first start compiles
    /// them, which takes seconds, with `sqlite-wasm-compile` in the program's directory, and stores
    /// the result in the user's cache.
    #[must_use]
    pub fn component_bytes(mut self, wasm: &'static [u8]) -> Self {
        self.component = Some(Source::Bytes(wasm));
        self
    }

    /// Compile with this `sqlite-wasm-compile` instead of the one in the program's directory. None
    /// is needed if everything is compiled already.
    #[must_use]
    pub fn compiler(mut self, path: impl Into<PathBuf>) -> Self {
        self.recipe.compiler = self.recipe.compiler.helper(path.into());
        self
    }

    /// Grant a directory, for attached databases, backups, and everything else that SQL opens by
    /// name. A database that is opened by its path needs no grant.
    #[must_use]
    pub fn directory(mut self, path: impl Into<PathBuf>, access: Access) -> Self {
        self.directories.push((path.into(), access));
        self
    }

    /// Limit the memory of a connection, in bytes, up to 4 GiB; 256 MiB by default. SQLite itself
    /// needs about 10 MiB, of which 8 MiB are address space for its stack. Extensions have separate
    /// memory, with the same limit.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Limit the time that one statement takes in SQLite, for all its rows together; no limit by
    /// default. When the time is over, the statement ends, usually within milliseconds, and its
    /// changes are undone. SQLite checks the clock between steps of its program; if one step takes
    /// two seconds longer (`LIKE` on megabytes), the connection traps.
    ///
    /// With this limit or that of [`Self::time`] SQLite is compiled once more from `database.wasm`,
    /// to code that checks the time and takes 1.2 times as long.
    #[must_use]
    pub fn statement_time(mut self, time: Duration) -> Self {
        self.limits.statement_time = Some(time);
        self
    }

    /// Limit the time from opening a connection until its last statement ends; no limit by
    /// default.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.limits.time = Some(time);
        self
    }

    /// Limit the rows that one statement returns; no limit by default.
    #[must_use]
    pub fn rows(mut self, rows: u64) -> Self {
        self.limits.rows = Some(rows);
        self
    }

    /// Limit the bytes that one statement returns; no limit by default. An integer or real counts
    /// as 9 bytes, and a text or blob as its length plus 6.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.limits.bytes = Some(bytes);
        self
    }

    /// Limit the total size of a connection's temporary files, in bytes; no limit by default.
    /// SQLite creates such files for large sorts and temporary tables, in the user's directory for
    /// them (not with `PRAGMA temp_store = MEMORY`).
    #[must_use]
    pub fn temporary_files(mut self, bytes: u64) -> Self {
        self.limits.temporary_files = Some(bytes);
        self
    }

    /// Add a directory in which extensions are searched by name.
    #[must_use]
    pub fn extension_directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.extension_directories.push(path.into());
        self
    }

    /// Load a WebAssembly extension into each connection, by its name.
    #[must_use]
    pub fn extension(mut self, name: impl Into<String>) -> Self {
        self.extensions.push(name.into());
        self
    }

    /// Grant a capability to an extension, in the words of the runner's `--grant`: `vec0=sql`.
    #[must_use]
    pub fn extension_grant(mut self, grant: impl Into<String>) -> Self {
        self.extension_grants.push(grant.into());
        self
    }

    /// Load the sandboxed SQLite, and open the granted directories.
    ///
    /// # Errors
    ///
    /// [`Error::Sandbox`] with the reason: a file that is missing or not sealed by this user, a
    /// missing directory, or an invalid grant.
    pub fn build(self) -> Result<Database> {
        self.shared().map(|shared| Database(Arc::new(shared))).map_err(Error::Sandbox)
    }

    fn shared(self) -> anyhow::Result<Shared> {
        extension_grants(&self.extension_grants)?;
        let Self { mut recipe, limits, .. } = self;
        let timing = match limits.statement_time.or(limits.time) {
            Some(_) => Timing::Checked,
            None => Timing::Unchecked,
        };
        let source = self.component.map_or_else(Source::of_program, Ok)?;
        let program = recipe.load_database(source, Reservation::Full, timing)?.ok_or_else(|| {
            anyhow!(
                "the program's directory has no `database.cwasm`; name it by `Builder::component`"
            )
        })?;
        self.directories.iter().try_for_each(|(path, access)| recipe.grant(path, *access))?;
        recipe.search_extensions(self.extension_directories);
        let mut extensions =
            Extensions { names: self.extensions, grants: self.extension_grants, prepared: None };
        extensions.prepare(&recipe, &program, limits)?;
        let template = Arc::new(Template::new(program)?);
        Ok(Shared { template, recipe, limits, extensions })
    }
}

/// Shared by all connections of a database.
pub(crate) struct Shared {
    template: Arc<Template>,
    recipe: Recipe,
    limits: Limits,
    extensions: Extensions,
}

/// A sandboxed SQLite with grants and limits, which opens connections. Each connection has a
/// separate instance: it cannot affect another one, and neither can a trap in it.
///
/// ```
/// use sqlite_sandbox::Database;
/// use std::time::Duration;
///
/// let builder = Database::builder().memory(64 << 20).statement_time(Duration::from_secs(1));
/// # let builder = builder.component("../../target/release/database.cwasm");
/// let database = builder.build()?;
/// let db = database.open_in_memory()?;
/// let sql = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c";
/// let error = db.execute_batch(sql).unwrap_err();
/// assert_eq!(error.to_string(), "the time limit of a statement, 1s was reached");
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[derive(Clone)]
pub struct Database(Arc<Shared>);

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

impl Database {
    /// A builder with the default limits and without grants.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Open a database for reading and writing, and create it if it is missing. The file is
    /// granted, with its journals, but no other file in its directory.
    ///
    /// # Errors
    ///
    /// SQLite's, and [`Error::Sandbox`] if the limits leave no room for an instance.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Connection> {
        self.open_with_flags(path, OpenFlags::default())
    }

    /// Open a database in memory.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_in_memory(&self) -> Result<Connection> {
        self.open(":memory:")
    }

    /// Open a database. With [`OpenFlags::SQLITE_OPEN_URI`], [`Builder::directory`] must grant the
    /// file that a URI names.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_with_flags(&self, path: impl AsRef<Path>, flags: OpenFlags) -> Result<Connection> {
        let asked = path.as_ref();
        let Shared { recipe, limits, extensions, .. } = &*self.0;
        let mut grants = recipe.default_grants();
        let path = if flags.names_a_file(asked) {
            grants.database(asked, granted(flags)).map_err(Error::Sandbox)?
        } else {
            asked.to_owned()
        };
        links::check(asked, &path, flags)?;
        let end = limits.time.and_then(|time| Instant::now().checked_add(time));
        let settings = Settings {
            grants: grants.into_grants(),
            masks: recipe.masks.clone(),
            memory_bytes: limits.memory,
            temporary_bytes: limits.temporary_files,
            end,
            on_refused: None,
            extensions: extensions.of_connection(recipe, *limits).map_err(Error::Sandbox)?,
        };
        let instance = self.0.template.start(settings).map_err(Error::Sandbox)?;
        let connection =
            Connection::start(instance, path.as_os_str(), flags, BUSY_TIMEOUT, *limits, end)?;
        for name in &extensions.names {
            connection.load_extension(name)?;
        }
        Ok(connection)
    }

    /// Keep what connections need besides their databases reachable behind the second wall of the
    /// server.
    ///
    /// # Errors
    ///
    /// For an invalid grant.
    #[doc(hidden)]
    pub fn plan(&self, plan: &mut Plan<'_>) -> anyhow::Result<()> {
        let Shared { recipe, limits, extensions, .. } = &*self.0;
        recipe.plan(&extensions.of_connection(recipe, *limits)?, plan);
        Ok(())
    }
}

/// The grant of a database that is opened with `flags`.
fn granted(flags: OpenFlags) -> DatabaseGrant {
    let access = if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Access::ReadWrite
    } else {
        Access::ReadOnly
    };
    DatabaseGrant { access, links: Links::Resolved, neighbours: Neighbours::Closed }
}
