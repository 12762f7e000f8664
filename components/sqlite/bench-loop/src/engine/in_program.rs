//! SQLite in this program: natively, or the engine's in a component.

pub use rusqlite as sqlite;

#[path = "play.rs"]
pub mod play;
