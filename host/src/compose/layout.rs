//! Whether a composed file is laid out as its list says: one program, whoever
//! reads it.
//!
//! A `.wasm` is the component and, behind it, our custom sections alone: one for
//! each bundled extension in the order of the list, and the list. So the file
//! compiled as a whole is the same program as its first `component_bytes`.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasmparser::BinaryReader;

use super::composition::{BESIDE_SECTION, Composition, SECTION};

/// Bytes of a component's header.
const HEADER_BYTES: usize = 8;

/// The number of custom sections.
const CUSTOM: u8 = 0;

/// The number of sections that hold a component.
const COMPONENT: u8 = 4;

const DAMAGED: &str = "its list of extensions does not describe the file";

/// A section of a component.
struct Section<'a> {
    id: u8,
    /// Where it begins in the file, with its number.
    start: usize,
    /// Its content; for a custom one, behind the name.
    content: Range<usize>,
    /// A custom section's name.
    name: &'a str,
}

/// Check a `.wasm` whose list, with its tail, has so many bytes.
///
/// # Errors
///
/// When the file is more or less than the list says.
pub fn check_wasm(wasm: &[u8], composition: &Composition, list_bytes: usize) -> Result<()> {
    let end = composition.component_bytes;
    let mut behind = composition.beside().map(|(_, range)| range);
    let mut wanted = nested(composition)?;
    let (mut at, mut boundary, mut has_list) = (HEADER_BYTES, false, false);
    while at < wasm.len() {
        boundary |= at == end;
        let section = Section::at(wasm, at)?;
        at = section.content.end;
        let is_ours = [SECTION, BESIDE_SECTION].contains(&section.name);
        if section.start < end {
            ensure!(!is_ours, DAMAGED);
            wanted.retain(|range| section.id != COMPONENT || *range != section.content);
            continue;
        }
        ensure!(boundary && is_ours && !has_list, DAMAGED);
        match section.name == SECTION {
            true => has_list = section.content.len() == list_bytes && at == wasm.len(),
            false => ensure!(behind.next() == Some(section.content), DAMAGED),
        }
    }
    ensure!(has_list && behind.next().is_none() && wanted.is_empty(), DAMAGED);
    Ok(())
}

/// The parts that are components in the component: the extensions inside and,
/// beside any, the CLI. Each is another one.
fn nested(composition: &Composition) -> Result<Vec<Range<usize>>> {
    let inside = composition.extensions.iter().filter_map(|one| one.inside.clone());
    let mut wanted: Vec<_> = inside.collect();
    if wanted.is_empty() && composition.cli == (0..composition.component_bytes) {
        return Ok(wanted);
    }
    wanted.push(composition.cli.clone());
    wanted.sort_by_key(|range| range.start);
    let is_apart = |pair: &[Range<usize>]| pair[0].end <= pair[1].start;
    ensure!(wanted.windows(2).all(is_apart), DAMAGED);
    Ok(wanted)
}

/// Check native code: the component's, that of each bundled extension, and the
/// list at `end`, with nothing between them.
///
/// # Errors
///
/// When the file is more or less than the list says.
pub fn check_native(composition: &Composition, end: usize) -> Result<()> {
    let mut at = composition.component_bytes;
    for (_, range) in composition.beside() {
        ensure!(range.start == at && range.start <= range.end, DAMAGED);
        at = range.end;
    }
    ensure!(at == end, DAMAGED);
    Ok(())
}

/// The component `wasm` without its custom sections of this name.
///
/// # Errors
///
/// When it is no component.
pub fn without_section(wasm: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut kept = wasm.get(..HEADER_BYTES).context(DAMAGED)?.to_vec();
    let mut at = HEADER_BYTES;
    while at < wasm.len() {
        let section = Section::at(wasm, at)?;
        if section.id != CUSTOM || section.name != name {
            kept.extend(&wasm[at..section.content.end]);
        }
        at = section.content.end;
    }
    Ok(kept)
}

impl<'a> Section<'a> {
    /// The one that begins at `start`.
    fn at(wasm: &'a [u8], start: usize) -> Result<Self> {
        let rest = wasm.get(start..).context(DAMAGED)?;
        let mut reader = BinaryReader::new(rest, 0);
        let id = reader.read_u8().context(DAMAGED)?;
        let length = reader.read_var_u32().context(DAMAGED)? as usize;
        let begin = start + reader.original_position() as usize;
        let end = begin.checked_add(length).filter(|end| *end <= wasm.len()).context(DAMAGED)?;
        if id != CUSTOM {
            return Ok(Self { id, start, content: begin..end, name: "" });
        }
        let mut reader = BinaryReader::new(&wasm[begin..end], 0);
        let name = reader.read_string().context(DAMAGED)?;
        Ok(Self { id, start, content: begin + reader.original_position() as usize..end, name })
    }
}
