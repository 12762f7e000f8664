//! SQLite in a WebAssembly sandbox, with rusqlite's API, for untrusted databases and SQL.
//!
//! Each connection runs SQLite in its own sandbox, with the files, memory and time that a
//! [`Builder`] grants. Neither a crafted database nor a stranger's SQL reaches the program's
//! memory, its other files, or its other connections.
//!
//! ```
//! use sqlite_sandbox::Database;
//! use std::time::Duration;
//!
//! fn main() -> sqlite_sandbox::Result<()> {
//!     let builder = Database::builder().memory(64 << 20).statement_time(Duration::from_secs(1));
//! #   let builder = builder.component("../../target/release/database.cwasm");
//!     let database = builder.rows(1000).build()?;
//!     let db = database.open_in_memory()?;
//!     let sql = "SELECT value FROM json_each('[1, 2, 3]')"; // a stranger's
//!     let mut statement = db.prepare(sql)?;
//!     let values = statement.query_map((), |row| row.get::<_, i64>(0))?;
//!     assert_eq!(values.sum::<sqlite_sandbox::Result<i64>>()?, 6);
//!     Ok(())
//! }
//! ```
//!
//! # Differences from rusqlite
//!
//! - Connections are opened by a [`Database`], which loads the sandboxed SQLite once:
//!   `database.cwasm`, in the program's directory.
//! - Only the opened database is granted, with its journals. [`Builder::directory`] grants what is
//!   attached.
//! - [`Connection::last_insert_rowid`] and similar functions call the sandbox, and so return a
//!   [`Result`].
//! - Functions and hooks of the program must be `Send`, and cannot use the connection.
//! - Extensions are ours: WebAssembly too.

#![forbid(unsafe_code)]

pub mod backup;
mod blob;
mod builder;
mod cache;
mod client;
mod config;
mod connection;
mod error;
mod events;
mod extensions;
pub mod functions;
pub mod hooks;
mod links;
mod params;
#[cfg(feature = "r2d2")]
pub mod pool;
mod rows;
mod serialize;
mod statement;
mod transaction;
pub mod types;

pub use blob::Blob;
pub use builder::{Access, Builder, Database};
pub use cache::CachedStatement;
pub use config::DbConfig;
pub use connection::{Connection, InterruptHandle, OpenFlags};
pub use error::{BoxedError, Error, ErrorCode, Limit, Result, SqliteError};
pub use params::{Params, ParamsFromIter, params_from_iter};
pub use rows::{AndThenRows, MappedRows, OptionalExtension, Row, RowIndex, Rows};
pub use statement::Statement;
pub use transaction::{DropBehavior, Savepoint, Transaction, TransactionBehavior};
pub use types::{FromSql, ToSql};
