//! The part of an extension that all its instances share: manifest, grants and code. It never
//! changes, except that a bundled extension gets its code at its first call.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Result, bail, ensure};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::Limits;
use super::catalog::search::Source;
use super::grants::{ExtensionGrants, Granted, Identity};
use super::sandbox::{self, Calls, Code, Described};
use crate::component::{Beside, Loaded};
use crate::composition::Placement;
use crate::contract::types::Manifest;
use crate::contract::{check, version};

/// An extension.
pub struct Package {
    pub manifest: Manifest,
    pub granted: Granted,
    pub limits: Limits,
    path: Option<PathBuf>,
    code: OnceLock<Code>,
    bundled: Option<Box<Beside>>,
    /// Set when the first instance of a bundled extension has returned the same manifest.
    is_checked: OnceLock<()>,
}

/// The code of `component`, and the instance that returned its manifest.
///
/// # Errors
///
/// When the extension cannot be used.
pub fn described(component: &Component, limits: &Limits) -> Result<(Code, Described)> {
    let exports = version::exports(component);
    let code = code(component, &exports)?;
    let described = sandbox::describe(&code, limits)?;
    check::manifest(&described.manifest)?;
    check_use(&code, &described.manifest, &exports)?;
    Ok((code, described))
}

fn code(component: &Component, exports: &[String]) -> Result<Code> {
    version::check(exports)?;
    Code::new(component)
}

/// Compare the manifest with the imports and exports.
fn check_use(code: &Code, manifest: &Manifest, exports: &[String]) -> Result<()> {
    check::exports(manifest, exports)?;
    ensure!(
        check::needs_sql(manifest) || code.calls == Calls::Direct,
        "it imports `sql` and does not say in its manifest that it needs SQL"
    );
    Ok(())
}

impl Package {
    /// Load the extension that was found as `source`, with its first instance.
    ///
    /// # Errors
    ///
    /// When the extension cannot be used, or lacks a grant.
    pub fn load(
        loaded: &Loaded,
        source: &Source,
        limits: Limits,
        grants: &mut ExtensionGrants,
    ) -> Result<(Self, Described)> {
        let (code, described) = described(&loaded.component, &limits)?;
        let manifest = described.manifest.clone();
        let granted = grants.of(source.identity(), &manifest.needs, || loaded.sha256())?;
        let path = Some(source.path().to_owned());
        let package = Self {
            manifest,
            granted,
            limits,
            path,
            code: code.into(),
            bundled: None,
            is_checked: OnceLock::new(),
        };
        Ok((package, described))
    }

    /// A bundled extension, not started yet.
    ///
    /// # Errors
    ///
    /// When its manifest is invalid, or it lacks a grant.
    pub fn bundled(beside: Beside, limits: Limits, grants: &mut ExtensionGrants) -> Result<Self> {
        let embedded = &beside.embedded;
        let Placement::Bundled { manifest, .. } = &embedded.placement else {
            bail!("it is not bundled");
        };
        check::manifest(manifest)?;
        let manifest = manifest.clone();
        // The manifest is compared when the extension is started. The composed file could claim any
        // path, so the identity has none.
        let identity = Identity::Named { name: &manifest.name, path: None };
        let granted = grants.of(identity, &manifest.needs, || Ok(embedded.sha256.clone()))?;
        let bundled = Some(Box::new(beside));
        let (code, is_checked) = (OnceLock::new(), OnceLock::new());
        Ok(Self { manifest, granted, limits, path: None, code, bundled, is_checked })
    }

    /// Load the code of a bundled extension. [`Self::check`] compares its manifest.
    ///
    /// # Errors
    ///
    /// When the code cannot be used.
    pub fn prepare(&self, engine: &Engine) -> Result<()> {
        let Some(bundled) = &self.bundled else { return Ok(()) };
        let component = bundled.component(engine)?;
        let exports = version::exports(&component);
        let code = code(&component, &exports)?;
        check_use(&code, &self.manifest, &exports)?;
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

    /// The file; none for a bundled extension.
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
            limits: Limits::default(),
            path: None,
            code: OnceLock::new(),
            bundled: None,
            is_checked: OnceLock::new(),
        }
    }
}
