//! Dispatch trampolines: a core module that exports the functions of `dispatch` that the CLI
//! imports. They call the fused extensions, and forward calls of other extensions to the host.
//!
//! A trampoline has the type of its target, plus the extension's id: it branches on the id, and
//! passes registers and pointers through. The data behind pointers stay in the CLI's memory; the
//! canonical ABI copies them to the extension, and copies the result back.

mod code;
mod exports;
mod manifests;
mod module;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use wasm_encoder::ValType;
use wit_parser::abi::{WasmSignature, WasmType};
use wit_parser::{Function, LiftLowerAbi, ManglingAndAbi, WasmImport, WorldKey};

use super::cli::Cli;
use super::contract::{Contract, INTERFACES, target};
use super::graph::{Fused, import_name};
use exports::is_called;
use manifests::ManifestTable;
use module::Builder;

const MANGLING: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// The names of the host's functions: by the others the CLI imports the trampolines.
const FORWARDED: ManglingAndAbi = ManglingAndAbi::Standard32;

/// A function of an extension that a trampoline calls.
struct Target {
    /// The extension's id: its index.
    extension: u32,
    interface: &'static str,
    function: Function,
    signature: WasmSignature,
    /// Its index in the module.
    index: u32,
}

/// What the trampolines call.
struct Trampolines<'a> {
    contract: &'a Contract,
    /// How many extensions.
    count: u32,
    /// The index of the function that allocates memory.
    realloc: u32,
    /// The manifests of the extensions: the only data segment.
    manifests: ManifestTable,
    targets: Vec<Target>,
}

/// The module with trampolines for `extensions`.
///
/// # Errors
///
/// When the contract has a function without a trampoline.
pub fn trampolines(cli: &mut Cli, extensions: &[Fused]) -> Result<Vec<u8>> {
    let replaced = module::imported(cli.module, &cli.contract.dispatch_module()?)?;
    let (mut module, realloc) = Builder::new();
    let forwarded = forwarded(cli, &replaced, &mut module)?;
    let targets = targets(cli, extensions, &replaced, &mut module)?;
    cli.contract.measure();
    let contract = &cli.contract;
    let manifests = ManifestTable::new(contract, extensions)?;
    let count = extensions.len() as u32;
    let all = Trampolines { contract, count, realloc, manifests, targets };
    for (function, next) in &forwarded {
        match code::trampoline(&all, function, *next)? {
            Some(code) => {
                module.define(&function.name, registers(&contract.signature(function)?), &code);
            }
            None => module.export(&function.name, *next),
        }
    }
    Ok(module.finish(all.manifests.bytes))
}

/// Import the host's functions. Each has its index.
fn forwarded(
    cli: &Cli,
    replaced: &BTreeSet<String>,
    module: &mut Builder,
) -> Result<Vec<(Function, u32)>> {
    let (contract, id) = (&cli.contract, cli.contract.dispatch()?);
    let key = WorldKey::Interface(id);
    let import = |name: &String| {
        let function = contract.resolve.interfaces[id].functions.get(name);
        let function = function.with_context(|| format!("`dispatch` lacks `{name}`"))?;
        let import = WasmImport::Func { interface: Some(&key), func: function };
        let (from, name) = contract.resolve.wasm_import_name(FORWARDED, import);
        let index = module.import(&from, &name, registers(&contract.signature(function)?));
        Ok((function.clone(), index))
    };
    replaced.iter().map(import).collect()
}

/// Import the functions of the extensions that the CLI may call: the targets of its imports from
/// `dispatch`, as far as their manifests use them.
fn targets(
    cli: &mut Cli,
    extensions: &[Fused],
    replaced: &BTreeSet<String>,
    module: &mut Builder,
) -> Result<Vec<Target>> {
    let is_wanted = |interface: &str, name: &str| {
        replaced.iter().any(|replaced| target(replaced) == Some((interface, name)))
    };
    let mut targets = Vec::new();
    for (index, extension) in extensions.iter().enumerate() {
        for &interface in INTERFACES.iter().filter(|name| extension.exports(name)) {
            let (key, copy) = cli.import(interface, import_name(index, interface))?;
            let functions = cli.contract.resolve.interfaces[copy].functions.clone();
            for function in functions.into_values() {
                let name = function.name.as_str();
                if !is_wanted(interface, name) || !is_called(extension.manifest, interface, name) {
                    continue;
                }
                let signature = cli.contract.signature(&function)?;
                let import = WasmImport::Func { interface: Some(&key), func: &function };
                let (from, name) = cli.contract.resolve.wasm_import_name(MANGLING, import);
                let place = module.import(&from, &name, registers(&signature));
                targets.push(Target {
                    extension: index as u32,
                    interface,
                    function,
                    signature,
                    index: place,
                });
            }
        }
    }
    Ok(targets)
}

impl Trampolines<'_> {
    /// The function `name` of an extension; `None` if it is never called.
    fn target(&self, extension: u32, interface: &str, name: &str) -> Option<&Target> {
        self.targets.iter().find(|target| {
            target.extension == extension
                && target.interface == interface
                && target.function.name == name
        })
    }
}

/// The registers of parameters and results.
fn registers(signature: &WasmSignature) -> (Vec<ValType>, Vec<ValType>) {
    (values(&signature.params), values(&signature.results))
}

/// The types of registers.
fn values(types: &[WasmType]) -> Vec<ValType> {
    let value = |ty: &WasmType| match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    };
    types.iter().map(value).collect()
}
