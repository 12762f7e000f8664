//! A loaded extension: what it registers, and its sandboxes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use wasmtime::component::Component;

use super::instance::Sandboxed;
use super::permits::{Permits, sha256};
use super::sandbox::{Calls, TICK, imports_sql};
use super::usage::Usage;
use super::{Limits, check, permissions, version};
use crate::bindings::sqlite_wasm::host::dispatch::ExtensionUsage;
use crate::extensions::types::{FunctionFlags, Manifest, Need};

/// Where an extension comes from.
pub enum Origin<'a> {
    /// The file at this path.
    File(&'a Path),
    /// The component: it travels with it.
    Embedded {
        /// As a file's name without the ending.
        name: &'a str,
        /// Of its content.
        sha256: &'a str,
    },
}

impl Origin<'_> {
    /// The name under which it is granted something.
    fn name(&self) -> &str {
        match self {
            Self::File(path) => permissions::name_of(path),
            Self::Embedded { name, .. } => name,
        }
    }

    fn sha256(&self) -> Result<String> {
        match self {
            Self::File(path) => Ok(sha256(&fs::read(path)?)),
            Self::Embedded { sha256, .. } => Ok((*sha256).to_owned()),
        }
    }
}

/// A loaded extension.
pub struct Extension {
    path: Option<PathBuf>,
    manifest: Arc<Manifest>,
    /// The number of the one that this belongs to: it is a connection's.
    parent: Option<u32>,
    main: Sandboxed,
    /// For functions that are stateless, where the other's calls are dearer
    /// since they may be suspended.
    stateless: Option<Sandboxed>,
}

/// A sandbox with an extension in it that has nothing yet, and what it
/// registers.
///
/// # Errors
///
/// What is wrong with it.
pub fn described(component: &Component, limits: Limits) -> Result<(Sandboxed, Manifest)> {
    version::check(component)?;
    let has_sql = imports_sql(component);
    let calls = if has_sql { Calls::Suspendable } else { Calls::Direct };
    let mut sandbox = Sandboxed::new(component, calls, limits)?;
    let manifest = sandbox.describe()?;
    check::manifest(&manifest)?;
    check::exports(&manifest, component)?;
    let says_sql = manifest.needs.iter().any(|need| matches!(need, Need::Sql | Need::SqlReadOnly));
    ensure!(
        says_sql || !has_sql,
        "it imports `sql` and does not say in its manifest that it needs SQL"
    );
    Ok((sandbox, manifest))
}

impl Extension {
    /// Start it, ask what it registers, and grant what it needs.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or which grant it lacks.
    pub fn load(
        component: &Component,
        origin: &Origin,
        limits: Limits,
        permits: &mut Permits,
    ) -> Result<Self> {
        let (main, manifest) = described(component, limits)?;
        let has_sql = imports_sql(component);
        let permissions = permits.of(origin.name(), &manifest.needs, || origin.sha256())?;
        let mut main = main.named(&manifest.name);
        main.permit(&permissions);
        let has_stateless =
            manifest.functions.iter().any(|f| f.flags.contains(FunctionFlags::STATELESS));
        let stateless = match has_sql && has_stateless {
            true => {
                let mut other = Sandboxed::new(component, Calls::Direct, limits)?;
                other.permit(&permissions);
                Some(other.named(&manifest.name))
            }
            false => None,
        };
        let path = match origin {
            Origin::File(path) => Some((*path).to_owned()),
            Origin::Embedded { .. } => None,
        };
        Ok(Self { path, manifest: Arc::new(manifest), parent: None, main, stateless })
    }

    /// Whether each connection has an instance of its own: what an extension
    /// keeps of a database belongs to the connection that it came by.
    pub fn is_per_connection(&self) -> bool {
        self.main.may_wait()
    }

    /// For a connection, of the extension by the number `parent`. An instance
    /// that waits here for its first one goes along.
    pub fn for_connection(&mut self, parent: u32) -> Self {
        let taken = |sandbox: &mut Sandboxed| {
            let another = sandbox.another();
            std::mem::replace(sandbox, another)
        };
        Self {
            path: None,
            manifest: self.manifest.clone(),
            parent: Some(parent),
            main: taken(&mut self.main),
            stateless: self.stateless.as_mut().map(taken),
        }
    }

    /// The extension that this connection's belongs to.
    pub fn parent(&self) -> Option<u32> {
        self.parent
    }

    /// What a connection's has done and used counts as this one's.
    pub fn take_usage(&mut self, ended: &Self) {
        for sandbox in std::iter::once(&ended.main).chain(&ended.stateless) {
            self.main.usage.add(&sandbox.usage);
        }
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
            std::iter::once(&one.main).chain(&one.stateless).for_each(|each| all.add(&each.usage));
        }
        ExtensionUsage {
            name: self.manifest.name.clone(),
            calls: all.calls,
            batches: all.batches,
            requests: all.requests,
            time: all.ticks * TICK.as_millis() as u64,
            peak_memory: all.peak_bytes() as u64,
            starts: all.starts,
        }
    }

    /// The sandbox that has its state.
    pub fn sandbox(&mut self) -> &mut Sandboxed {
        &mut self.main
    }

    /// The sandbox in which a scalar function is called.
    pub fn sandbox_for(&mut self, function: u32) -> &mut Sandboxed {
        let Some(stateless) = &mut self.stateless else { return &mut self.main };
        let function = self.manifest.functions.get(function as usize);
        match function.is_some_and(|f| f.flags.contains(FunctionFlags::STATELESS)) {
            true => stateless,
            false => &mut self.main,
        }
    }
}
