//! The extensions of a database's connections.

use std::path::PathBuf;
use std::sync::Arc;

use runtime::cache::Directory as Cache;
use runtime::compiler::Compiler;
use runtime::component::Program;
use runtime::extensions::{ExtensionGrants, ExtensionsCtx, Limits as ExtensionLimits, Prepared};
use runtime::key::Key;

use crate::builder::Limits;

/// The extensions of each connection, and where others are found.
pub(crate) struct Extensions {
    pub directories: Vec<PathBuf>,
    pub names: Vec<String>,
    pub grants: Vec<String>,
    /// Signs compiled extensions. Read once: the program may restrict itself afterwards.
    pub key: Option<Arc<Key>>,
    pub cache: Option<Cache>,
    pub compiler: Compiler,
    /// Those named. Compiled once: a connection neither depends on the cache nor, where the program
    /// may start nothing any more, on the compiler.
    pub prepared: Option<Prepared>,
}

impl Extensions {
    /// Compile those named.
    pub fn prepare(&mut self, program: &Program, limits: Limits) -> anyhow::Result<()> {
        let mut first = self.of_connection(limits)?;
        first.embed(program);
        self.names.iter().try_for_each(|name| first.prepare(name))?;
        self.prepared = Some(first.into_prepared());
        Ok(())
    }

    /// Those of another connection, which has these limits.
    pub fn of_connection(&self, limits: Limits) -> anyhow::Result<ExtensionsCtx> {
        let default = ExtensionLimits::default();
        let limits = ExtensionLimits {
            memory_bytes: default.memory_bytes.min(limits.memory),
            value_bytes: default.value_bytes.min(limits.memory),
            call_time: limits
                .statement_time
                .map_or(default.call_time, |time| time.min(default.call_time)),
            ..default
        };
        let extensions = ExtensionsCtx::new(self.directories.clone())
            .limits(limits)
            .grants(self.granted()?)
            .native_code(self.key.clone(), &[])
            .compiler(self.compiler.clone())
            .cache(self.cache.clone());
        Ok(match &self.prepared {
            Some(prepared) => extensions.with_prepared(prepared),
            None => extensions,
        })
    }

    /// The grants of the program, and of the extensions that were shipped.
    fn granted(&self) -> anyhow::Result<ExtensionGrants> {
        let mut grants = extension_grants(&self.grants)?;
        // Not those of directories that the program names: what is there may be a stranger's.
        grants.shipped_with_program();
        Ok(grants)
    }
}

/// The grants in these texts.
///
/// # Errors
///
/// When one is not valid.
pub(crate) fn extension_grants(texts: &[String]) -> anyhow::Result<ExtensionGrants> {
    let mut grants = ExtensionGrants::default();
    texts.iter().try_for_each(|text| grants.add(text))?;
    Ok(grants)
}
