//! SQLite's files: its VFS, on the host's interface `files`.

mod database_file;
mod io_methods;
mod mapped;
mod methods;
pub mod result_code;
mod wal_index;
mod wal_note;
