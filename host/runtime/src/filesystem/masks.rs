//! The files that no grant opens, because the program would later trust what SQL wrote there.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::filesystem::grants::{Grants, Mask};
use crate::installation::program_files;
use crate::installation::user_directories;

/// The masks of a sandbox and of its extensions: those of the program itself, and more by name.
#[derive(Debug, Clone)]
pub struct Masks {
    program: &'static [(PathBuf, Mask)],
    named: Arc<Vec<(PathBuf, Mask)>>,
}

impl Default for Masks {
    /// The files that are installed with this process's program, and the user's directories for it.
    fn default() -> Self {
        // They are the same for all sandboxes of a process, and take a dozen system calls.
        static PROGRAM: OnceLock<Vec<(PathBuf, Mask)>> = OnceLock::new();
        Self { program: PROGRAM.get_or_init(|| of_program().collect()), named: Arc::default() }
    }
}

impl Masks {
    /// Mask these paths too, whether the files exist or not.
    pub fn add(&mut self, mask: Mask, paths: impl IntoIterator<Item = impl AsRef<Path>>) {
        let absolute = |path| std::path::absolute(path).ok();
        let paths = paths.into_iter().filter_map(absolute).map(|path| (path, mask));
        Arc::make_mut(&mut self.named).extend(paths);
    }

    /// Mask them in `grants`.
    pub fn apply(&self, grants: &mut Grants) {
        if grants.iter().next().is_none() {
            return;
        }
        let all = self.program.iter().chain(self.named.iter());
        grants.mask_all(all.map(|(path, mask)| (path.as_path(), *mask)));
    }
}

fn of_program() -> impl Iterator<Item = (PathBuf, Mask)> {
    let hidden = [
        user_directories::cache(),
        user_directories::data(),
        user_directories::config(),
        user_directories::state(),
    ];
    let hidden = hidden.into_iter().flatten().map(|path| (path, Mask::Hidden));
    hidden.chain(program_files::all().into_iter().map(|path| (path, Mask::ReadOnly)))
}
