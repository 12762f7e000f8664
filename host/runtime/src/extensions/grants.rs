//! Grants of extensions: their contents and their sources.

mod extension_grants;
mod granted;
mod prompt;

pub use extension_grants::{ExtensionGrants, Identity, Prompt};
pub use granted::{Directory, Granted, SqlAccess};
