//! Connections in a pool of the crate `r2d2`.

use std::path::PathBuf;

use crate::builder::Database;
use crate::connection::{Connection, OpenFlags};
use crate::error::{Error, Result};

/// Opens connections for [`r2d2::Pool`].
///
/// ```
/// # use sqlite_sandbox::{Database, pool::ConnectionManager};
/// # let builder = Database::builder().component("../../target/release/database.cwasm");
/// # let file = std::env::temp_dir().join("sqlite-wasm-pool.db");
/// let database = builder.build()?;
/// let pool = r2d2::Pool::builder().max_size(2).build(ConnectionManager::new(database, &file));
/// let db = pool.unwrap().get().unwrap();
/// assert_eq!(db.query_row("SELECT 7", (), |row| row.get::<_, i64>(0))?, 7);
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[derive(Debug)]
pub struct ConnectionManager {
    database: Database,
    path: PathBuf,
    flags: OpenFlags,
}

impl ConnectionManager {
    /// Connections to the database at `path`.
    pub fn new(database: Database, path: impl Into<PathBuf>) -> Self {
        Self { database, path: path.into(), flags: OpenFlags::default() }
    }

    /// Open them with these flags.
    #[must_use]
    pub fn with_flags(mut self, flags: OpenFlags) -> Self {
        self.flags = flags;
        self
    }
}

impl r2d2::ManageConnection for ConnectionManager {
    type Connection = Connection;
    type Error = Error;

    fn connect(&self) -> Result<Connection> {
        self.database.open_with_flags(&self.path, self.flags)
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<()> {
        connection.client.usable()?;
        connection.execute_batch("")
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        let client = &connection.client;
        client.is_gone() || client.usable().is_err() || !connection.is_autocommit().unwrap_or(false)
    }
}
