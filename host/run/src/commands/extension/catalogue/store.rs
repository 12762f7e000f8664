//! The files of the catalogue in the user's directories, which no grant reaches: the sources with
//! the settings; the extensions and the record of them with the data.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlite_wasm_catalogue::pins::{MAX_PINS_BYTES, Pin, Pins};
use sqlite_wasm_catalogue::sources::Sources;
use sqlite_wasm_runtime::installation::owner::read_trusted;
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::words::escape::escaped;

use crate::commands::write_whole;

/// Longest file of sources: a thousand.
const MAX_SOURCES_BYTES: u64 = 1 << 20;

/// The file of the sources, in the settings.
const SOURCES: &str = "sources.json";

/// The record of what was installed, in the data.
const INSTALLED: &str = "installed.json";

/// What this user has installed. Nothing is created.
pub fn installed() -> Pins {
    let data = user_directories::data();
    data.and_then(|data| read(&data.join(INSTALLED), MAX_PINS_BYTES).ok()).unwrap_or_default()
}

/// The user's directories for the catalogue. They exist.
pub struct Store {
    settings: PathBuf,
    data: PathBuf,
}

impl Store {
    /// The directories of this user, which are made if they are missing.
    pub fn open() -> Result<Self> {
        let missing = "there is no directory for it; set `HOME` to a directory of your own";
        let settings = user_directories::config().context(missing)?;
        let data = user_directories::data().context(missing)?;
        let store = Self { settings, data };
        for directory in [&store.settings, &store.extensions()] {
            let failed = || format!("failed to create `{}`", escaped(directory));
            fs::create_dir_all(directory).with_context(failed)?;
        }
        Ok(store)
    }

    /// The directories that are written.
    pub fn directories(&self) -> [&Path; 2] {
        [&self.settings, &self.data]
    }

    /// The directory of the user's extensions.
    pub fn extensions(&self) -> PathBuf {
        self.data.join("extensions")
    }

    /// The file of an extension, whose name was checked.
    pub fn file(&self, name: &str) -> PathBuf {
        self.extensions().join(name).with_added_extension("wasm")
    }

    /// The sources.
    pub fn sources(&self) -> Result<Sources> {
        let path = self.settings.join(SOURCES);
        read(&path, MAX_SOURCES_BYTES)
    }

    /// Change the sources, while no other process does.
    pub fn change_sources<T>(&self, change: impl FnOnce(&mut Sources) -> Result<T>) -> Result<T> {
        let _lock = lock(&self.settings)?;
        let mut sources = self.sources()?;
        let changed = change(&mut sources)?;
        write(&self.settings.join(SOURCES), &sources)?;
        Ok(changed)
    }

    /// What was installed.
    pub fn installed(&self) -> Result<Pins> {
        read(&self.data.join(INSTALLED), MAX_PINS_BYTES)
    }

    /// Write an extension, unless another process has changed it since `before` was read. A file
    /// that was not installed by this program stays.
    pub fn install(&self, before: Option<&Pin>, pin: Pin, wasm: &[u8]) -> Result<()> {
        let _lock = lock(&self.data)?;
        let mut installed = self.unchanged(&pin.name, before)?;
        let path = self.file(&pin.name);
        ensure!(
            before.is_some() || !path.exists(),
            "`{}` was not installed by this program; move it away first",
            escaped(&path)
        );
        write_whole(&path, wasm)?;
        installed.put(pin);
        write(&self.data.join(INSTALLED), &installed)
    }

    /// Remove an extension that was installed.
    pub fn remove(&self, pin: &Pin) -> Result<()> {
        let _lock = lock(&self.data)?;
        let mut installed = self.unchanged(&pin.name, Some(pin))?;
        let path = self.file(&pin.name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error)
                    .with_context(|| format!("failed to remove `{}`", escaped(&path)));
            }
            _ => installed.remove(&pin.name),
        }
        write(&self.data.join(INSTALLED), &installed)
    }

    fn unchanged(&self, name: &str, before: Option<&Pin>) -> Result<Pins> {
        let installed = self.installed()?;
        ensure!(
            installed.get(name) == before,
            "another process has changed the extension {name} meanwhile; run the command again"
        );
        Ok(installed)
    }
}

/// A lock of the directory, until it is dropped.
fn lock(directory: &Path) -> Result<File> {
    let lock = || -> Result<File> {
        let file = File::open(directory)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    };
    lock().with_context(|| format!("failed to lock `{}`", escaped(directory)))
}

/// A file of this user; the default if it is missing.
fn read<T: Default + DeserializeOwned>(path: &Path, max_bytes: u64) -> Result<T> {
    if !path.exists() {
        return Ok(T::default());
    }
    let parse = || -> Result<T> { Ok(serde_json::from_str(&read_trusted(path, max_bytes)?)?) };
    parse().with_context(|| format!("failed to read `{}`", escaped(path)))
}

/// Write a value as JSON, completely or not at all.
pub fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let mut json = serde_json::to_vec_pretty(value)?;
    json.push(b'\n');
    write_whole(path, &json)
}
