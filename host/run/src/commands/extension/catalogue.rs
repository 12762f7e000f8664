//! The catalogue: sources of extensions, and what was installed from them.
//!
//! The runner has no network: [`transport`] starts another program for that, before the second
//! wall goes up. Each decision is about the very bytes that are written afterwards.

pub mod index;
pub mod install;
pub mod installed;
mod open_sources;
pub mod search;
pub mod source;
mod store;
mod transport;

use anyhow::{Context, Result, bail, ensure};
use sqlite_wasm_catalogue::index::{Facts, MAX_FILE_BYTES};
use sqlite_wasm_catalogue::names::{check_name, parse_version};
use sqlite_wasm_runtime::extensions::inspect::{Inspection, Offer};

use super::signature;
pub use store::installed;

/// What an extension's file says of itself; nothing of it has run.
fn facts(inspection: &Inspection) -> Result<Facts> {
    if let Some(refusal) = &inspection.refusal {
        bail!("{refusal}");
    }
    ensure!(!inspection.precompiled && inspection.program.is_none(), "it is not an extension");
    let offer = inspection.offer.as_ref().context(
        "its file does not record what it registers; its author runs `extension record`",
    )?;
    check_name(&offer.name).context("its name cannot be published")?;
    parse_version(&offer.version).context("its version cannot be published")?;
    let bytes = inspection.file_bytes;
    ensure!(bytes <= MAX_FILE_BYTES, "it is larger than {MAX_FILE_BYTES} bytes");
    Ok(Facts {
        name: offer.name.clone(),
        version: offer.version.clone(),
        description: offer.description.clone(),
        sha256: inspection.sha256.clone(),
        bytes,
        contract: inspection.contract.clone(),
        engine: inspection.engine.clone(),
        registers: registers(offer),
        needs: offer.needs.clone(),
    })
}

/// Functions as `name(arguments)`, and the names of collations and tables.
fn registers(offer: &Offer) -> Vec<String> {
    let functions = offer.functions.iter().map(signature);
    let modules = offer.modules.iter().map(|module| module.name.clone());
    functions.chain(offer.collations.iter().cloned()).chain(modules).collect()
}
