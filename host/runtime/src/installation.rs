//! What is installed and whom it belongs to: the program's files, the user's directories, the user's key.
//!
//! Files of databases are not part of it: those are in [`filesystem`](crate::filesystem).

pub mod key;
pub mod owner;
pub mod program_files;
pub mod user_directories;
