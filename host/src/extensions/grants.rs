//! What extensions are granted, and by whom.

mod permissions;
mod permits;
mod prompt;

pub use permissions::{Directory, Permissions, SqlAccess};
pub use permits::{Ask, Identity, Permits, hexadecimal, sha256};
