//! Databases as bytes.

use runtime::database::wire::{Operations, code};

use crate::connection::Connection;
use crate::error::{Error, Result};

/// SQLITE_DESERIALIZE_RESIZEABLE and SQLITE_DESERIALIZE_READONLY.
const RESIZEABLE: u32 = 2;
const READ_ONLY: u32 = 4;

impl Connection {
    /// The content of the database `schema` (`main`), in the format of its file.
    ///
    /// ```
    /// # let builder = sqlite_sandbox::Database::builder().component("../../target/release/database.cwasm");
    /// let database = builder.build()?;
    /// let db = database.open_in_memory()?;
    /// db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (7)")?;
    /// let bytes = db.serialize("main")?;
    /// let mut copy = database.open_in_memory()?;
    /// copy.deserialize("main", &bytes, false)?;
    /// assert_eq!(copy.query_row("SELECT a FROM t", (), |row| row.get::<_, i64>(0))?, 7);
    /// # Ok::<(), sqlite_sandbox::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `SQLITE_NOMEM` if it does not fit into the memory of the connection, or if the database does
    /// not exist.
    pub fn serialize(&self, schema: &str) -> Result<Vec<u8>> {
        let call = Operations::default().call_serialize(Some(schema.as_bytes()), 0);
        self.client.call(&call, |reply| {
            let _size = reply.i64()?;
            let content = reply.optional_bytes()?;
            content
                .map(<[u8]>::to_vec)
                .ok_or_else(|| Error::sqlite(code::NOMEM, "no memory is left"))
        })
    }

    /// Replace the database `schema` by one in memory with this content.
    ///
    /// # Errors
    ///
    /// SQLite's. Malformed content is only detected when it is used.
    pub fn deserialize(&mut self, schema: &str, content: &[u8], is_read_only: bool) -> Result<()> {
        let flags = if is_read_only { READ_ONLY } else { RESIZEABLE };
        let (schema, room) = (Some(schema.as_bytes()), content.len() as i64);
        let call = Operations::default().call_deserialize(schema, Some(content), room, flags);
        self.client.call(&call, |_| Ok(()))
    }
}
