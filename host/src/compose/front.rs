//! The front: functions in the CLI's own core module that take the place of the
//! `dispatch` that it imports. They answer for the extensions that are inside,
//! and pass calls for others on to what was imported.
//!
//! They have the form of the functions that they call, but for the number of
//! the extension: so they branch on it, and pass registers and pointers
//! through. What pointers lead to stays in the CLI's memory, from where the
//! canonical ABI takes it to the extension, and to where it brings the answer.

use anyhow::{Context, Result};
use wasm_encoder::ValType;
use wit_parser::abi::{WasmSignature, WasmType};
use wit_parser::{Function, LiftLowerAbi, ManglingAndAbi, WasmImport};

use super::answers;
use super::cli::Cli;
use super::contract::{Contract, INTERFACES, target};
use super::listing::Listing;
use super::offer::is_called;
use super::splice::{Import, Splice, Survey};
use crate::extensions::types::Manifest;

const MANGLING: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// An extension that goes inside.
pub struct Extension<'a> {
    /// The contract's interfaces that it exports, and their names with version.
    pub interfaces: &'a [(String, String)],
    pub manifest: &'a Manifest,
}

/// The name by which a CLI imports the interface `interface` of the extension
/// at `place`.
pub fn import_name(place: usize, interface: &str) -> String {
    format!("extension{place}-{interface}")
}

/// A function of an extension that the front calls.
pub struct Called {
    place: usize,
    interface: &'static str,
    pub function: Function,
    pub signature: WasmSignature,
    /// Its number in the module.
    pub number: u32,
}

/// The front of a CLI.
pub struct Front<'a> {
    pub contract: &'a Contract,
    /// How many extensions it answers for.
    pub count: u32,
    /// The function by which memory is taken.
    pub realloc: u32,
    /// The data with the list of extensions.
    pub listing: (u32, Listing),
    called: Vec<Called>,
}

/// The CLI's core module with a front for `extensions`. `earlier` have another
/// one already.
///
/// # Errors
///
/// When the contract has a function that a front cannot answer.
pub fn put_into(cli: &mut Cli, earlier: usize, extensions: &[Extension]) -> Result<Vec<u8>> {
    let survey = Survey::of(cli.module)?;
    let dispatch = cli.contract.dispatch()?;
    let module = cli.contract.id(dispatch)?;
    let answered: Vec<(u32, String)> = survey.imported_from(&module).collect();
    let mut splice = Splice::default();
    let called = import(cli, earlier, extensions, &answered, &survey, &mut splice)?;
    cli.contract.measure();
    let contract = &cli.contract;
    let front = Front {
        contract,
        count: extensions.len() as u32,
        realloc: survey.realloc()? + splice.imports.len() as u32,
        listing: (survey.data_count, Listing::of(contract, extensions)?),
        called,
    };
    for (import, name) in answered {
        let function = contract.resolve.interfaces[dispatch].functions.get(&name);
        let function = function.with_context(|| format!("`dispatch` lacks `{name}`"))?;
        if let Some(code) = answers::of(&front, function, import)? {
            splice.replaced.insert(import, code);
        }
    }
    splice.data = Some(front.listing.1.bytes);
    splice.into_module(cli.module, &survey)
}

/// Import what the CLI may call of the extensions: the targets of what it
/// calls of `dispatch`, as far as their manifests promise them.
fn import(
    cli: &mut Cli,
    earlier: usize,
    extensions: &[Extension],
    answered: &[(u32, String)],
    survey: &Survey,
    splice: &mut Splice,
) -> Result<Vec<Called>> {
    let is_wanted = |interface: &str, name: &str| {
        answered.iter().any(|(_, answered)| target(answered) == Some((interface, name)))
    };
    let mut called = Vec::new();
    for (place, extension) in extensions.iter().enumerate() {
        let names = INTERFACES.iter().filter(|name| extension.exports(name));
        for &interface in names {
            let (key, copy) = cli.import(interface, import_name(earlier + place, interface))?;
            let functions = cli.contract.resolve.interfaces[copy].functions.clone();
            for function in functions.into_values() {
                let name = function.name.as_str();
                if !is_wanted(interface, name) || !is_called(extension.manifest, interface, name) {
                    continue;
                }
                let signature = cli.contract.signature(&function)?;
                let import = WasmImport::Func { interface: Some(&key), func: &function };
                let (module, name) = cli.contract.resolve.wasm_import_name(MANGLING, import);
                let number = survey.imports.len() as u32 + splice.imports.len() as u32;
                let (parameters, results) = (values(&signature.params), values(&signature.results));
                splice.imports.push(Import { module, name, parameters, results });
                called.push(Called { place, interface, function, signature, number });
            }
        }
    }
    Ok(called)
}

impl Extension<'_> {
    /// Whether it exports the interface `interface` of the contract.
    pub fn exports(&self, interface: &str) -> bool {
        self.interfaces.iter().any(|(name, _)| name == interface)
    }
}

impl Front<'_> {
    /// The function `name` of the extension at `place`; none where it is never
    /// called.
    pub fn find(&self, place: u32, interface: &str, name: &str) -> Option<&Called> {
        self.called.iter().find(|called| {
            called.place == place as usize
                && called.interface == interface
                && called.function.name == name
        })
    }
}

/// The types of registers.
pub fn values(types: &[WasmType]) -> Vec<ValType> {
    let value = |ty: &WasmType| match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    };
    types.iter().map(value).collect()
}
