//! Where SQLite's C and the component's imports meet: the only `unsafe` code.

pub mod authorizer;
pub mod connection;
pub mod output;
pub mod read_list;
