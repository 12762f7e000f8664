//! An extension, as all its instances share it: its manifest, its grants and its code.
//! It never changes; a bundled extension gets its code by its first call.

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
    /// An instance of a bundled extension has given the same manifest.
    is_checked: OnceLock<()>,
}

/// The code of `component`, and the instance that gave its manifest.
///
/// # Errors
///
/// What is wrong with the extension.
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

/// Compare what an extension says with what it imports and exports.
fn check_use(code: &Code, manifest: &Manifest, exports: &[String]) -> Result<()> {
    check::exports(manifest, exports)?;
    ensure!(
        check::needs_sql(manifest) || code.calls == Calls::Direct,
        "it imports `sql` and does not say in its manifest that it needs SQL"
    );
    Ok(())
}

impl Package {
    /// The extension that was found as `source`, and its first instance.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or which grant it lacks.
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

    /// A bundled extension, which is not started yet.
    ///
    /// # Errors
    ///
    /// What is wrong with its manifest, or which grant it lacks.
    pub fn bundled(beside: Beside, limits: Limits, grants: &mut ExtensionGrants) -> Result<Self> {
        let embedded = &beside.embedded;
        let Placement::Bundled { manifest, .. } = &embedded.placement else {
            bail!("it is not bundled");
        };
        check::manifest(manifest)?;
        let manifest = manifest.clone();
        // The manifest is compared when the extension is started. The composed file could
        // claim any path, so the identity has none.
        let identity = Identity::Named { name: &manifest.name, path: None };
        let granted = grants.of(identity, &manifest.needs, || Ok(embedded.sha256.clone()))?;
        let bundled = Some(Box::new(beside));
        let (code, is_checked) = (OnceLock::new(), OnceLock::new());
        Ok(Self { manifest, granted, limits, path: None, code, bundled, is_checked })
    }

    /// Get the code of a bundled extension ready. Its manifest is compared by [`Self::check`].
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn prepare(&self, engine: &Engine) -> Result<()> {
        let Some(bundled) = &self.bundled else { return Ok(()) };
        let component = bundled.component(engine)?;
        let exports = version::exports(&component);
        let code = code(&component, &exports)?;
        check_use(&code, &self.manifest, &exports)?;
        let _ = self.code.set(code);
        Ok(())
    }

    /// Compare the manifest of a bundled extension with the one that its first instance gives.
    ///
    /// # Errors
    ///
    /// When they differ, or there is none.
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

    /// Its code, once it is ready.
    #[inline]
    pub fn code(&self) -> Option<&Code> {
        self.code.get()
    }

    /// The file; none for one that is embedded.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether each connection has its own instance: what an extension keeps of a database
    /// belongs to the connection that it came by.
    pub fn is_per_connection(&self) -> bool {
        check::needs_sql(&self.manifest)
    }

    /// A bundled extension that has no code, for tests.
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
