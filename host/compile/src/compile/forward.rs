//! Components whose functions are cheap to call.
//!
//! wasmtime stores the machine code of a function that a core module imports, but searches for that
//! of a function that a module defines, each time the host calls it: a quarter of the host's share
//! of a call. So a module that only forwards functions (it imports them and exports them again) is
//! inserted between an instance and its exports.

use std::collections::BTreeMap;
use std::convert::Infallible;

use anyhow::{Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent, component_utils};
use wasm_encoder::{
    Alias, Component, ComponentAliasSection, EntityType, ExportKind, ExportSection, ImportSection,
    InstanceSection, Module, ModuleArg, ModuleSection, TypeSection, ValType,
};
use wasmparser::{
    CanonicalFunction, ComponentAlias, ComponentAliasSectionReader, ExternalKind, FuncType, Parser,
    Payload, Validator, WasmFeatures,
};

use crate::sections::{copy, sections};

/// A component with a single function is a program, which is called once.
const MIN_FUNCTIONS: usize = 2;

/// The component with a forwarding module; none if nothing would be gained.
///
/// # Errors
///
/// When it is not a component.
pub fn forwarding(wasm: &[u8]) -> Result<Option<Vec<u8>>> {
    match Lifted::of(wasm)? {
        Some(lifted) if lifted.functions.len() >= MIN_FUNCTIONS => lifted.forwarded(wasm),
        _ => Ok(None),
    }
}

/// The core functions that a component lifts.
struct Lifted {
    /// The instance that exports them; functions of other instances are not changed.
    instance: u32,
    functions: BTreeMap<String, FuncType>,
}

impl Lifted {
    fn of(wasm: &[u8]) -> wasmparser::Result<Option<Self>> {
        let mut validator = Validator::new_with_features(WasmFeatures::all());
        let (mut exports, mut lifted, mut depth) = (BTreeMap::new(), None, 0_u32);
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            let defined = validator.types(0).map_or(0, |types| types.function_count());
            validator.payload(&payload)?;
            match payload {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentAliasSection(aliases) if depth == 0 => {
                    exports.extend((defined..).zip(core_functions(aliases)?));
                }
                Payload::ComponentCanonicalSection(functions) if depth == 0 => {
                    for function in functions {
                        let CanonicalFunction::Lift { core_func_index: index, .. } = function?
                        else {
                            continue;
                        };
                        let Some((instance, name)) = exports.get(&index) else { continue };
                        let Some(types) = validator.types(0) else { continue };
                        let ty = types[types.core_function_at(index)].unwrap_func();
                        let all = lifted.get_or_insert_with(|| Self {
                            instance: *instance,
                            functions: BTreeMap::new(),
                        });
                        if all.instance == *instance {
                            all.functions.insert(name.clone(), ty.clone());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(lifted)
    }

    /// The component `wasm` with the forwarding module after the instance; none if that would
    /// change the index of another module.
    fn forwarded(&self, wasm: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut result = Component::new();
        let (mut modules, mut instances) = (0, 0);
        let mut forwarder: Option<Forwarder> = None;
        for payload in sections(wasm) {
            let payload = payload?;
            match (&payload, &mut forwarder) {
                (Payload::ModuleSection { .. }, Some(_)) => return Ok(None),
                (Payload::InstanceSection(section), Some(forwarder)) => {
                    let mut shifted = InstanceSection::new();
                    forwarder.parse_instance_section(&mut shifted, section.clone())?;
                    result.section(&shifted);
                }
                (Payload::ComponentAliasSection(section), Some(forwarder)) => {
                    let mut shifted = ComponentAliasSection::new();
                    forwarder.parse_component_alias_section(&mut shifted, section.clone())?;
                    result.section(&shifted);
                }
                _ => copy(&payload, wasm, &mut result),
            }
            match payload {
                Payload::ModuleSection { .. } => modules += 1,
                Payload::InstanceSection(section) => instances += section.count(),
                _ => {}
            }
            if forwarder.is_none() && instances > self.instance {
                self.insert(modules, &mut result)?;
                forwarder = Some(Forwarder { index: instances, lifted: self });
            }
        }
        Ok(Some(result.finish()))
    }

    /// Add the forwarding module, which gets the index `module`, and its instance.
    fn insert(&self, module: u32, result: &mut Component) -> Result<()> {
        result.section(&ModuleSection(&self.module()?));
        let mut instances = InstanceSection::new();
        instances.instantiate(module, [("", ModuleArg::Instance(self.instance))]);
        result.section(&instances);
        Ok(())
    }

    fn module(&self) -> Result<Module> {
        let (mut types, mut imports, mut exports) =
            (TypeSection::new(), ImportSection::new(), ExportSection::new());
        for (index, (name, ty)) in (0..).zip(&self.functions) {
            types.ty().function(val_types(ty.params())?, val_types(ty.results())?);
            imports.import("", name, EntityType::Function(index));
            exports.export(name, ExportKind::Func, index);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&exports);
        Ok(module)
    }
}

fn val_types(types: &[wasmparser::ValType]) -> Result<Vec<ValType>> {
    let converted = types.iter().map(|ty| ValType::try_from(*ty));
    converted.collect::<Result<_, _>>().map_err(|_: Error| anyhow!("a type that no function has"))
}

/// The functions of core instances that get a name: the instance, and its name for each.
fn core_functions(
    aliases: ComponentAliasSectionReader<'_>,
) -> wasmparser::Result<Vec<(u32, String)>> {
    let named = aliases.into_iter().filter_map(|alias| match alias {
        Ok(ComponentAlias::CoreInstanceExport {
            kind: ExternalKind::Func | ExternalKind::FuncExact,
            instance_index,
            name,
        }) => Some(Ok((instance_index, name.to_owned()))),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    });
    named.collect()
}

/// Rewrites the sections after the forwarding module's instance, with the new indices.
struct Forwarder<'a> {
    /// The index of that instance.
    index: u32,
    lifted: &'a Lifted,
}

impl Reencode for Forwarder<'_> {
    type Error = Infallible;
}

impl ReencodeComponent for Forwarder<'_> {
    fn instance_index(&mut self, index: u32) -> u32 {
        index + u32::from(index >= self.index)
    }

    fn component_alias<'a>(
        &mut self,
        alias: ComponentAlias<'a>,
    ) -> Result<Alias<'a>, Error<Infallible>> {
        match alias {
            ComponentAlias::CoreInstanceExport {
                kind: ExternalKind::Func,
                instance_index,
                name,
            } if instance_index == self.lifted.instance
                && self.lifted.functions.contains_key(name) =>
            {
                Ok(Alias::CoreInstanceExport { instance: self.index, kind: ExportKind::Func, name })
            }
            other => component_utils::component_alias(self, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CanonicalFunctionSection, CodeSection, ComponentTypeSection, Function, FunctionSection,
        PrimitiveValType,
    };

    use super::*;

    fn module(names: &[&str]) -> Module {
        let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
        let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
        types.ty().function([], [ValType::I32]);
        for (index, name) in (0..).zip(names) {
            functions.function(0);
            exports.export(name, ExportKind::Func, index);
            let mut body = Function::new([]);
            body.instructions().i32_const(7).end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&exports).section(&code);
        module
    }

    /// A component that lifts functions of an instance, with another instance behind it.
    fn component(names: &[&str], has_later_module: bool) -> Vec<u8> {
        let mut component = Component::new();
        component.section(&ModuleSection(&module(names)));
        let mut instances = InstanceSection::new();
        instances.instantiate(0, [] as [(&str, ModuleArg); 0]);
        component.section(&instances);
        if has_later_module {
            component.section(&ModuleSection(&module(&[])));
        }
        component.section(&instances);
        let (mut aliases, mut types, mut lifts) = (
            ComponentAliasSection::new(),
            ComponentTypeSection::new(),
            CanonicalFunctionSection::new(),
        );
        types
            .function()
            .params([] as [(&str, PrimitiveValType); 0])
            .result(Some(PrimitiveValType::U32.into()));
        for (index, name) in (0..).zip(names) {
            aliases.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Func, name });
            lifts.lift(index, 0, []);
        }
        aliases.alias(Alias::CoreInstanceExport {
            instance: 1,
            kind: ExportKind::Func,
            name: names[0],
        });
        component.section(&aliases).section(&types).section(&lifts);
        component.finish()
    }

    /// The instances whose functions get a name.
    fn sources(wasm: &[u8]) -> Vec<u32> {
        let aliases = sections(wasm).find_map(|payload| match payload {
            Ok(Payload::ComponentAliasSection(aliases)) => Some(aliases),
            _ => None,
        });
        let functions = core_functions(aliases.expect("it has aliases"));
        functions.expect("they are valid").iter().map(|(instance, _)| *instance).collect()
    }

    #[test]
    fn lifted_functions_are_those_of_the_forwarding_module() {
        let wasm = component(&["f", "g"], false);
        assert_eq!(sources(&wasm), [0, 0, 1]);
        let forwarding = forwarding(&wasm).expect("it is valid").expect("it gains something");
        Validator::new().validate_all(&forwarding).expect("it stays valid");
        assert_eq!(sources(&forwarding), [1, 1, 2]);
    }

    #[test]
    fn programs_and_components_with_modules_behind_the_instance_stay_as_they_are() {
        for (names, has_later_module) in [(&["f"][..], false), (&["f", "g"], true)] {
            let wasm = component(names, has_later_module);
            Validator::new().validate_all(&wasm).expect("it is valid");
            assert_eq!(forwarding(&wasm).expect("it is valid"), None);
        }
        assert!(forwarding(b"\0asm").is_err());
    }
}
