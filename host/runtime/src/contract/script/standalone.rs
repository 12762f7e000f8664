//! A script with its engine as one complete component: the script becomes a data segment behind the
//! memory that the engine begins with, and its position goes behind a mark in the engine's data.

use std::cell::Cell;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{ConstExpr, Encode, MemorySection, MemoryType, RawSection, Section as _};
use wasmparser::{BinaryReader, MemorySectionReader};

use crate::contract::composition::layout::{self, Section};

/// The mark in the engine's data (`components/kits/quickjs/src/standalone.rs`); behind it are two words,
/// the position and the length of the script.
const MARK: [u8; 16] = *b"sqlite-script-1\n";

/// Bytes of a page of memory.
const PAGE_BYTES: u64 = 1 << 16;

/// Ids of sections of a component and of a module.
const CORE_MODULE: u8 = 1;
const MEMORY: u8 = 5;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// Bytes of the header of a component and of a module.
const HEADER_BYTES: usize = 8;

/// The engine with the script.
///
/// # Errors
///
/// When the engine reserves no space for a script.
pub fn standalone(engine: &[u8], source: &[u8]) -> Result<Vec<u8>> {
    let is_its_place = |section: &Section<'_>| {
        section.id == CORE_MODULE && position(&engine[section.content.clone()]).is_some()
    };
    replaced(engine, is_its_place, |module| with_script(module, source))
}

/// Where the words behind the mark are.
fn position(bytes: &[u8]) -> Option<usize> {
    let start = bytes.windows(MARK.len()).position(|window| window == MARK)?;
    Some(start + MARK.len())
}

/// The file with `change` made to the content of the one section that `is_it`.
fn replaced(
    file: &[u8],
    is_it: impl Fn(&Section<'_>) -> bool,
    change: impl Fn(&[u8]) -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut result = file.get(..HEADER_BYTES).context("it is not a component")?.to_vec();
    let mut count = 0;
    for section in layout::sections(file) {
        let section = section?;
        if is_it(&section) {
            count += 1;
            append(&mut result, section.id, &change(&file[section.content])?);
        } else {
            result.extend(&file[section.start..section.content.end])
        }
    }
    ensure!(count == 1, "this engine does not make complete components");
    Ok(result)
}

fn append(result: &mut Vec<u8>, id: u8, content: &[u8]) {
    RawSection { id, data: content }.append_to(result);
}

/// The engine's module with the script.
fn with_script(module: &[u8], source: &[u8]) -> Result<Vec<u8>> {
    let pages = (source.len() as u64).div_ceil(PAGE_BYTES);
    let start = Cell::new(0);
    let is = |id: u8| move |section: &Section<'_>| section.id == id;
    let larger = replaced(module, is(MEMORY), |content| {
        let (larger, end) = larger_memory(content, pages)?;
        start.set(end);
        Ok(larger)
    })?;
    let counted = replaced(&larger, is(DATA_COUNT), |content| {
        let count = BinaryReader::new(content, 0).read_var_u32()?;
        Ok(encoded(&(count + 1)))
    });
    // A module without bulk operations on its data has no count of it.
    let counted = counted.unwrap_or(larger);
    replaced(&counted, is(DATA), |content| with_segment(content, start.get(), source))
}

/// The section with more pages, and the position behind the old ones.
fn larger_memory(content: &[u8], pages: u64) -> Result<(Vec<u8>, u32)> {
    let reader = MemorySectionReader::new(BinaryReader::new(content, 0))?;
    let memories = reader.into_iter().collect::<wasmparser::Result<Vec<_>>>()?;
    let [memory] = memories[..] else { anyhow::bail!("this engine has several memories") };
    let start = u32::try_from(memory.initial * PAGE_BYTES)?;
    let minimum = memory.initial + pages;
    let mut section = MemorySection::new();
    section.memory(MemoryType { minimum, ..MemoryType::from(memory) });
    // Without the length in front, which `append` writes.
    let whole = encoded(&section);
    let mut reader = BinaryReader::new(&whole, 0);
    reader.read_var_u32()?;
    Ok((whole[reader.original_position()..].to_vec(), start))
}

/// The section of data with the position behind the mark, and one more segment.
fn with_segment(content: &[u8], start: u32, source: &[u8]) -> Result<Vec<u8>> {
    let mut content = content.to_vec();
    let place = position(&content).context("this engine has no place for a script")?;
    let words = content.get_mut(place..place + 8).context("this engine's data is damaged")?;
    words[..4].copy_from_slice(&start.to_le_bytes());
    words[4..].copy_from_slice(&u32::try_from(source.len())?.to_le_bytes());
    let mut reader = BinaryReader::new(&content, 0);
    let count = reader.read_var_u32()?;
    let mut result = encoded(&(count + 1));
    result.extend(&content[reader.original_position()..]);
    // An active segment of memory 0.
    0_u32.encode(&mut result);
    ConstExpr::i32_const(start as i32).encode(&mut result);
    source.encode(&mut result);
    Ok(result)
}

fn encoded(item: &impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    item.encode(&mut bytes);
    bytes
}
