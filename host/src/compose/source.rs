//! Extensions that are to be embedded: found, read, and asked what they are.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::component::Shape;
use super::composition::Embedded;
use super::contract::Contract;
use crate::escape::escaped;
use crate::extensions::types::{FunctionKind, Manifest};
use crate::extensions::{ExtensionsCtx, sha256};

/// Least likeness, from 0 to 1, of a name that is offered for an unknown one:
/// one wrong letter in three.
const LIKENESS: f64 = 0.6;

/// An extension that is to be embedded.
pub struct Source {
    wasm: Vec<u8>,
    manifest: Manifest,
}

/// How an extension travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Inside the component.
    Inside,
    /// In a sandbox of its own: what needs a grant, SQL above all, cannot be
    /// inside.
    Beside,
}

impl Source {
    /// The extension `name`, in `directories` or by the path of its `.wasm` file.
    ///
    /// # Errors
    ///
    /// When there is none, or it is no extension; the error says what it is.
    pub fn find(
        name: &str,
        directories: &[PathBuf],
        extensions: &mut ExtensionsCtx,
    ) -> Result<Self> {
        let path = locate(name, directories)?;
        let source = Self::read(&path, extensions);
        source.with_context(|| format!("failed to embed `{}`", escaped(name)))
    }

    /// What the helper is told of an extension.
    pub(super) fn new(wasm: Vec<u8>, manifest: Manifest) -> Self {
        Self { wasm, manifest }
    }

    fn read(path: &Path, extensions: &mut ExtensionsCtx) -> Result<Self> {
        let (wasm, facts) = extensions.inspected(path)?;
        // By its form first: the message of one that does not start is longer.
        Shape::known(&facts).interfaces(&Contract::read()?)?;
        Ok(Self { manifest: extensions.describe(path, &wasm)?, wasm })
    }

    /// The component.
    pub(super) fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// Its name, by its manifest.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// What it says of itself.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// As a composed file says it.
    pub(super) fn embedded(
        &self,
        inside: Option<Range<usize>>,
        beside: Option<Range<usize>>,
    ) -> Embedded {
        Embedded {
            name: self.manifest.name.clone(),
            version: self.manifest.version.clone(),
            sha256: sha256(&self.wasm),
            registers: self.registers(),
            inside,
            manifest: beside.is_some().then(|| self.manifest.clone()),
            beside,
        }
    }

    /// What it registers, as `function/arguments`, or the name of a collation
    /// or module.
    pub(super) fn registers(&self) -> Vec<String> {
        let functions = self.manifest.functions.iter().map(|function| match function.arguments {
            -1 => format!("{}/any", function.name),
            count => format!("{}/{count}", function.name),
        });
        let collations = self.manifest.collations.iter().map(|one| one.name.clone());
        let modules = self.manifest.modules.iter().map(|one| one.name.clone());
        functions.chain(collations).chain(modules).collect()
    }

    /// How it travels.
    pub(super) fn way(&self, shape: &Shape) -> Way {
        match self.manifest.needs.is_empty() && !shape.asks_for_sql() {
            true => Way::Inside,
            false => Way::Beside,
        }
    }

    /// Refuse a manifest that promises what the component does not export.
    ///
    /// # Errors
    ///
    /// The missing interface.
    pub(super) fn check_offer(&self, interfaces: &[(String, String)]) -> Result<()> {
        let scalar = |kind| kind == FunctionKind::Scalar;
        let kinds = || self.manifest.functions.iter().map(|function| function.kind);
        let promised = [
            ("scalar", kinds().any(scalar)),
            ("aggregate", kinds().any(|kind| !scalar(kind))),
            ("collation", !self.manifest.collations.is_empty()),
            ("table", !self.manifest.modules.is_empty()),
        ];
        for (name, is_promised) in promised {
            let is_there = interfaces.iter().any(|(interface, _)| interface == name);
            ensure!(
                is_there || !is_promised,
                "it does not export `{name}`, which its manifest needs"
            );
        }
        Ok(())
    }
}

/// The names of the extensions in `directories`, the first directory first.
pub fn known(directories: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut known: Vec<(String, PathBuf)> = Vec::new();
    for directory in directories {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "wasm")) {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            if known.iter().all(|(other, _)| other != name) {
                known.push((name.to_owned(), path));
            }
        }
    }
    known
}

fn locate(name: &str, directories: &[PathBuf]) -> Result<PathBuf> {
    if name.contains('/') || name.ends_with(".wasm") {
        ensure!(Path::new(name).is_file(), "there is no extension at `{}`", escaped(name));
        return Ok(name.into());
    }
    let known = known(directories);
    if let Some((_, path)) = known.iter().find(|(known, _)| known == name) {
        return Ok(path.clone());
    }
    let likeness = |other: &str| strsim::jaro_winkler(name, other);
    let nearest = known
        .iter()
        .map(|(other, _)| (likeness(other), other))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    let hint =
        nearest.map_or(String::new(), |(_, nearest)| format!("; there is `{}`", escaped(nearest)));
    let looked: Vec<_> =
        directories.iter().map(|directory| format!("`{}`", escaped(directory))).collect();
    bail!(
        "there is no extension `{}` in {}{hint}; `--extension-dir` adds a directory",
        escaped(name),
        looked.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_told_the_nearest() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("series.wasm"), "").unwrap();
        let directories = [directory.path().to_owned()];
        assert!(locate("series", &directories).is_ok());
        let error = locate("serie", &directories).unwrap_err().to_string();
        assert!(
            error.contains("there is `series`") && error.contains("--extension-dir"),
            "{error}"
        );
        assert!(!locate("xyz", &directories).unwrap_err().to_string().contains("series"));
    }
}
