//! What any component imports besides files: WASI's clocks and randomness, and the end of the
//! process.
//!
//! Files are in [`filesystem`](crate::filesystem), the imports of a database in [`database`](crate::database).

pub(crate) mod clock;
pub(crate) mod data;
pub(crate) mod fused;
pub mod process;
pub(crate) mod wasi;
