//! Which version of the contract a component was made for.

use anyhow::{Result, bail};
use wasmtime::component::Component;

use crate::compiler::Facts;
use crate::component::{COMMAND_EXPORT, EXTENSION_EXPORT};

/// The version that this host has.
pub use wire::CONTRACT_VERSION;

/// The version that `component` was made for; none for what is no extension.
pub fn of(component: &Component) -> Option<String> {
    export(component, EXTENSION_EXPORT)
}

/// What follows the beginning of the name of an export.
fn export(component: &Component, beginning: &str) -> Option<String> {
    let ty = component.component_type();
    ty.exports(component.engine())
        .find_map(|(name, _)| name.strip_prefix(beginning).map(str::to_owned))
}

/// Refuse what is no extension, or one for another version.
pub fn check(component: &Component) -> Result<()> {
    check_exports(of(component).as_deref(), export(component, COMMAND_EXPORT).is_some())
}

/// The version that a component was made for, by what is known of it.
pub fn claimed(facts: &Facts) -> Option<&str> {
    facts.exports.iter().find_map(|name| name.strip_prefix(EXTENSION_EXPORT))
}

/// The same as [`check`] by what is known of a component.
pub fn check_facts(facts: &Facts) -> Result<()> {
    check_exports(claimed(facts), facts.exports(COMMAND_EXPORT))
}

fn check_exports(version: Option<&str>, is_program: bool) -> Result<()> {
    match version {
        Some(version) if is_compatible(version) => Ok(()),
        Some(version) => bail!(
            "it was made for version {version} of the contract, and this program has \
             {CONTRACT_VERSION}; build it against that"
        ),
        None if is_program => {
            bail!("it is a program, to be run and not loaded")
        }
        None => bail!("it is no extension: it exports no `sqlite-wasm:extension`"),
    }
}

/// As semantic versioning rules before 1.0: the first two numbers are the same.
fn is_compatible(version: &str) -> bool {
    let series = |version: &str| {
        let mut numbers = version.split('.').map(str::to_owned);
        (numbers.next(), numbers.next())
    };
    series(version) == series(CONTRACT_VERSION)
}

#[cfg(test)]
mod tests {
    use super::is_compatible;

    #[test]
    fn patches_are_compatible_and_nothing_else() {
        assert!(is_compatible("0.1.0") && is_compatible("0.1.7"));
        assert!(!is_compatible("0.2.0") && !is_compatible("1.1.0") && !is_compatible("0.10.0"));
    }
}
