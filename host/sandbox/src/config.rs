//! Switches of a connection that SQL does not have.

use runtime::database::wire::Operations;

use crate::connection::Connection;
use crate::error::Result;

/// A switch of `sqlite3_db_config`, with SQLite's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u32)]
#[expect(non_camel_case_types, reason = "SQLite's names, as in rusqlite")]
pub enum DbConfig {
    /// Triggers act. Foreign keys act without it, too.
    SQLITE_DBCONFIG_ENABLE_TRIGGER = 1003,
    /// The last connection that is closed makes no checkpoint, and leaves the WAL as it is.
    SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE = 1006,
}

impl Connection {
    /// Turn a switch on or off. Returns its state.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn set_db_config(&self, config: DbConfig, is_on: bool) -> Result<bool> {
        let call = Operations::default().call_db_config(config as u32, is_on.into());
        self.client.call(&call, |reply| Ok(reply.u32()? != 0))
    }
}
