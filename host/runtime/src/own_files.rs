//! The runner's own files, which no grant opens: the runner would later trust
//! what SQL wrote there.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::grants::{Grants, Mask};
use crate::{program_files, user_directories};

/// One list for the process, since extensions are granted directories too.
static OWN: OnceLock<Vec<(PathBuf, Mask)>> = OnceLock::new();

/// Mask the runner's own files, and those of the command line: the history file
/// is hidden, and the files that the user trusts by name and the directories of
/// extensions are read-only. The first call decides for the process.
pub fn set(history: Option<&Path>, trusted: &[PathBuf], extensions: &[PathBuf]) {
    let history = history.into_iter().map(|path| (path.to_owned(), Mask::Hidden));
    let trusted = trusted.iter().map(|path| (path.clone(), Mask::ReadOnly));
    let extensions = extensions.iter().map(|path| (path.clone(), Mask::Extensions));
    let own = default_masks().chain(history).chain(trusted).chain(extensions);
    let own = own.filter_map(|(path, mask)| Some((std::path::absolute(path).ok()?, mask)));
    // A second run in one process has the same files.
    let _ = OWN.set(own.collect());
}

/// Apply the list to `grants`.
pub fn mask(grants: &mut Grants) {
    if grants.iter().next().is_none() {
        return;
    }
    let own = OWN.get_or_init(|| default_masks().collect());
    grants.mask_all(own.iter().map(|(path, mask)| (path.as_path(), *mask)));
}

fn default_masks() -> impl Iterator<Item = (PathBuf, Mask)> {
    let hidden = [
        user_directories::cache(),
        user_directories::data(),
        user_directories::config(),
        user_directories::state(),
    ];
    let hidden = hidden.into_iter().flatten().map(|path| (path, Mask::Hidden));
    hidden.chain(program_files::all().into_iter().map(|path| (path, Mask::ReadOnly)))
}
