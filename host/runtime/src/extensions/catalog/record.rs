//! What an extension registers, recorded in its file for people to read.
//!
//! The record is a custom section with the manifest as JSON. Nothing is decided
//! by it: loading calls the extension itself.

use std::path::Path;

use anyhow::{Context, Result};

use crate::compiler::{Facts, MANIFEST_SECTION};
use crate::composition;
use crate::contract::types::Manifest;
use crate::contract::{check, version};
use crate::extensions::ExtensionsCtx;

/// What the file of an extension says that it registers; none where it does not
/// say.
///
/// # Errors
///
/// When that is not a manifest, or one that no extension may have.
pub fn recorded(facts: &Facts) -> Result<Option<Manifest>> {
    let has_section = facts.sections.iter().any(|section| section.name == MANIFEST_SECTION);
    let Some(json) = facts.manifest.as_ref().filter(|_| has_section) else { return Ok(None) };
    let parse = || -> Result<Manifest> {
        let manifest = serde_json::from_str(json)?;
        check::manifest(&manifest)?;
        Ok(manifest)
    };
    parse().map(Some).with_context(|| format!("its section `{MANIFEST_SECTION}` is damaged"))
}

impl ExtensionsCtx {
    /// The extension at `path` with a record of what it registers. To learn
    /// that it is run, with its usual limits and without any grant.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn record(&mut self, path: &Path) -> Result<Vec<u8>> {
        let (wasm, facts) = self.inspected(path)?;
        version::check(&facts.exports)?;
        let manifest = serde_json::to_vec(&self.describe(path, &wasm)?)?;
        composition::replace_section(&wasm, MANIFEST_SECTION, &manifest)
    }
}
