//! The exports of a component that the host calls.

use anyhow::{Context, Result};
use wasmtime::component::{ComponentExportIndex, InstancePre};

use crate::contract::version::{CONTRACT_VERSION, DATABASE_EXPORT};

/// The functions of `connections`.
pub struct Exports {
    pub perform: ComponentExportIndex,
    pub share_mailboxes: ComponentExportIndex,
    pub perform_in_mailbox: ComponentExportIndex,
    pub last_reply: ComponentExportIndex,
}

impl Exports {
    /// The exports of a component.
    ///
    /// # Errors
    ///
    /// When an export is missing.
    pub fn of<T>(pre: &InstancePre<T>) -> Result<Self> {
        let interface = format!("{DATABASE_EXPORT}{CONTRACT_VERSION}");
        let interface = pre.component().get_export_index(None, &interface);
        let interface = interface.context("it does not export `connections`")?;
        let function = |name: &str| {
            let index = pre.component().get_export_index(Some(&interface), name);
            index.with_context(|| format!("it does not export `{name}`"))
        };
        Ok(Self {
            perform: function("perform")?,
            share_mailboxes: function("share-mailboxes")?,
            perform_in_mailbox: function("perform-in-mailbox")?,
            last_reply: function("last-reply")?,
        })
    }
}
