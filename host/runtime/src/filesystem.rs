//! Files as a component sees them: the directories that are granted, paths in them, locks, shared and mapped
//! memory, and the standard streams.
//!
//! Every way to a file goes through [`grants`]. Which files a program may have decides
//! [`sandbox`](crate::sandbox).

pub(crate) mod descriptors;
#[cfg(feature = "run")]
pub mod files;
#[cfg(feature = "run")]
pub mod forks;
pub mod grants;
#[cfg(feature = "run")]
pub mod inherited;
#[cfg(feature = "run")]
pub(crate) mod mapping;
#[cfg(feature = "run")]
pub(crate) mod masks;
pub(crate) mod page;
#[cfg(feature = "run")]
pub(crate) mod refusals;
#[cfg(feature = "run")]
pub mod stdio;
pub mod temporary;
#[cfg(feature = "run")]
pub(crate) mod wasi_files;
