//! Where SQLite's C and the component's imports meet: the only `unsafe` code.

pub mod authorizer;
pub mod connection;
pub mod extensions;
pub mod io_methods;
pub mod mapped;
pub mod output;
pub mod read_list;
mod read_only;
pub mod vfs;
