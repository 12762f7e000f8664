//! Dispatch trampolines: functions in the CLI's core module that replace the functions of
//! `dispatch` that it imports. They call the fused extensions, and forward calls of other
//! extensions to the import.
//!
//! A trampoline has the type of its target, plus the extension's id: it branches on the id, and
//! passes registers and pointers through. The data behind pointers stay in the CLI's memory; the
//! canonical ABI copies them to the extension, and copies the result back.

mod code;
mod exports;
mod manifests;
mod splice;

use anyhow::{Context, Result};
use wasm_encoder::ValType;
use wit_parser::abi::{WasmSignature, WasmType};
use wit_parser::{Function, LiftLowerAbi, ManglingAndAbi, WasmImport};

use super::cli::Cli;
use super::contract::{Contract, INTERFACES, target};
use super::graph::{Fused, import_name};
use exports::is_called;
use manifests::ManifestTable;
use splice::{Import, Splice, Survey};
use sqlite_wasm_runtime::contract::types::Manifest;

const MANGLING: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// An extension that gets trampolines.
struct Callee<'a> {
    /// Its index among all fused extensions.
    index: usize,
    extension: &'a Fused<'a>,
    manifest: &'a Manifest,
}

/// A function of an extension that a trampoline calls.
struct Target {
    /// The extension's id: its index among those that get trampolines.
    extension: u32,
    interface: &'static str,
    function: Function,
    signature: WasmSignature,
    /// Its index in the module.
    index: u32,
}

/// The trampolines of a CLI.
struct Trampolines<'a> {
    contract: &'a Contract,
    /// How many extensions they call.
    count: u32,
    /// The index of the function that allocates memory.
    realloc: u32,
    /// The manifests of the extensions, and their data segment.
    manifests: (u32, ManifestTable),
    targets: Vec<Target>,
}

/// The CLI's core module with trampolines for those of `extensions` that it does not call
/// yet.
///
/// # Errors
///
/// When the contract has a function for which there is no trampoline.
pub fn add_trampolines(cli: &mut Cli, extensions: &[Fused]) -> Result<Vec<u8>> {
    let callees: Vec<Callee> = extensions.iter().enumerate().filter_map(callee).collect();
    let survey = Survey::of(cli.module)?;
    let dispatch = cli.contract.dispatch()?;
    let module = cli.contract.id(dispatch)?;
    let replaced: Vec<(u32, String)> = survey.imported_from(&module).collect();
    let mut splice = Splice::default();
    let targets = import(cli, &callees, &replaced, &survey, &mut splice)?;
    cli.contract.measure();
    let contract = &cli.contract;
    let trampolines = Trampolines {
        contract,
        count: callees.len() as u32,
        realloc: survey.realloc()? + splice.imports.len() as u32,
        manifests: (survey.data_count, ManifestTable::new(contract, &callees)?),
        targets,
    };
    for (import, name) in replaced {
        let function = contract.resolve.interfaces[dispatch].functions.get(&name);
        let function = function.with_context(|| format!("`dispatch` lacks `{name}`"))?;
        if let Some(code) = code::trampoline(&trampolines, function, import)? {
            splice.replaced.insert(import, code);
        }
    }
    splice.data = Some(trampolines.manifests.1.bytes);
    splice.into_module(cli.module, &survey)
}

fn callee<'a>((index, extension): (usize, &'a Fused<'a>)) -> Option<Callee<'a>> {
    Some(Callee { index, extension, manifest: extension.manifest? })
}

/// Import the functions of the extensions that the CLI may call: the targets of its imports from
/// `dispatch`, as far as their manifests use them.
fn import(
    cli: &mut Cli,
    callees: &[Callee],
    replaced: &[(u32, String)],
    survey: &Survey,
    splice: &mut Splice,
) -> Result<Vec<Target>> {
    let is_wanted = |interface: &str, name: &str| {
        replaced.iter().any(|(_, replaced)| target(replaced) == Some((interface, name)))
    };
    let mut targets = Vec::new();
    for (id, Callee { index, extension, manifest }) in (0..).zip(callees) {
        for &interface in INTERFACES.iter().filter(|name| extension.exports(name)) {
            let (key, copy) = cli.import(interface, import_name(*index, interface))?;
            let functions = cli.contract.resolve.interfaces[copy].functions.clone();
            for function in functions.into_values() {
                let name = function.name.as_str();
                if !is_wanted(interface, name) || !is_called(manifest, interface, name) {
                    continue;
                }
                let signature = cli.contract.signature(&function)?;
                let import = WasmImport::Func { interface: Some(&key), func: &function };
                let (module, name) = cli.contract.resolve.wasm_import_name(MANGLING, import);
                let index = survey.imports.len() as u32 + splice.imports.len() as u32;
                let (parameters, results) = (values(&signature.params), values(&signature.results));
                splice.imports.push(Import { module, name, parameters, results });
                targets.push(Target { extension: id, interface, function, signature, index });
            }
        }
    }
    Ok(targets)
}

impl Trampolines<'_> {
    /// The function `name` of an extension; none where it is never called.
    fn target(&self, extension: u32, interface: &str, name: &str) -> Option<&Target> {
        self.targets.iter().find(|target| {
            target.extension == extension
                && target.interface == interface
                && target.function.name == name
        })
    }
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
