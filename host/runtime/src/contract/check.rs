//! Checks and limits of an extension's registrations.

use anyhow::{Result, bail};

use crate::contract::types::{
    Function, FunctionFlags, FunctionKind, Manifest, Module, Need, Risk, TextEncoding,
};

/// Longest name that an extension may register, in bytes; SQLite takes 255.
const MAX_NAME_BYTES: usize = 255;

/// Most functions, collations and modules of one extension together.
pub const MAX_REGISTRATIONS: usize = 1000;

/// Longest version and description, in bytes: each is one line for users.
const MAX_LINE_BYTES: usize = 1000;

/// Most shadow names of a module, and most needed capabilities of an extension.
const MAX_ENTRIES: usize = 100;

/// Check everything that an extension registers.
pub fn manifest(manifest: &Manifest) -> Result<()> {
    let functions = manifest.functions.iter().map(|function| &function.name);
    let collations = manifest.collations.iter().map(|collation| &collation.name);
    let modules = manifest.modules.iter().map(|module| &module.name);
    let names: Vec<&String> = functions.chain(collations).chain(modules).collect();
    if names.len() > MAX_REGISTRATIONS {
        bail!("it registers {} names; {MAX_REGISTRATIONS} are allowed", names.len());
    }
    own_name(&manifest.name)?;
    names.into_iter().try_for_each(|found| name(found))?;
    line("version", &manifest.version)?;
    line("description", &manifest.description)?;
    manifest.modules.iter().try_for_each(shadow_names)?;
    needs(&manifest.needs)?;
    manifest.functions.iter().try_for_each(function)
}

/// Check that the component exports what it registers.
pub fn exports(manifest: &Manifest, exports: &[String]) -> Result<()> {
    let is_called = |function: &&Function| function.kind.is_called();
    let called = manifest.functions.iter().filter(is_called).count();
    let is_inline = |function: &&Function| function.flags.contains(FunctionFlags::INLINE);
    let has_pointers = |function: &&Function| function.flags.contains(FunctionFlags::POINTERS);
    let wanted = [
        ("scalar", called, "scalar functions or tokenizers"),
        ("inline", manifest.functions.iter().filter(is_inline).count(), "inline functions"),
        ("pointers", manifest.functions.iter().filter(has_pointers).count(), "pointers"),
        ("aggregate", manifest.functions.len() - called, "aggregate functions"),
        ("collation", manifest.collations.len(), "collations"),
        ("table", manifest.modules.len(), "modules"),
    ];
    let has = |interface: &str| {
        let beginning = format!("sqlite-wasm:extension/{interface}@");
        exports.iter().any(|name| name.starts_with(&beginning))
    };
    match wanted.iter().find(|(interface, count, _)| *count > 0 && !has(interface)) {
        Some((interface, _, what)) => {
            bail!("it registers {what} and does not export `{interface}`")
        }
        None => Ok(()),
    }
}

/// Check the extension's name, which errors and options contain.
pub fn own_name(name: &str) -> Result<()> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(is_letter) {
        bail!("its own name is not made of letters, digits and `_`, 1 to {MAX_NAME_BYTES} of them");
    }
    Ok(())
}

/// Check a text that is one line for users.
pub fn line(what: &str, text: &str) -> Result<()> {
    if text.len() > MAX_LINE_BYTES || text.contains(char::is_control) {
        bail!("its {what} is not one line of {MAX_LINE_BYTES} bytes at most");
    }
    Ok(())
}

fn shadow_names(module: &Module) -> Result<()> {
    if module.shadow_names.len() > MAX_ENTRIES {
        bail!("its module `{}` has more than {MAX_ENTRIES} shadow names", module.name);
    }
    module.shadow_names.iter().try_for_each(|shadow| name(shadow))
}

fn needs(needs: &[Need]) -> Result<()> {
    if needs.len() > MAX_ENTRIES {
        bail!("it has more than {MAX_ENTRIES} needs");
    }
    needs.iter().try_for_each(|need| match need {
        Need::Sql | Need::SqlReadOnly => Ok(()),
        Need::Directory(text) | Need::Environment(text) => line("need", text),
    })
}

/// Whether an extension needs SQL.
pub fn needs_sql(manifest: &Manifest) -> bool {
    manifest.needs.iter().any(|need| matches!(need, Need::Sql | Need::SqlReadOnly))
}

/// Check one function.
pub fn function(function: &Function) -> Result<()> {
    name(&function.name)?;
    if function.arguments < -1 {
        bail!("it registers `{}` with {} arguments", function.name, function.arguments);
    }
    if function.flags.contains(FunctionFlags::POINTERS | FunctionFlags::INLINE) {
        bail!("it registers `{}` for pointers, and as inline", function.name);
    }
    if function.kind == FunctionKind::Tokenizer {
        return tokenizer(function);
    }
    Ok(())
}

fn tokenizer(function: &Function) -> Result<()> {
    let is_plain = function.arguments == -1
        && function.encoding == TextEncoding::Utf8
        && function.flags == FunctionFlags::empty()
        && function.risk == Risk::Innocuous;
    if !is_plain {
        let name = &function.name;
        bail!(
            "it registers the tokenizer `{name}` not as variadic, in UTF-8, innocuous, without flags"
        );
    }
    Ok(())
}

/// Check a name with its argument count, as in a list of registrations.
pub fn registered(text: &str) -> Result<()> {
    let (name, _) = text.rsplit_once('/').unwrap_or((text, ""));
    named("registers a name that", if name.is_empty() { text } else { name })
}

fn name(name: &str) -> Result<()> {
    named("registers a name that", name)
}

fn named(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.contains(char::is_control) {
        bail!("it {what} is empty, longer than {MAX_NAME_BYTES} bytes, or has control characters");
    }
    Ok(())
}
