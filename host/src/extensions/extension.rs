//! A loaded extension: what it registers, and its sandbox.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use wasmtime::component::Component;

use super::instance::Sandboxed;
use super::permissions::Permissions;
use super::permits::Permits;
use super::sandbox::{self, Calls, TICK, imports_sql};
use super::search::Source;
use super::usage::Usage;
use super::{Limits, check, version};
use crate::bindings::sqlite_wasm::host::dispatch::ExtensionUsage;
use crate::component::Loaded;
use crate::extensions::types::{Connecting, Manifest};

/// A loaded extension.
pub struct Extension {
    path: Option<PathBuf>,
    manifest: Arc<Manifest>,
    /// The number of the one that this belongs to: it is a connection's.
    parent: Option<u32>,
    sandbox: Sandboxed,
}

/// A sandbox with an extension in it that has nothing yet, and what it
/// registers.
///
/// # Errors
///
/// What is wrong with it.
pub fn described(component: &Component, limits: Limits) -> Result<(Sandboxed, Manifest)> {
    let exports = version::exports(component);
    version::check(&exports)?;
    // The clock's thread starts with the first extension, behind the second wall.
    sandbox::tick(component.engine())?;
    let has_sql = imports_sql(component);
    let calls = if has_sql { Calls::Suspendable } else { Calls::Direct };
    let mut sandbox = Sandboxed::new(component, calls, limits)?;
    let manifest = sandbox.describe()?;
    check::manifest(&manifest)?;
    check::exports(&manifest, &exports)?;
    ensure!(
        check::needs_sql(&manifest) || !has_sql,
        "it imports `sql` and does not say in its manifest that it needs SQL"
    );
    Ok((sandbox, manifest))
}

/// What an extension that nothing has called yet has done and used.
pub fn unused(name: &str) -> ExtensionUsage {
    told(name, &Usage::default())
}

fn told(name: &str, usage: &Usage) -> ExtensionUsage {
    ExtensionUsage {
        name: name.to_owned(),
        calls: usage.calls,
        batches: usage.batches,
        requests: usage.requests,
        time: usage.ticks * TICK.as_millis() as u64,
        peak_memory: usage.peak_bytes() as u64,
        starts: usage.starts,
    }
}

impl Extension {
    /// Start the extension that was found as `source`, ask what it registers,
    /// and grant what it needs.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or which grant it lacks.
    pub fn load(
        loaded: &Loaded,
        source: &Source,
        limits: Limits,
        permits: &mut Permits,
    ) -> Result<Self> {
        let (sandbox, manifest) = described(&loaded.component, limits)?;
        let permissions = permits.of(source.identity(), &manifest.needs, || loaded.sha256())?;
        let extension = Self::permitted((sandbox, manifest), &permissions);
        Ok(Self { path: Some(source.path().to_owned()), ..extension })
    }

    /// Start an extension that came with the component, where it said that it
    /// is what `manifest` says.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn embedded(
        component: &Component,
        manifest: &Manifest,
        limits: Limits,
        permissions: &Permissions,
    ) -> Result<Self> {
        let described = described(component, limits)?;
        ensure!(
            described.1 == *manifest,
            "it is not what the composed file says; compose it again"
        );
        Ok(Self::permitted(described, permissions))
    }

    fn permitted((sandbox, manifest): (Sandboxed, Manifest), permissions: &Permissions) -> Self {
        let mut sandbox = sandbox.named(&manifest.name);
        if manifest.connects == Connecting::Never {
            sandbox = sandbox.connecting_never();
        }
        sandbox.permit(permissions);
        Self { path: None, manifest: Arc::new(manifest), parent: None, sandbox }
    }

    /// Whether each connection has an instance of its own: what an extension
    /// keeps of a database belongs to the connection that it came by.
    pub fn is_per_connection(&self) -> bool {
        self.sandbox.may_wait()
    }

    /// For a connection, of the extension by the number `parent`. An instance
    /// that waits here for its first one goes along.
    pub fn for_connection(&mut self, parent: u32) -> Self {
        let another = self.sandbox.another();
        Self {
            path: None,
            manifest: self.manifest.clone(),
            parent: Some(parent),
            sandbox: std::mem::replace(&mut self.sandbox, another),
        }
    }

    /// The extension that this connection's belongs to.
    pub fn parent(&self) -> Option<u32> {
        self.parent
    }

    /// What a connection's has done and used counts as this one's.
    pub fn take_usage(&mut self, ended: &Self) {
        self.sandbox.usage.add(&ended.sandbox.usage);
    }

    /// The file; none for one that is embedded.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What it registers.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What it has done and used, with those of its connections.
    pub fn statistics<'a>(&'a self, connections: impl Iterator<Item = &'a Self>) -> ExtensionUsage {
        let mut all = Usage::default();
        for one in connections.chain([self]) {
            all.add(&one.sandbox.usage);
        }
        told(&self.manifest.name, &all)
    }

    /// The sandbox that has its state.
    pub fn sandbox(&mut self) -> &mut Sandboxed {
        &mut self.sandbox
    }
}
