//! The list of the extensions that are inside, with their manifests, as the
//! canonical ABI lays it out: so no extension is asked at a start.
//!
//! A list's and a text's memory is its own, as the CLI may give each back by
//! itself. So the list is made as one block, and then each part of it, the inner ones
//! first, is moved to where it stays, and its address written into the part
//! around it. What is left in front of the block is the list itself.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use wasm_encoder::{BlockType, Function as Code, ValType};
use wit_parser::{Flag, Flags, FlagsRepr, Record, Type, TypeDefKind, TypeId, Variant};

use super::answers::at;
use super::contract::Contract;
use super::front::{Extension, Front};

/// Alignment of the block and of each part in it, in bytes: the largest of the
/// canonical ABI.
const ALIGNMENT: usize = 8;

/// Bytes of a [`Move`] in the block.
const MOVE_BYTES: u32 = 16;

/// A part that gets its own memory.
struct Move {
    /// Where its address is written, in the block.
    address: u32,
    /// Where it is in the block.
    start: u32,
    bytes: u32,
    alignment: u32,
}

/// The list as one block: entries, parts, moves.
pub struct Listing {
    pub bytes: Vec<u8>,
    /// Bytes of an entry.
    entry: u32,
    /// Where the moves are in the block.
    moves: std::ops::Range<u32>,
}

impl Listing {
    /// That of `extensions`, which have the numbers of their places.
    ///
    /// # Errors
    ///
    /// When a manifest is not what the contract says.
    pub fn of(contract: &Contract, extensions: &[Extension]) -> Result<Self> {
        let dispatch = &contract.resolve.interfaces[contract.dispatch()?];
        let loaded = dispatch.types.get("loaded").context("`dispatch` lacks `loaded`")?;
        let entry = contract.bytes(&Type::Id(*loaded));
        let mut block = Block { contract, bytes: Vec::new(), moves: Vec::new() };
        block.take(entry as usize * extensions.len());
        for (place, extension) in extensions.iter().enumerate() {
            let value = json!({
                "extension": place,
                "manifest": extension.manifest,
            });
            block.put(Type::Id(*loaded), &value, place * entry as usize)?;
        }
        let moves = std::mem::take(&mut block.moves);
        let start = block.take(MOVE_BYTES as usize * moves.len());
        for (place, one) in moves.iter().enumerate() {
            let fields = [one.address, one.start, one.bytes, one.alignment];
            let bytes = fields.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
            block.write(start + place * MOVE_BYTES as usize, &bytes);
        }
        Ok(Self { entry, moves: start as u32..block.bytes.len() as u32, bytes: block.bytes })
    }
}

/// A block in the making.
struct Block<'a> {
    contract: &'a Contract,
    bytes: Vec<u8>,
    moves: Vec<Move>,
}

impl Block<'_> {
    /// Room for a part: where it begins.
    fn take(&mut self, bytes: usize) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start + bytes, 0);
        start
    }

    fn write(&mut self, place: usize, bytes: &[u8]) {
        self.bytes[place..place + bytes.len()].copy_from_slice(bytes);
    }

    /// Put a value of the type `ty` at `place`.
    fn put(&mut self, ty: Type, value: &Value, place: usize) -> Result<()> {
        let integer = || value.as_i64().context("an integer is wanted");
        match ty {
            Type::Bool => self.write(place, &[u8::from(value.as_bool().context("a boolean")?)]),
            Type::U8 | Type::S8 => self.write(place, &integer()?.to_le_bytes()[..1]),
            Type::U32 | Type::S32 => self.write(place, &integer()?.to_le_bytes()[..4]),
            Type::String => {
                let text = value.as_str().context("a text is wanted")?;
                let start = self.take(text.len());
                self.write(start, text.as_bytes());
                self.put_list(place, start, text.len(), text.len(), 1);
            }
            Type::Id(id) => self.put_defined(id, value, place)?,
            other => bail!("a manifest has no {other:?}"),
        }
        Ok(())
    }

    fn put_defined(&mut self, id: TypeId, value: &Value, place: usize) -> Result<()> {
        let contract = self.contract;
        match &contract.resolve.types[id].kind {
            TypeDefKind::Type(ty) => self.put(*ty, value, place)?,
            TypeDefKind::Record(record) => self.put_record(record, value, place)?,
            TypeDefKind::List(item) => self.put_items(item, value, place)?,
            TypeDefKind::Variant(variant) => self.put_variant(variant, value, place)?,
            TypeDefKind::Flags(flags) => self.put_flags(flags, value, place)?,
            TypeDefKind::Enum(cases) => {
                let names = cases.cases.iter().map(|case| case.name.as_str());
                self.write(place, &[case(names, value.as_str())?]);
            }
            other => bail!("a manifest has no {}", other.as_str()),
        }
        Ok(())
    }

    fn put_record(&mut self, record: &Record, value: &Value, place: usize) -> Result<()> {
        let types = record.fields.iter().map(|field| &field.ty);
        let offsets = self.contract.sizes.field_offsets(types);
        for ((offset, ty), field) in offsets.into_iter().zip(&record.fields) {
            let value = value.get(field.name.replace('-', "_"));
            let value = value.with_context(|| format!("`{}` is missing", field.name))?;
            self.put(*ty, value, place + offset.size_wasm32())?;
        }
        Ok(())
    }

    fn put_items(&mut self, item: &Type, value: &Value, place: usize) -> Result<()> {
        let items = value.as_array().context("a list is wanted")?;
        let bytes = self.contract.bytes(item) as usize;
        let start = self.take(bytes * items.len());
        for (number, value) in items.iter().enumerate() {
            self.put(*item, value, start + number * bytes)?;
        }
        let alignment = self.contract.sizes.align(item).align_wasm32() as u32;
        self.put_list(place, start, items.len(), bytes * items.len(), alignment);
        Ok(())
    }

    /// A case without content is its name, and one with content an object of
    /// one field.
    fn put_variant(&mut self, variant: &Variant, value: &Value, place: usize) -> Result<()> {
        let content = value.as_object().and_then(|fields| fields.iter().next());
        let name = content.map_or_else(|| value.as_str(), |(name, _)| Some(name));
        let number = case(variant.cases.iter().map(|case| case.name.as_str()), name)?;
        self.write(place, &[number]);
        let types = variant.cases.iter().map(|case| case.ty.as_ref());
        let offset = self.contract.sizes.payload_offset(variant.tag(), types).size_wasm32();
        if let (Some(ty), Some((_, content))) = (variant.cases[usize::from(number)].ty, content) {
            self.put(ty, content, place + offset)?;
        }
        Ok(())
    }

    fn put_flags(&mut self, flags: &Flags, value: &Value, place: usize) -> Result<()> {
        let set = value.as_array().context("flags are wanted")?;
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
        self.write(place, &bits.to_le_bytes()[..bytes]);
        Ok(())
    }

    /// Put a list or text of `count` items at `place`, whose items are at
    /// `start`.
    fn put_list(&mut self, place: usize, start: usize, count: usize, bytes: usize, alignment: u32) {
        // What is empty has no memory; its address is one that could be.
        self.write(place, &alignment.to_le_bytes());
        self.write(place + 4, &(count as u32).to_le_bytes());
        if bytes > 0 {
            let (address, start, bytes) = (place as u32, start as u32, bytes as u32);
            self.moves.push(Move { address, start, bytes, alignment });
        }
    }
}

/// The number of the case `name`, which is written as Rust does.
fn case<'a>(mut names: impl Iterator<Item = &'a str>, name: Option<&str>) -> Result<u8> {
    let name = name.context("a case is wanted")?;
    let number = names.position(|case| case.replace('-', "").eq_ignore_ascii_case(name));
    Ok(number.with_context(|| format!("there is no case `{name}`"))? as u8)
}

/// `embedded`: the list, and behind it that of the next dispatch, which is the
/// import `next`.
pub fn code(front: &Front, next: u32) -> Code {
    let (data, listing) = &front.listing;
    let bytes = listing.bytes.len() as i32;
    let own = (front.count * listing.entry) as i32;
    let (result, block, place, part, more) = (0, 1, 2, 3, 4);
    let mut code = Code::new([(4, ValType::I32)]);
    let mut sink = code.instructions();
    sink.local_get(result).call(next);
    sink.i32_const(0).i32_const(0).i32_const(ALIGNMENT as i32).i32_const(bytes);
    sink.call(front.realloc).local_tee(block);
    sink.i32_const(0).i32_const(bytes).memory_init(0, *data);
    // Each part to its own memory.
    sink.local_get(block).i32_const(listing.moves.start as i32).i32_add().local_set(place);
    sink.loop_(BlockType::Empty);
    sink.local_get(place).local_get(block).i32_const(listing.moves.end as i32).i32_add();
    sink.i32_lt_u().if_(BlockType::Empty);
    sink.i32_const(0).i32_const(0);
    sink.local_get(place).i32_load(at(12, 2)).local_get(place).i32_load(at(8, 2));
    sink.call(front.realloc).local_tee(part);
    sink.local_get(block).local_get(place).i32_load(at(4, 2)).i32_add();
    sink.local_get(place).i32_load(at(8, 2)).memory_copy(0, 0);
    sink.local_get(block).local_get(place).i32_load(at(0, 2)).i32_add();
    sink.local_get(part).i32_store(at(0, 2));
    sink.local_get(place).i32_const(MOVE_BYTES as i32).i32_add().local_set(place);
    sink.br(1).end().end();
    // The block becomes the list. That of the next dispatch is copied; its own
    // memory, which is small, is not given back.
    sink.local_get(result).i32_load(at(4, 2)).i32_const(listing.entry as i32).i32_mul();
    sink.local_set(more);
    sink.local_get(block).i32_const(bytes).i32_const(ALIGNMENT as i32);
    sink.local_get(more).i32_const(own).i32_add().call(front.realloc).local_set(block);
    sink.local_get(block).i32_const(own).i32_add().local_tee(place);
    sink.local_get(result).i32_load(at(0, 2)).local_get(more).memory_copy(0, 0);
    sink.local_get(result).local_get(block).i32_store(at(0, 2));
    sink.local_get(result).local_get(result).i32_load(at(4, 2));
    sink.i32_const(front.count as i32).i32_add().i32_store(at(4, 2));
    // The numbers of the next dispatch begin behind ours.
    sink.loop_(BlockType::Empty).local_get(more).if_(BlockType::Empty);
    sink.local_get(place).local_get(place).i32_load(at(0, 2));
    sink.i32_const(front.count as i32).i32_add().i32_store(at(0, 2));
    sink.local_get(place).i32_const(listing.entry as i32).i32_add().local_set(place);
    sink.local_get(more).i32_const(listing.entry as i32).i32_sub().local_set(more);
    sink.br(1).end().end().end();
    code
}
