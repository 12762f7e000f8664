//! The part of an extension that all its instances share: manifest, grants and code. It never
//! changes, except that a bundled extension gets its code at its first call.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Result, bail, ensure};
use wasmtime::Engine;

use super::Limits;
use super::grants::{ExtensionGrants, Granted, Identity};
use super::sandbox::Code;
use crate::artifact::component::BundledExtension;
use crate::contract::check;
use crate::contract::composition::Placement;
use crate::contract::types::Manifest;
use crate::filesystem::masks::Masks;

/// An extension.
pub struct Package {
    pub manifest: Manifest,
    pub granted: Granted,
    pub masks: Masks,
    pub limits: Limits,
    path: Option<PathBuf>,
    code: OnceLock<Code>,
    bundled: Option<Box<BundledExtension>>,
    /// Set when the first instance of a bundled extension has returned the same manifest.
    is_checked: OnceLock<()>,
}

impl Package {
    /// An extension of the file at `path`.
    pub fn of_file(
        path: PathBuf,
        manifest: Manifest,
        granted: Granted,
        masks: Masks,
        limits: Limits,
        code: Code,
    ) -> Self {
        let (path, code, is_checked) = (Some(path), code.into(), OnceLock::new());
        Self { manifest, granted, masks, limits, path, code, bundled: None, is_checked }
    }

    /// A bundled extension, not started yet.
    ///
    /// # Errors
    ///
    /// When its manifest is invalid, or it lacks a grant.
    pub fn bundled(
        extension: BundledExtension,
        masks: Masks,
        limits: Limits,
        grants: &mut ExtensionGrants,
    ) -> Result<Self> {
        let embedded = &extension.embedded;
        let Placement::Bundled { manifest, .. } = &embedded.placement else {
            bail!("it is not bundled");
        };
        check::manifest(manifest)?;
        let manifest = manifest.clone();
        // The manifest is compared when the extension is started. The composed file could claim any
        // path, so the identity has none.
        let identity = Identity::Named { name: &manifest.name, path: None };
        let granted =
            grants.for_needs(identity, &manifest.needs, || Ok(embedded.sha256.clone()))?;
        let bundled = Some(Box::new(extension));
        let (code, is_checked) = (OnceLock::new(), OnceLock::new());
        Ok(Self { manifest, granted, masks, limits, path: None, code, bundled, is_checked })
    }

    /// Load the code of a bundled extension. [`Self::check`] compares its manifest.
    ///
    /// # Errors
    ///
    /// When the code cannot be used.
    pub fn prepare(&self, engine: &Engine) -> Result<()> {
        let Some(bundled) = &self.bundled else { return Ok(()) };
        let component = bundled.component(engine)?;
        let code = Code::new(&component, None)?.for_manifest(&component, &self.manifest)?;
        code.check_use(&self.manifest)?;
        let _ = self.code.set(code);
        Ok(())
    }

    /// Compare the manifest of a bundled extension with the one that its first instance returns.
    ///
    /// # Errors
    ///
    /// When they differ, or when `describe` fails.
    pub fn check(&self, describe: impl FnOnce() -> Result<Manifest>) -> Result<()> {
        if self.bundled.is_some() && self.is_checked.get().is_none() {
            ensure!(
                describe()? == self.manifest,
                "it is not what the composed file says; compose it again"
            );
            let _ = self.is_checked.set(());
        }
        Ok(())
    }

    /// Its code, once it is loaded.
    #[inline]
    pub fn code(&self) -> Option<&Code> {
        self.code.get()
    }

    /// The file; `None` for a bundled extension.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether each connection has a separate instance: the state of such an extension belongs to
    /// the connection.
    pub fn is_per_connection(&self) -> bool {
        check::needs_sql(&self.manifest)
    }

    /// A bundled extension without code, for tests.
    #[cfg(test)]
    pub fn without_code(manifest: Manifest) -> Self {
        Self {
            manifest,
            granted: Granted::default(),
            masks: Masks::default(),
            limits: Limits::default(),
            path: None,
            code: OnceLock::new(),
            bundled: None,
            is_checked: OnceLock::new(),
        }
    }
}
