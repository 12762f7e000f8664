//! The version of the contract that a component was made for.

use anyhow::{Result, bail};
use wasmtime::component::Component;

/// The first interface that a command-line component exports, in any version.
pub const COMMAND_EXPORT: &str = "wasi:cli/run@";

/// The interface that a database without a shell exports, in any version.
pub const DATABASE_EXPORT: &str = "sqlite-wasm:database/connections@";

/// The interface that every extension exports, in any version.
pub const EXTENSION_EXPORT: &str = "sqlite-wasm:extension/extension@";

/// The interface that an extension imports to use SQL, in any version.
pub const SQL_IMPORT: &str = "sqlite-wasm:extension/sql-work@";

/// The version of this host.
pub use wire::CONTRACT_VERSION;

/// The names of the exports of `component`.
pub fn exports(component: &Component) -> Vec<String> {
    let ty = component.component_type();
    ty.exports(component.engine()).map(|(name, _)| name.to_owned()).collect()
}

/// The version that a component with these exports was made for; `None` for a component
/// that is not an extension.
pub fn of(exports: &[String]) -> Option<&str> {
    exports.iter().find_map(|name| name.strip_prefix(EXTENSION_EXPORT))
}

/// Refuse a component with these exports that is not an extension, or one for another
/// version.
pub fn check(exports: &[String]) -> Result<()> {
    let is_program = exports.iter().any(|name| name.starts_with(COMMAND_EXPORT));
    match of(exports) {
        Some(version) if is_compatible(version) => Ok(()),
        Some(version) => bail!(
            "it was made for version {version} of the contract, and this program has \
             {CONTRACT_VERSION}; build it against that"
        ),
        None if is_program => {
            bail!("it is a program and not an extension")
        }
        None => bail!("it is not an extension: it does not export `sqlite-wasm:extension`"),
    }
}

/// As in semantic versioning before 1.0, the first two components of the version must be equal.
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
