//! SQLite's files: its VFS, on the host's interface `files`.

mod database_file;
#[allow(unsafe_code)]
mod io_methods;
mod mapped;
#[allow(unsafe_code)]
mod methods;
mod open;
mod wal_index;
mod wal_note;
