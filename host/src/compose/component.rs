//! What a component imports and exports, as far as embedding looks at it.

use anyhow::{Context, Result, anyhow, bail, ensure};
use wac_graph::types::{Package, Types};

use super::contract::{Contract, INTERFACES};
use crate::compiler::Facts;

/// What of WASI an extension does not share with the CLI: the ways out of a
/// sandbox.
const CLOSED: &[&str] = &[
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:filesystem/preopens",
];

/// What it shares: it works on what those give, or gives nothing away.
const SHARED: &[&str] = &[
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// What only a command-line component exports.
const COMMAND: &str = "wasi:cli/run";

/// Whether an extension has another instance of this interface than the CLI.
pub fn is_closed(name: &str) -> bool {
    CLOSED.contains(&without_version(name))
}

/// The name by which it is imported for extensions.
pub fn sandbox_name(name: &str) -> String {
    format!("extension-{name}")
}

fn without_version(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

/// The imports and exports of a component, by their names.
pub struct Shape {
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Shape {
    /// Those of `wasm`.
    ///
    /// # Errors
    ///
    /// When it is no valid component.
    pub fn of(wasm: &[u8]) -> Result<Self> {
        crate::artifact::check_wasm(wasm)?;
        let mut types = Types::default();
        let package = Package::from_bytes("component", None, wasm, &mut types)
            .map_err(|error| anyhow!("it is no valid component: {error:#}; build it again"))?;
        let world = &types[package.ty()];
        Ok(Self {
            imports: world.imports.keys().cloned().collect(),
            exports: world.exports.keys().cloned().collect(),
        })
    }

    /// The same by what is known of the component.
    pub fn known(facts: &Facts) -> Self {
        Self { imports: facts.imports.clone(), exports: facts.exports.clone() }
    }

    /// Whether it is a program.
    pub fn is_command(&self) -> bool {
        find(&self.exports, COMMAND).is_some()
    }

    /// Refuse what is not a CLI that can have extensions inside.
    ///
    /// # Errors
    ///
    /// What is missing, or of another version.
    pub fn check_cli(&self, contract: &Contract) -> Result<()> {
        ensure!(
            self.is_command(),
            "it is no command-line component: it does not export `{COMMAND}`"
        );
        let dispatch = contract.id(contract.dispatch()?)?;
        find_version(&self.imports, &dispatch)?
            .with_context(|| format!("it takes no extensions: it does not import `{dispatch}`"))?;
        Ok(())
    }

    /// The interfaces of the contract that an extension exports.
    ///
    /// # Errors
    ///
    /// When it is no extension, or made for another version.
    pub fn interfaces(&self, contract: &Contract) -> Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for name in INTERFACES {
            let id = contract.id(contract.interface(name)?)?;
            if let Some(export) = find_version(&self.exports, &id)? {
                found.push(((*name).to_owned(), export.to_owned()));
            }
        }
        ensure!(
            found.first().is_some_and(|(name, _)| name == INTERFACES[0]),
            "it is no extension: it exports no `sqlite-wasm:extension/extension`"
        );
        Ok(found)
    }

    /// Whether the extension imports `sql` or `sql-work`.
    pub fn asks_for_sql(&self) -> bool {
        SQL.iter().any(|name| find(&self.imports, name).is_some())
    }

    /// Refuse an extension that asks for what none can have inside.
    ///
    /// # Errors
    ///
    /// The import.
    pub fn check_imports(&self) -> Result<()> {
        for import in &self.imports {
            let name = without_version(import);
            let is_known = CLOSED.contains(&name)
                || SHARED.contains(&name)
                || name.starts_with("sqlite-wasm:extension/");
            if !is_known {
                bail!(
                    "it imports `{import}`, which no embedded extension can have; load it instead"
                );
            }
        }
        Ok(())
    }
}

/// What an extension imports to use SQL.
const SQL: [&str; 2] = ["sqlite-wasm:extension/sql", "sqlite-wasm:extension/sql-work"];

fn find<'a>(names: &'a [String], wanted: &str) -> Option<&'a str> {
    names.iter().map(String::as_str).find(|name| without_version(name) == wanted)
}

/// The name `wanted`; another version of it is an error.
fn find_version<'a>(names: &'a [String], wanted: &str) -> Result<Option<&'a str>> {
    let found = find(names, without_version(wanted));
    if let Some(found) = found.filter(|found| *found != wanted) {
        bail!("it was made for `{found}`, and this program has `{wanted}`; build it again");
    }
    Ok(found)
}
