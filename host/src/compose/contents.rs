//! What a program is: the version of its CLI, and the extensions in it. It is
//! read from its list; nothing of it runs.

use std::path::PathBuf;

use serde::Serialize;

use super::composition::{Composition, Embedded};
use crate::extensions::inspect::need;

/// A program, as far as it can be looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Contents {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: u64,
    /// The SHA-256 of its content, as `sha256sum` prints it.
    pub sha256: String,
    /// Whether it holds native code.
    pub precompiled: bool,
    /// The version of SQLite, where the file says it.
    pub cli_version: Option<String>,
    /// The extensions in it, the newest last.
    pub extensions: Vec<Contained>,
}

/// An extension in a program.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the others are those of `Embedded`")]
pub struct Contained {
    pub name: String,
    pub version: String,
    pub sha256: String,
    /// Whether it is inside the component.
    pub inside: bool,
    /// Whether it is beside, in a sandbox of its own.
    pub beside: bool,
    /// Why it is where it is.
    pub why: String,
    pub registers: Vec<String>,
}

impl Contained {
    /// The extensions of a list.
    pub fn all(composition: Option<&Composition>) -> Vec<Self> {
        let extensions = composition.iter().flat_map(|composition| &composition.extensions);
        extensions.map(Self::from).collect()
    }
}

impl Embedded {
    /// Where it is, and why.
    pub fn way(&self) -> String {
        match self.beside {
            Some(_) => format!("beside, as it needs {}", self.needs()),
            None => "inside, as it needs no grant".into(),
        }
    }

    fn needs(&self) -> String {
        let manifest = self.manifest.iter();
        let needs: Vec<String> = manifest.flat_map(|manifest| &manifest.needs).map(need).collect();
        match needs.is_empty() {
            true => "a grant".into(),
            false => needs.join(", "),
        }
    }
}

impl From<&Embedded> for Contained {
    fn from(embedded: &Embedded) -> Self {
        Self {
            name: embedded.name.clone(),
            version: embedded.version.clone(),
            sha256: embedded.sha256.clone(),
            inside: embedded.inside.is_some(),
            beside: embedded.beside.is_some(),
            why: embedded.way(),
            registers: embedded.registers.clone(),
        }
    }
}
