//! What extensions are granted, and by whom.

mod extension_grants;
mod granted;
mod prompt;

pub use extension_grants::{ExtensionGrants, Identity, Prompt};
pub use granted::{Directory, Granted, SqlAccess};
