//! SQLite in a sandbox of the crate `sqlite-wasm`.

pub use sqlite_wasm as sqlite;

#[path = "play.rs"]
pub mod play;
