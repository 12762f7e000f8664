//! What the Postgres wire needs of a server over SQLite, apart from the network.
//!
//! - [`table_text`]: the text of a table in SQLite's schema, and its changes
//! - [`translate`]: Postgres SQL to SQLite's
//! - [`types`]: types of columns and parameters, before there is a row
//! - [`values`]: the text and binary formats of values
//! - [`copy`]: the data of COPY
//! - [`frames`]: the messages of clients
//! - [`error`]: SQLite's errors as SQLSTATEs
//! - [`state`]: the transaction of a session, its settings and command tags
//!
//! Text, parameters and data come from strangers. Nothing here panics or keeps more than its
//! input is long, and the depth of a statement is limited before it is parsed.

#![forbid(unsafe_code)]

pub mod copy;
pub mod error;
pub mod frames;
mod lex;
pub mod renames;
pub mod state;
pub mod table_text;
pub mod translate;
pub mod types;
pub mod values;
mod walk;

pub use error::{Error, Result};
