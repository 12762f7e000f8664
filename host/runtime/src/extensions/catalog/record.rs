//! The manifest of an extension, recorded in its file for users to read.
//!
//! The record is a custom section with the manifest as JSON. No decision depends on it: loading
//! calls the extension.

use std::path::Path;

use anyhow::{Context, Result};

use crate::artifact::compiler::{Facts, MANIFEST_SECTION};
use crate::contract::composition;
use crate::contract::script::Script;
use crate::contract::types::Manifest;
use crate::contract::{check, version};
use crate::extensions::ExtensionsCtx;

/// The manifest that an extension's file records; none if it has no record.
///
/// # Errors
///
/// When the record is not a manifest, or not one that an extension may have.
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
    /// The extension at `path` with a record of its manifest. To get the manifest, this runs the
    /// extension, with its usual limits and without any grant.
    ///
    /// # Errors
    ///
    /// When the extension cannot be used.
    pub fn record(&mut self, path: &Path) -> Result<Vec<u8>> {
        let (wasm, facts) = self.inspected(path)?;
        if Script::of(&wasm)?.is_none() {
            version::check(&facts.exports)?;
        }
        self.recorded(path, &wasm).map(|(recorded, _)| recorded)
    }

    /// The extension `wasm`, which is to be the file at `path`, with a record of its manifest; and
    /// the manifest.
    pub(crate) fn recorded(&mut self, path: &Path, wasm: &[u8]) -> Result<(Vec<u8>, Manifest)> {
        let manifest = self.describe(path, wasm)?;
        let json = serde_json::to_vec(&manifest)?;
        Ok((composition::replace_section(wasm, MANIFEST_SECTION, &json)?, manifest))
    }
}
