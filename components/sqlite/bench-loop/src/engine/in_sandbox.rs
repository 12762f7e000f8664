//! SQLite in a sandbox of the crate `sqlite-sandbox`.

pub use sqlite_sandbox as sqlite;

#[path = "play.rs"]
pub mod play;
