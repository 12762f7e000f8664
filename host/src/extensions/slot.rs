//! A place for an extension that has its number: the extension itself, or what
//! it will be made of when it is first used.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::check;
use super::extension::Extension;
use super::permissions::Permissions;
use super::permits::{Identity, Permits};
use crate::component::Beside;
use crate::compose::Placement;
use crate::extensions::types::Manifest;

/// A place for an extension.
pub enum Slot {
    Loaded(Box<Extension>),
    /// It came with the component, and nothing has called it yet.
    Waiting(Waiting),
    /// It was a connection's, which was closed.
    Closed,
}

/// An extension that is not started before its first use.
pub struct Waiting {
    /// As the composed file tells it.
    pub manifest: Arc<Manifest>,
    pub source: Source,
}

/// Where a waiting extension will come from.
pub enum Source {
    /// The composed file.
    File(Box<Beside>, Permissions),
    /// The extension of this number: it is a connection's.
    Parent(u32),
}

impl Waiting {
    /// Grant what it needs, without starting it.
    ///
    /// # Errors
    ///
    /// What is wrong with its manifest, or which grant it lacks.
    pub fn new(beside: Beside, permits: &mut Permits) -> Result<Self> {
        let embedded = &beside.embedded;
        let Placement::Bundled { manifest, .. } = &embedded.placement else {
            bail!("it is not bundled");
        };
        check::manifest(manifest)?;
        let sha256 = || Ok(embedded.sha256.clone());
        // Its manifest is checked when it is started; the name of a file that
        // the composed file records is anybody's claim.
        let identity = Identity::Named { name: &manifest.name, path: None };
        let permissions = permits.of(identity, &manifest.needs, sha256)?;
        let manifest = Arc::new(manifest.clone());
        Ok(Self { manifest, source: Source::File(beside.into(), permissions) })
    }

    /// The one of a connection, of this one by the number `parent`; none where
    /// all connections have the same.
    pub fn for_connection(&self, parent: u32) -> Option<Self> {
        let source = Source::Parent(parent);
        check::needs_sql(&self.manifest).then(|| Self { manifest: self.manifest.clone(), source })
    }
}

impl Slot {
    /// The extension, where it was started.
    pub fn extension(&self) -> Option<&Extension> {
        match self {
            Self::Loaded(extension) => Some(extension),
            Self::Waiting(_) | Self::Closed => None,
        }
    }

    /// The extension that this connection's belongs to.
    pub fn parent(&self) -> Option<u32> {
        match self {
            Self::Loaded(extension) => extension.parent(),
            Self::Waiting(waiting) => match waiting.source {
                Source::Parent(parent) => Some(parent),
                Source::File(..) => None,
            },
            Self::Closed => None,
        }
    }

    /// What it registers.
    pub fn manifest(&self) -> Option<&Manifest> {
        match self {
            Self::Loaded(extension) => Some(extension.manifest()),
            Self::Waiting(waiting) => Some(&waiting.manifest),
            Self::Closed => None,
        }
    }
}
