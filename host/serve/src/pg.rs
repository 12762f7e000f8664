//! The Postgres wire (protocol 3.0), for psql and drivers.
//!
//! The network's threads accept a client and find out who it is; then the thread of its session
//! reads and writes the connection itself.

mod advisory;
mod alter;
mod analyse;
mod begin;
mod cancel;
mod checked;
mod constraints;
mod converse;
mod copy;
mod cursor;
mod cursors;
mod emptied;
mod execute;
mod explained;
mod failing;
mod failure;
mod hearing;
mod hidden;
mod listing;
mod maintained;
mod notes;
mod numbers;
mod objects;
mod out;
mod portals;
mod prepared;
mod row_locks;
mod savepoints;
mod serve;
mod session;
mod startup;
mod store;
mod stream;
mod tables;
mod transact;
mod transport;
mod violations;

pub use serve::{WireListener, refuse};
