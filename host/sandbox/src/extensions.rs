//! The extensions of a database's connections.

use runtime::artifact::component::Program;
use runtime::extensions::{ExtensionGrants, ExtensionsCtx, Limits as ExtensionLimits, Prepared};
use runtime::sandbox::Recipe;

use crate::builder::Limits;

/// The extensions of each connection.
pub(crate) struct Extensions {
    pub names: Vec<String>,
    pub grants: Vec<String>,
    /// Those named. Compiled once: a connection neither depends on the cache nor, where the program
    /// may start nothing any more, on the compiler.
    pub prepared: Option<Prepared>,
}

impl Extensions {
    /// Compile those named.
    pub fn prepare(
        &mut self,
        recipe: &Recipe,
        program: &Program,
        limits: Limits,
    ) -> anyhow::Result<()> {
        let mut first = self.of_connection(recipe, limits)?;
        first.embed(program);
        self.names.iter().try_for_each(|name| first.prepare(name))?;
        self.prepared = Some(first.into_prepared());
        Ok(())
    }

    /// Those of another connection, which has these limits.
    pub fn of_connection(&self, recipe: &Recipe, limits: Limits) -> anyhow::Result<ExtensionsCtx> {
        let usual = ExtensionLimits::within(limits.memory);
        let call_time =
            limits.statement_time.map_or(usual.call_time, |time| time.min(usual.call_time));
        let extensions = recipe
            .extensions()
            .limits(ExtensionLimits { call_time, ..usual })
            .grants(self.granted()?);
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
