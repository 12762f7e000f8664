//! `--load`: extensions that are loaded before anything else.

use std::path::PathBuf;

use anyhow::Result;
use sqlite_wasm_run::extensions::ExtensionsCtx;

/// What `--load` names: by the path of a file, or by a name that is looked for.
pub enum Load {
    File(PathBuf),
    Name(String),
}

impl Load {
    /// A path has a `/`; its ending may be left out.
    pub fn of(option: &str) -> Self {
        if !option.contains('/') {
            return Self::Name(option.to_owned());
        }
        let has_ending = option.ends_with(".wasm") || option.ends_with(".cwasm");
        Self::File(if has_ending { option.into() } else { format!("{option}.wasm").into() })
    }

    /// What the shell loads it by: a name in any case, so that no path goes
    /// through SQL.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into(),
            Self::Name(name) => name.clone(),
        }
    }

    /// Have it ready before any component runs.
    pub fn prepare(&self, extensions: &mut ExtensionsCtx) -> Result<()> {
        match self {
            Self::File(path) => extensions.prepare_file(path),
            Self::Name(name) => extensions.prepare(name),
        }
    }
}
