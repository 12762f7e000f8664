//! What no honest extension registers is refused.

use anyhow::{Result, bail};

use crate::extensions::types::{Function, Manifest};

/// Longest name that an extension may register, in bytes; SQLite takes 255.
const MAX_NAME_BYTES: usize = 255;

/// Most functions, collations and modules of one extension together.
const MAX_REGISTRATIONS: usize = 1000;

/// Longest version and description, in bytes: they are one line for people.
const MAX_LINE_BYTES: usize = 1000;

/// Check all that an extension registers.
pub fn manifest(manifest: &Manifest) -> Result<()> {
    let functions = manifest.functions.iter().map(|function| &function.name);
    let collations = manifest.collations.iter().map(|collation| &collation.name);
    let modules = manifest.modules.iter().map(|module| &module.name);
    let names: Vec<&String> = functions.chain(collations).chain(modules).collect();
    if names.len() > MAX_REGISTRATIONS {
        bail!("it registers {} names; {MAX_REGISTRATIONS} are allowed", names.len());
    }
    for found in names.into_iter().chain([&manifest.name]) {
        name(found)?;
    }
    if manifest.version.len() > MAX_LINE_BYTES || manifest.description.len() > MAX_LINE_BYTES {
        bail!("its version or description is longer than {MAX_LINE_BYTES} bytes");
    }
    manifest.functions.iter().try_for_each(function)
}

/// Check one function.
pub fn function(function: &Function) -> Result<()> {
    name(&function.name)?;
    if function.arguments < -1 {
        bail!("it registers `{}` with {} arguments", function.name, function.arguments);
    }
    Ok(())
}

fn name(name: &str) -> Result<()> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.contains('\0') {
        bail!(
            "it registers a name that is empty, longer than {MAX_NAME_BYTES} bytes, or has a NUL"
        );
    }
    Ok(())
}
