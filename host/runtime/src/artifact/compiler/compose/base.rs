//! The CLI that extensions are put into.

use std::ops::Range;

use anyhow::{Context, Result};

use crate::contract::composition::{Composition, Embedded, Placement};

/// What takes extensions: a CLI, which may be composed already.
pub struct Base {
    wasm: Vec<u8>,
    version: Option<String>,
}

impl Base {
    /// One whose file was read, and checked, by the caller.
    pub(crate) fn new(wasm: Vec<u8>, version: Option<String>) -> Self {
        Self { wasm, version }
    }

    pub(super) fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// The version of SQLite, where the CLI has it.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The CLI and the extensions in the file.
    ///
    /// # Errors
    ///
    /// When its list of extensions is damaged.
    pub fn parts(&self) -> Result<Parts<'_>> {
        let file = &self.wasm[..];
        let parts = match Composition::of(file)? {
            None => Parts { file, component: file, cli: 0..file.len(), extensions: Vec::new() },
            Some(Composition { component_bytes, cli, extensions, .. }) => {
                Parts { file, component: &file[..component_bytes], cli, extensions }
            }
        };
        Ok(parts)
    }
}

/// The parts of a base.
pub struct Parts<'a> {
    file: &'a [u8],
    /// The component, without what follows it in the file.
    pub component: &'a [u8],
    /// Where the CLI is in the component.
    pub cli: Range<usize>,
    /// Its embedded extensions.
    pub extensions: Vec<Embedded>,
}

impl<'a> Parts<'a> {
    /// The bytes of one part.
    ///
    /// # Errors
    ///
    /// When the file has no such part.
    pub fn wasm(&self, range: &Range<usize>) -> Result<&'a [u8]> {
        self.file.get(range.clone()).context("its list of extensions is damaged")
    }

    /// The extensions that are fused.
    pub fn fused(&self) -> impl Iterator<Item = (&Embedded, Result<&'a [u8]>)> {
        self.extensions.iter().filter_map(|one| match &one.placement {
            Placement::Fused(range) => Some((one, self.wasm(range))),
            Placement::Bundled { .. } => None,
        })
    }
}
