//! Databases and other files: what SQLite does natively with locks, journals, WAL,
//! mappings, faults and crashes, the runner does too.

#[path = "../support/mod.rs"]
mod support;

mod crowd;
mod faults;
mod full_disk;
mod mapping;
mod names;
mod read_only;
mod recovery;
mod sharing;
mod shell_files;
mod temporary_files;
mod traces;
mod wal;
