//! The manifests of the fused extensions as one table, in the layout of the canonical ABI, so that
//! no extension is called at start-up.
//!
//! Each list and text needs a separate allocation, since the CLI may free each by itself.
//! The table is one block; when the CLI calls `embedded`, each part of the block, the
//! inner parts first, is copied to a new allocation, and its address is written into the
//! part around it. The beginning of the block becomes the list itself.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use wasm_encoder::{BlockType, Function as Code, ValType};
use wit_parser::{Flag, Flags, FlagsRepr, Record, Type, TypeDefKind, TypeId, Variant};

use super::Trampolines;
use super::code::at;
use crate::compose::contract::Contract;
use crate::compose::graph::Fused;

/// Alignment of the block and of each part in it, in bytes: the largest of the
/// canonical ABI.
const ALIGNMENT: usize = 8;

/// Bytes of a [`Move`] in the block.
const MOVE_BYTES: u32 = 16;

/// A part that gets its own memory.
struct Move {
    /// The offset in the block at which its address is written.
    address: u32,
    /// Its offset in the block.
    start: u32,
    bytes: u32,
    alignment: u32,
}

/// The table as one block: entries, parts, moves.
pub struct ManifestTable {
    pub bytes: Vec<u8>,
    /// Bytes of an entry.
    entry: u32,
    /// The offsets of the moves in the block.
    moves: std::ops::Range<u32>,
}

impl ManifestTable {
    /// The table of `extensions`, whose ids are their indices.
    ///
    /// # Errors
    ///
    /// When a manifest does not conform to the contract.
    pub(super) fn new(contract: &Contract, extensions: &[Fused]) -> Result<Self> {
        let dispatch = &contract.resolve.interfaces[contract.dispatch()?];
        let loaded = dispatch.types.get("loaded").context("`dispatch` lacks `loaded`")?;
        let entry = contract.bytes(&Type::Id(*loaded));
        let mut block = Block { contract, bytes: Vec::new(), moves: Vec::new() };
        block.take(entry as usize * extensions.len());
        for (id, extension) in extensions.iter().enumerate() {
            let value = json!({
                "extension": id,
                "manifest": extension.manifest,
            });
            block.put(Type::Id(*loaded), &value, id * entry as usize)?;
        }
        let moves = std::mem::take(&mut block.moves);
        let start = block.take(MOVE_BYTES as usize * moves.len());
        for (index, one) in moves.iter().enumerate() {
            let fields = [one.address, one.start, one.bytes, one.alignment];
            let bytes = fields.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
            block.write(start + index * MOVE_BYTES as usize, &bytes);
        }
        Ok(Self { entry, moves: start as u32..block.bytes.len() as u32, bytes: block.bytes })
    }
}

/// A block that is being filled.
struct Block<'a> {
    contract: &'a Contract,
    bytes: Vec<u8>,
    moves: Vec<Move>,
}

impl Block<'_> {
    /// Reserve room for a part. Returns its offset.
    fn take(&mut self, bytes: usize) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start + bytes, 0);
        start
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Put a value of the type `ty` at `offset`.
    fn put(&mut self, ty: Type, value: &Value, offset: usize) -> Result<()> {
        let integer = || value.as_i64().context("an integer is expected");
        match ty {
            Type::Bool => {
                self.write(offset, &[u8::from(value.as_bool().context("a boolean is expected")?)])
            }
            Type::U8 | Type::S8 => self.write(offset, &integer()?.to_le_bytes()[..1]),
            Type::U32 | Type::S32 => self.write(offset, &integer()?.to_le_bytes()[..4]),
            Type::String => {
                let text = value.as_str().context("a text is expected")?;
                let start = self.take(text.len());
                self.write(start, text.as_bytes());
                self.put_list(offset, start, text.len(), text.len(), 1);
            }
            Type::Id(id) => self.put_defined(id, value, offset)?,
            other => bail!("a manifest has no {other:?}"),
        }
        Ok(())
    }

    fn put_defined(&mut self, id: TypeId, value: &Value, offset: usize) -> Result<()> {
        let contract = self.contract;
        match &contract.resolve.types[id].kind {
            TypeDefKind::Type(ty) => self.put(*ty, value, offset)?,
            TypeDefKind::Record(record) => self.put_record(record, value, offset)?,
            TypeDefKind::List(item) => self.put_items(item, value, offset)?,
            TypeDefKind::Variant(variant) => self.put_variant(variant, value, offset)?,
            TypeDefKind::Flags(flags) => self.put_flags(flags, value, offset)?,
            TypeDefKind::Enum(cases) => {
                let names = cases.cases.iter().map(|case| case.name.as_str());
                self.write(offset, &[case(names, value.as_str())?]);
            }
            other => bail!("a manifest has no {}", other.as_str()),
        }
        Ok(())
    }

    fn put_record(&mut self, record: &Record, value: &Value, offset: usize) -> Result<()> {
        let types = record.fields.iter().map(|field| &field.ty);
        let offsets = self.contract.sizes.field_offsets(types);
        for ((field_offset, ty), field) in offsets.into_iter().zip(&record.fields) {
            let value = value.get(field.name.replace('-', "_"));
            let value = value.with_context(|| format!("`{}` is missing", field.name))?;
            self.put(*ty, value, offset + field_offset.size_wasm32())?;
        }
        Ok(())
    }

    fn put_items(&mut self, item: &Type, value: &Value, offset: usize) -> Result<()> {
        let items = value.as_array().context("a list is expected")?;
        let bytes = self.contract.bytes(item) as usize;
        let start = self.take(bytes * items.len());
        for (index, value) in items.iter().enumerate() {
            self.put(*item, value, start + index * bytes)?;
        }
        let alignment = self.contract.sizes.align(item).align_wasm32() as u32;
        self.put_list(offset, start, items.len(), bytes * items.len(), alignment);
        Ok(())
    }

    /// A case without content is its name, and one with content an object of
    /// one field.
    fn put_variant(&mut self, variant: &Variant, value: &Value, offset: usize) -> Result<()> {
        let content = value.as_object().and_then(|fields| fields.iter().next());
        let name = content.map_or_else(|| value.as_str(), |(name, _)| Some(name));
        let index = case(variant.cases.iter().map(|case| case.name.as_str()), name)?;
        self.write(offset, &[index]);
        let types = variant.cases.iter().map(|case| case.ty.as_ref());
        let content_offset = self.contract.sizes.payload_offset(variant.tag(), types).size_wasm32();
        if let (Some(ty), Some((_, content))) = (variant.cases[usize::from(index)].ty, content) {
            self.put(ty, content, offset + content_offset)?;
        }
        Ok(())
    }

    fn put_flags(&mut self, flags: &Flags, value: &Value, offset: usize) -> Result<()> {
        let set = value.as_array().context("flags are expected")?;
        let is_set = |flag: &Flag| set.iter().any(|one| one.as_str() == Some(&flag.name));
        let bits = (0..).zip(&flags.flags).map(|(bit, flag)| u32::from(is_set(flag)) << bit);
        let bits: u32 = bits.sum();
        let bytes = match flags.repr() {
            FlagsRepr::U8 => 1,
            FlagsRepr::U16 => 2,
            FlagsRepr::U32(count) => {
                ensure!(count == 1, "a manifest has more than 32 flags");
                4
            }
        };
        self.write(offset, &bits.to_le_bytes()[..bytes]);
        Ok(())
    }

    /// Put a list or text of `count` items at `offset`, whose items are at
    /// `start`.
    fn put_list(
        &mut self,
        offset: usize,
        start: usize,
        count: usize,
        bytes: usize,
        alignment: u32,
    ) {
        // An empty list has no memory, but needs an aligned address.
        self.write(offset, &alignment.to_le_bytes());
        self.write(offset + 4, &(count as u32).to_le_bytes());
        if bytes > 0 {
            let (address, start, bytes) = (offset as u32, start as u32, bytes as u32);
            self.moves.push(Move { address, start, bytes, alignment });
        }
    }
}

/// The index of the case `name`, which is written as in Rust.
fn case<'a>(mut names: impl Iterator<Item = &'a str>, name: Option<&str>) -> Result<u8> {
    let name = name.context("a case is expected")?;
    let index = names.position(|case| case.replace('-', "").eq_ignore_ascii_case(name));
    Ok(index.with_context(|| format!("there is no case `{name}`"))? as u8)
}

/// `embedded`: the table, and behind it the list of the replaced function, which is the
/// import `next`.
pub(super) fn code(all: &Trampolines, next: u32) -> Code {
    let table = &all.manifests;
    let bytes = table.bytes.len() as i32;
    let own = (all.count * table.entry) as i32;
    let (result, block, at_entry, part, more) = (0, 1, 2, 3, 4);
    let mut code = Code::new([(4, ValType::I32)]);
    let mut sink = code.instructions();
    sink.local_get(result).call(next);
    sink.i32_const(0).i32_const(0).i32_const(ALIGNMENT as i32).i32_const(bytes);
    sink.call(all.realloc).local_tee(block);
    sink.i32_const(0).i32_const(bytes).memory_init(0, 0);
    // Copy each part to a new allocation.
    sink.local_get(block).i32_const(table.moves.start as i32).i32_add().local_set(at_entry);
    sink.loop_(BlockType::Empty);
    sink.local_get(at_entry).local_get(block).i32_const(table.moves.end as i32).i32_add();
    sink.i32_lt_u().if_(BlockType::Empty);
    sink.i32_const(0).i32_const(0);
    sink.local_get(at_entry).i32_load(at(12, 2)).local_get(at_entry).i32_load(at(8, 2));
    sink.call(all.realloc).local_tee(part);
    sink.local_get(block).local_get(at_entry).i32_load(at(4, 2)).i32_add();
    sink.local_get(at_entry).i32_load(at(8, 2)).memory_copy(0, 0);
    sink.local_get(block).local_get(at_entry).i32_load(at(0, 2)).i32_add();
    sink.local_get(part).i32_store(at(0, 2));
    sink.local_get(at_entry).i32_const(MOVE_BYTES as i32).i32_add().local_set(at_entry);
    sink.br(1).end().end();
    // The block becomes the list. That of the replaced function is copied; its own memory,
    // which is small, is not freed.
    sink.local_get(result).i32_load(at(4, 2)).i32_const(table.entry as i32).i32_mul();
    sink.local_set(more);
    sink.local_get(block).i32_const(bytes).i32_const(ALIGNMENT as i32);
    sink.local_get(more).i32_const(own).i32_add().call(all.realloc).local_set(block);
    sink.local_get(block).i32_const(own).i32_add().local_tee(at_entry);
    sink.local_get(result).i32_load(at(0, 2)).local_get(more).memory_copy(0, 0);
    sink.local_get(result).local_get(block).i32_store(at(0, 2));
    sink.local_get(result).local_get(result).i32_load(at(4, 2));
    sink.i32_const(all.count as i32).i32_add().i32_store(at(4, 2));
    // The ids of the replaced function follow those of the fused extensions.
    sink.loop_(BlockType::Empty).local_get(more).if_(BlockType::Empty);
    sink.local_get(at_entry).local_get(at_entry).i32_load(at(0, 2));
    sink.i32_const(all.count as i32).i32_add().i32_store(at(0, 2));
    sink.local_get(at_entry).i32_const(table.entry as i32).i32_add().local_set(at_entry);
    sink.local_get(more).i32_const(table.entry as i32).i32_sub().local_set(more);
    sink.br(1).end().end().end();
    code
}
