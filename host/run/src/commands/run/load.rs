//! `--load`: extensions that are loaded before anything else.

use std::path::PathBuf;

use anyhow::Result;
use sqlite_wasm_runtime::extensions::ExtensionsCtx;

/// An extension that `--load` names: by the path of its file, or by a name to
/// search for.
pub enum LoadOption {
    File(PathBuf),
    Name(String),
}

impl LoadOption {
    /// A path contains a `/`, and can omit the file extension.
    pub fn of(option: &str) -> Self {
        if !option.contains('/') {
            return Self::Name(option.to_owned());
        }
        let has_ending = option.ends_with(".wasm") || option.ends_with(".cwasm");
        Self::File(if has_ending { option.into() } else { format!("{option}.wasm").into() })
    }

    /// The name that the shell loads it by. Never a path, so that no path goes
    /// through SQL.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into(),
            Self::Name(name) => name.clone(),
        }
    }

    /// Prepare the extension before any component runs.
    pub fn prepare(&self, extensions: &mut ExtensionsCtx) -> Result<()> {
        match self {
            Self::File(path) => extensions.prepare_file(path),
            Self::Name(name) => extensions.prepare(name),
        }
    }
}
