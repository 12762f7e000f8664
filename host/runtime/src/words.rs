//! Words that go out and come in: what others wrote is escaped before it is shown, and checked before it is used.
//!
//! Nothing here knows files, components or SQL.

pub mod complaint;
pub mod escape;
pub(crate) mod received;
pub(crate) mod shown;
