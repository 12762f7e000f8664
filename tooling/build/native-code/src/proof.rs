//! What `native-check` knows of an image that it proves.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use native_check::{Facts, Global, Import, Piece, Report, Role, Subject};
use sqlite_wasm_native::image::Function;
use sqlite_wasm_native::module::Module;
use sqlite_wasm_native::pinned::layout::Layout;
use sqlite_wasm_native::pinned::{GUARD_BYTES, RESERVATION_BYTES};
use wasmparser::ValType;

use crate::link::Linked;
use crate::program::Text;
use crate::types::Signature;

/// Prove the functions of an image.
///
/// # Errors
///
/// When what is not a function of the module cannot be proved.
pub fn verify(
    module: &Module<'_>,
    layout: &Layout,
    is_timed: bool,
    text: &Text,
    linked: &Linked,
) -> Result<Report> {
    let (facts, pieces) = (facts(module, layout, is_timed)?, pieces(module, text, linked)?);
    let subject = Subject { code: &linked.code, text: linked.text, pieces: &pieces, facts: &facts };
    native_check::verify(&subject)
}

fn facts(module: &Module<'_>, layout: &Layout, is_timed: bool) -> Result<Facts> {
    let imports = module.imports.iter().zip(&layout.imports);
    let imports = imports.filter_map(|(ty, (code, context))| {
        let on_stack = Signature::of(module.types.get(*ty as usize)?).ok()?.on_stack();
        Some(Import { code: *code, context: *context, on_stack })
    });
    let globals = module.globals.iter().zip(&layout.globals).filter_map(|(global, offset)| {
        let bytes = match global.ty {
            ValType::I32 | ValType::F32 => 4,
            ValType::I64 | ValType::F64 => 8,
            ValType::V128 => 16,
            // The image has nothing to do with references.
            ValType::Ref(_) => return None,
        };
        Some(Global { offset: *offset, bytes, mutable: global.constant.is_none() })
    });
    let types = module.types.iter().zip(&layout.types);
    let types: BTreeMap<u32, usize> =
        types.filter_map(|(ty, id)| Some((4 * id, Signature::of(ty).ok()?.on_stack()))).collect();
    let imports: Vec<_> = imports.collect();
    anyhow::ensure!(imports.len() == module.imports.len(), "an import has another type");
    let table = module.table;
    Ok(Facts {
        memory_base: module.memory.map(|_| layout.memory_base),
        memory_length: layout.memory_length,
        memory_reservation: RESERVATION_BYTES as i64,
        guard: GUARD_BYTES as i64,
        table_base: table.map(|_| layout.table_base),
        table_elements: layout.table_elements,
        table_slots: module.fixed_slots().map(i64::from),
        store_context: layout.store_context,
        stack_limit: layout.stack_limit,
        clock: is_timed.then_some((layout.epoch, layout.epoch_deadline)),
        type_ids: layout.type_ids,
        reference_code: layout.reference_code,
        reference_context: layout.reference_vmctx,
        reference_type: layout.reference_type,
        imports,
        globals: globals.collect(),
        types,
    })
}

/// What starts where in the code, by the symbols that the translator gave.
fn pieces(module: &Module<'_>, text: &Text, linked: &Linked) -> Result<Vec<Piece>> {
    let on_stack = |index: u32| -> Result<usize> {
        let ty = module.function_type(module.imports.len() as u32 + index);
        Ok(Signature::of(ty.context("a function has no type")?)?.on_stack())
    };
    let mut pieces = Vec::new();
    for (name, start) in &linked.symbols {
        if *start as usize >= linked.text {
            continue;
        }
        let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
        let role = if let Some(index) = number("f") {
            let entry = matches!(text.functions.get(index as usize), Some(Function::Entry(_)));
            let outside = entry.then(|| on_stack(index)).transpose()?;
            Role::Function { index, outside }
        } else if let Some(index) = number("entry") {
            Role::Inward { index, count: on_stack(index)? }
        } else if let Some(index) = number("kept") {
            Role::Slot { on_stack: on_stack(index)? }
        } else if let Some(count) = number("outward") {
            Role::Outward { count: count as usize }
        } else if name == "fill" || name == "interrupt" {
            Role::Slot { on_stack: 0 }
        } else {
            Role::Helper
        };
        pieces.push(Piece { name: name.clone(), start: *start, role });
    }
    Ok(pieces)
}
