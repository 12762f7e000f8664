//! What the helper composes: a CLI and extensions that were read, and described, by the runner
//! (`extensions::compose`).

mod base;
mod extension;
mod request;

use anyhow::{Result, ensure};

pub use base::{Base, Parts};
pub use extension::Extension;
pub(crate) use request::encode;
pub use request::{Request, parse};

use crate::contract::composition::{Embedded, MAX_EMBEDDED};

/// Refuse an extension that is embedded twice, and warn of names that are registered
/// twice, one line each.
///
/// # Errors
///
/// When an extension is embedded already.
pub fn check_names(before: &[Embedded], extensions: &[Extension]) -> Result<Vec<String>> {
    let mut known: Vec<(&str, Vec<String>)> =
        before.iter().map(|one| (one.name.as_str(), one.registers.clone())).collect();
    let mut warnings = Vec::new();
    for extension in extensions {
        let name = extension.name();
        let is_known = known.iter().any(|(other, _)| *other == name);
        ensure!(!is_known, "`{name}` is embedded already; name it once");
        let registers = extension.registers();
        for (other, theirs) in &known {
            let replaced = registers.iter().filter(|what| theirs.contains(what));
            warnings.extend(
                replaced.map(|what| format!("`{what}` of `{name}` replaces that of `{other}`")),
            );
        }
        known.push((name, registers));
    }
    ensure!(known.len() <= MAX_EMBEDDED, "a file has at most {MAX_EMBEDDED} extensions");
    Ok(warnings)
}
