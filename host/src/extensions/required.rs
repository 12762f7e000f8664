//! Extensions that the command line names: they load, or nothing runs.

use std::fmt;
use std::path::Path;

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
    /// Load the extensions `names`, where paths begin at `directory`. The
    /// component's own `.load` finds them loaded.
    ///
    /// # Errors
    ///
    /// [`NotLoaded`], for the first that cannot be loaded.
    pub(crate) fn load_required<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a String>,
        directory: Option<&Path>,
        grants: &Grants,
    ) -> Result<()> {
        for name in names {
            let name = whole(name, directory, grants);
            self.load(&name, grants).map_err(|error| error.context(NotLoaded))?;
        }
        Ok(())
    }
}

/// A path as the component will give it to the host: absolute, and with links
/// followed. A name stays as it is.
fn whole(name: &str, directory: Option<&Path>, grants: &Grants) -> String {
    if !name.contains('/') {
        return name.to_owned();
    }
    let path = directory.unwrap_or("/".as_ref()).join(name);
    let resolved =
        grants.resolve(&path).ok().and_then(|it| it.path.into_os_string().into_string().ok());
    resolved.unwrap_or_else(|| name.to_owned())
}
