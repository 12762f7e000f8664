//! `extension remove` and `extension verify`: what was installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use sqlite_wasm_catalogue::names::sha256;
use sqlite_wasm_catalogue::pins::{Pin, Pins};
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::words::complaint::complain;
use sqlite_wasm_runtime::words::escape::escaped;

use super::install::read_lock;
use super::store::Store;
use crate::commands::print;

/// Remove extensions that were installed
#[derive(Debug, clap::Args)]
pub struct Remove {
    /// Their names
    #[arg(value_name = "NAME", required = true)]
    extensions: Vec<String>,
}

/// Check that what was installed is what the sources have signed
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// Their names; without any, all
    #[arg(value_name = "NAME")]
    extensions: Vec<String>,

    /// Check also that what this lock file names is installed
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

impl Remove {
    /// Remove each of them.
    pub fn execute(&self) -> Result<ExitCode> {
        let store = Store::open()?;
        let pins = chosen(&store.installed()?, &self.extensions)?;
        pins.iter().try_for_each(|pin| store.remove(pin))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Verify {
    /// Print a line for each; fails if one differs.
    pub fn execute(&self) -> Result<ExitCode> {
        let store = Store::open()?;
        let installed = store.installed()?;
        let mut pins = chosen(&installed, &self.extensions)?;
        if let Some(path) = &self.lock {
            pins.extend(read_lock(path)?.iter().cloned());
        }
        let mut differences = 0;
        for pin in &pins {
            match difference(&store, &installed, pin) {
                None => {
                    print(format!("{} {} is as signed\n", pin.name, pin.version).as_bytes());
                }
                Some(difference) => {
                    complain(format!("{} {}: {difference}", pin.name, pin.version));
                    differences += 1;
                }
            }
        }
        match differences {
            0 => Ok(ExitCode::SUCCESS),
            _ => bail!(
                "{differences} of {} differ; `extension install` installs them again",
                pins.len()
            ),
        }
    }
}

/// Which extensions of this user's directory were installed, as a line says it.
pub fn origin_of(path: &Path, installed: &Pins) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let is_there = user_directories::data()?.join("extensions") == path.parent()?;
    let pin = installed.get(name).filter(|_| is_there)?;
    Some(format!("{} {} from {}", pin.name, pin.version, pin.source))
}

/// The pins of these names, or all.
fn chosen(installed: &Pins, names: &[String]) -> Result<Vec<Pin>> {
    if names.is_empty() {
        return Ok(installed.iter().cloned().collect());
    }
    let find = |name: &String| {
        let pin = installed.get(name).cloned();
        pin.with_context(|| format!("the extension `{}` is not installed", escaped(name)))
    };
    names.iter().map(find).collect()
}

fn difference(store: &Store, installed: &Pins, pin: &Pin) -> Option<String> {
    if installed.get(&pin.name).is_none_or(|found| found.sha256 != pin.sha256) {
        return Some("the lock file names it, and it is not installed".to_owned());
    }
    match fs::read(store.file(&pin.name)) {
        Ok(wasm) if sha256(&wasm) == pin.sha256 => None,
        Ok(_) => Some("its file has been changed".to_owned()),
        Err(error) => Some(format!("its file cannot be read: {error}")),
    }
}
