//! Files as a component sees them: the directories that are granted, paths in them, locks, shared and mapped
//! memory, and the standard streams.
//!
//! Every way to a file goes through [`grants`]. Which files a program may have decides
//! [`sandbox`](crate::sandbox).

pub(crate) mod descriptors;
pub mod files;
pub mod forks;
pub mod grants;
pub mod inherited;
pub(crate) mod mapping;
pub(crate) mod masks;
pub(crate) mod page;
pub(crate) mod refusals;
pub mod stdio;
pub mod temporary;
pub(crate) mod wasi_files;
