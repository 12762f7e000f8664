//! The contents of a program: the version of its CLI and its extensions, read from its
//! list. Nothing of it runs.

use std::path::PathBuf;

use serde::Serialize;

use super::{Composition, Embedded, Placement};

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
    /// Whether it is a part of the component, and shares its sandbox.
    pub fused: bool,
    /// `fused`, or `bundled (needs sql)`.
    pub placement: String,
    pub registers: Vec<String>,
}

impl Contained {
    /// The extensions of a list.
    pub fn all(composition: Option<&Composition>) -> Vec<Self> {
        let extensions = composition.iter().flat_map(|composition| &composition.extensions);
        extensions.map(Self::from).collect()
    }
}

impl From<&Embedded> for Contained {
    fn from(embedded: &Embedded) -> Self {
        Self {
            name: embedded.name.clone(),
            version: embedded.version.clone(),
            sha256: embedded.sha256.clone(),
            fused: matches!(embedded.placement, Placement::Fused(_)),
            placement: embedded.placement.to_string(),
            registers: embedded.registers.clone(),
        }
    }
}
