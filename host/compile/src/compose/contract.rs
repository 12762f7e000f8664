//! The contract, read from the WIT packages that this program was built with, together
//! with the WIT of the CLI: the functions of `dispatch`, and the function of an extension
//! that each of them calls.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use wit_parser::abi::{AbiVariant, WasmSignature};
use wit_parser::{
    Function, Interface, InterfaceId, PackageId, Resolve, SizeAlign, SourceMap, Type, TypeDef,
    TypeDefKind, TypeId, TypeOwner,
};

macro_rules! package {
    ($directory:literal: $($file:literal)*) => {
        &[$(($file, include_str!(concat!("../../wit/", $directory, "/", $file, ".wit")))),*]
    };
}

const EXTENSION: &[(&str, &str)] = package!("extension": "aggregate" "collation" "manifest" "pointers" "scalar" "sql" "table" "types" "worlds");
const HOST: &[(&str, &str)] =
    package!("host": "console" "dispatch" "files" "process" "shared-memory" "world");

/// The interfaces that an extension may export.
pub const INTERFACES: &[&str] =
    &["extension", "scalar", "inline", "aggregate", "collation", "table", "pointers"];

/// The interface and function of an extension that the function `name` of
/// `dispatch` calls; `None` for functions of `dispatch` itself.
///
/// `INTERFACE-FUNCTION` calls that function; `connect` and `disconnect` are those
/// of `extension`.
pub fn target(name: &str) -> Option<(&str, &str)> {
    match name.split_once('-') {
        Some((interface, function)) => {
            INTERFACES.contains(&interface).then_some((interface, function))
        }
        None => matches!(name, "connect" | "disconnect").then_some(("extension", name)),
    }
}

/// The contract.
pub struct Contract {
    /// All packages.
    pub resolve: Resolve,
    /// Sizes in memory.
    pub sizes: SizeAlign,
    extension: PackageId,
    host: PackageId,
}

impl Contract {
    /// Read it and add it to the WIT of a CLI, whose packages keep their ids.
    ///
    /// # Errors
    ///
    /// When the CLI was made for another version of it.
    pub fn read(cli: Resolve) -> Result<Self> {
        Self::merged(cli).context("it was made for another version of the contract; build it again")
    }

    fn merged(mut resolve: Resolve) -> Result<Self> {
        let mut own = Resolve::default();
        let extension = push(&mut own, EXTENSION)?;
        let host = push(&mut own, HOST)?;
        let moved = resolve.merge(own)?;
        let extension = moved.packages[extension.index()];
        let host = moved.packages[host.index()];
        let mut contract = Self { resolve, sizes: SizeAlign::default(), extension, host };
        contract.measure();
        Ok(contract)
    }

    /// Measure the types that were added.
    pub fn measure(&mut self) {
        self.sizes = SizeAlign::default();
        self.sizes.fill(&self.resolve);
    }

    /// `dispatch`.
    pub fn dispatch(&self) -> Result<InterfaceId> {
        self.interface_of(self.host, "dispatch")
    }

    /// The interface `name` of an extension.
    pub fn interface(&self, name: &str) -> Result<InterfaceId> {
        self.interface_of(self.extension, name)
    }

    /// The name of the module from which a CLI imports `dispatch`.
    pub fn dispatch_module(&self) -> Result<String> {
        self.id(self.dispatch()?)
    }

    fn interface_of(&self, package: PackageId, name: &str) -> Result<InterfaceId> {
        let interfaces = &self.resolve.packages[package].interfaces;
        interfaces.get(name).copied().with_context(|| format!("the contract lacks `{name}`"))
    }

    /// The interface's name with package and version.
    fn id(&self, interface: InterfaceId) -> Result<String> {
        self.resolve.id_of(interface).context("an interface has no name")
    }

    /// A function's type in core WebAssembly, for its caller.
    ///
    /// # Errors
    ///
    /// When its parameters do not fit into registers, which is the case for no function of the
    /// contract.
    pub fn signature(&self, function: &Function) -> Result<WasmSignature> {
        let signature = self.resolve.wasm_signature(AbiVariant::GuestImport, function);
        ensure!(!signature.indirect_params, "`{}` has too many parameters", function.name);
        Ok(signature)
    }

    /// The two sides of a `result`; `None` for another type.
    pub fn sides(&self, ty: Option<Type>) -> Option<[Option<Type>; 2]> {
        let Some(Type::Id(id)) = ty else { return None };
        match &self.resolve.types[id].kind {
            TypeDefKind::Type(aliased) => self.sides(Some(*aliased)),
            TypeDefKind::Result(result) => Some([result.ok, result.err]),
            _ => None,
        }
    }

    /// The offset of the content of a `result` with these sides, in bytes.
    pub fn content_offset(&self, sides: &[Option<Type>; 2]) -> u32 {
        let sides = sides.iter().map(Option::as_ref);
        self.sizes.payload_offset(wit_parser::Int::U8, sides).size_wasm32() as u32
    }

    /// The offset of the content of a variant, in bytes. Its first case has the tag 0.
    ///
    /// # Errors
    ///
    /// When it is not a variant.
    pub fn first_case_offset(&self, ty: Type) -> Result<u32> {
        let Type::Id(id) = ty else { bail!("a variant has a name") };
        match &self.resolve.types[id].kind {
            TypeDefKind::Type(aliased) => self.first_case_offset(*aliased),
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| case.ty.as_ref());
                Ok(self.sizes.payload_offset(variant.tag(), cases).size_wasm32() as u32)
            }
            other => bail!("a {} is not a variant", other.as_str()),
        }
    }

    /// Bytes of a value of the type `ty` in memory.
    pub fn bytes(&self, ty: &Type) -> u32 {
        self.sizes.size(ty).size_wasm32() as u32
    }

    /// Add an interface with the same functions and without a name: a CLI imports the
    /// same interface once for each extension.
    pub fn copy(&mut self, interface: InterfaceId) -> Result<InterfaceId> {
        let copy = Interface { name: None, ..self.resolve.interfaces[interface].clone() };
        let copy = self.resolve.interfaces.alloc(copy);
        let mut copied = HashMap::new();
        for (name, id) in self.resolve.interfaces[interface].types.clone() {
            let owner = TypeOwner::Interface(copy);
            let own = TypeDef { owner, ..self.resolve.types[id].clone() };
            let own = self.resolve.types.alloc(own);
            self.resolve.interfaces[copy].types.insert(name, own);
            copied.insert(id, own);
        }
        let mut functions = self.resolve.interfaces[copy].functions.clone();
        for function in functions.values_mut() {
            let types = function.params.iter_mut().map(|parameter| &mut parameter.ty);
            for ty in types.chain(&mut function.result) {
                *ty = self.copy_type(*ty, &copied)?;
            }
        }
        self.resolve.interfaces[copy].functions = functions;
        Ok(copy)
    }

    /// The same type, made of copied ones.
    fn copy_type(&mut self, ty: Type, copied: &HashMap<TypeId, TypeId>) -> Result<Type> {
        let Type::Id(id) = ty else { return Ok(ty) };
        if let Some(copy) = copied.get(&id) {
            return Ok(Type::Id(*copy));
        }
        let mut copy = self.resolve.types[id].clone();
        match &mut copy.kind {
            TypeDefKind::List(item) | TypeDefKind::Option(item) => {
                *item = self.copy_type(*item, copied)?;
            }
            TypeDefKind::Result(result) => {
                for side in [&mut result.ok, &mut result.err].into_iter().flatten() {
                    *side = self.copy_type(*side, copied)?;
                }
            }
            other => bail!("the contract has a {} without a name", other.as_str()),
        }
        Ok(Type::Id(self.resolve.types.alloc(copy)))
    }
}

fn push(resolve: &mut Resolve, files: &[(&str, &str)]) -> Result<PackageId> {
    let mut map = SourceMap::default();
    for (name, text) in files {
        map.push_str(name, *text);
    }
    let group = map.parse().map_err(|(_, error)| error)?;
    Ok(resolve.push_group(group)?)
}
