//! Extensions that the command line names: they load, or nothing runs.

use std::fmt;

use anyhow::Result;

use super::ExtensionsCtx;
use crate::grants::Grants;

/// An extension that the command line names cannot be loaded; the reasons are
/// in the chain.
#[derive(Debug)]
pub struct NotLoaded;

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`--load` failed; nothing was run")
    }
}

impl std::error::Error for NotLoaded {}

impl ExtensionsCtx {
    /// Load the extensions `names`, which are prepared. The component's own
    /// `.load` finds them loaded.
    ///
    /// # Errors
    ///
    /// [`NotLoaded`], for the first that cannot be loaded.
    pub(crate) fn load_required<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a String>,
        grants: &Grants,
    ) -> Result<()> {
        for name in names {
            self.load(name, grants).map_err(|error| error.context(NotLoaded))?;
        }
        Ok(())
    }
}
