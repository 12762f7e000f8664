//! The layout of a composed file: it is one program, whoever reads it.
//!
//! A `.wasm` is the component, followed by our custom sections alone: one for each bundled
//! extension in the order of the list, and the list. So the file compiled as a whole is
//! the same program as its first `component_bytes`.

use std::borrow::Cow;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{ComponentSection, CustomSection};
use wasmparser::BinaryReader;

use super::{BUNDLED_SECTION, Composition, SECTION};

/// Bytes of a component's header.
const HEADER_BYTES: usize = 8;

/// The id of custom sections.
pub const CUSTOM: u8 = 0;

/// The id of sections that hold a component.
const COMPONENT: u8 = 4;

const DAMAGED: &str = "its list of extensions does not describe the file";

/// A section of a component, or of a module.
pub struct Section<'a> {
    /// Its kind.
    pub id: u8,
    /// Where it begins in the file, with its id.
    pub start: usize,
    /// Its content; for a custom one, behind the name.
    pub content: Range<usize>,
    /// A custom section's name.
    pub name: &'a str,
}

/// Check a `.wasm` whose list, with its tail, has `list_bytes` bytes.
///
/// # Errors
///
/// When the file is more or less than the list says.
pub fn check_wasm(wasm: &[u8], composition: &Composition, list_bytes: usize) -> Result<()> {
    let end = composition.component_bytes;
    let mut behind = composition.bundled().map(|(_, range)| range);
    let mut wanted = nested(composition)?;
    let (mut boundary, mut has_list) = (false, false);
    for section in sections(wasm) {
        let section = section?;
        boundary |= section.start == end;
        let is_ours = [SECTION, BUNDLED_SECTION].contains(&section.name);
        if section.start < end {
            ensure!(!is_ours, DAMAGED);
            wanted.retain(|range| section.id != COMPONENT || *range != section.content);
            continue;
        }
        ensure!(boundary && is_ours && !has_list, DAMAGED);
        if section.name == SECTION {
            has_list = section.content.len() == list_bytes && section.content.end == wasm.len()
        } else {
            ensure!(behind.next() == Some(section.content), DAMAGED)
        }
    }
    ensure!(has_list && behind.next().is_none() && wanted.is_empty(), DAMAGED);
    Ok(())
}

/// The parts that are components in the component: the fused extensions and, where there
/// are any, the CLI. No two overlap.
fn nested(composition: &Composition) -> Result<Vec<Range<usize>>> {
    let mut wanted: Vec<_> = composition.fused().map(|(_, range)| range).collect();
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
    for (_, range) in composition.bundled() {
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
/// When it is not a component.
fn without_section(wasm: &[u8], name: &str) -> Result<Vec<u8>> {
    let mut rest = wasm.get(..HEADER_BYTES).context(DAMAGED)?.to_vec();
    for section in sections(wasm) {
        let section = section?;
        if section.id != CUSTOM || section.name != name {
            rest.extend(&wasm[section.start..section.content.end]);
        }
    }
    Ok(rest)
}

/// The component `wasm` with one custom section of this name.
///
/// # Errors
///
/// When it is not a component.
pub fn replace_section(wasm: &[u8], name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = without_section(wasm, name)?;
    append_section(&mut bytes, name, content);
    Ok(bytes)
}

/// Append a custom section; where its content is.
pub fn append_section(bytes: &mut Vec<u8>, name: &str, content: &[u8]) -> Range<usize> {
    let section = CustomSection { name: name.into(), data: Cow::Borrowed(content) };
    section.append_to_component(bytes);
    bytes.len() - content.len()..bytes.len()
}

/// Where the components in the component `wasm` are.
///
/// # Errors
///
/// When it is not a component.
pub fn components(wasm: &[u8]) -> Result<Vec<Range<usize>>> {
    let is_component = |section: &Result<Section>| {
        section.as_ref().map_or(true, |section| section.id == COMPONENT)
    };
    sections(wasm).filter(is_component).map(|section| Ok(section?.content)).collect()
}

/// Which of the parts of `wasm` has these bytes.
///
/// # Errors
///
/// When none has.
pub fn find(wasm: &[u8], parts: &[Range<usize>], bytes: &[u8]) -> Result<Range<usize>> {
    let found = parts.iter().find(|range| wasm[(*range).clone()] == *bytes);
    found.cloned().context("a part of the composed component is missing")
}

/// The sections of a component, or of a module; nothing follows an error.
pub fn sections(wasm: &[u8]) -> impl Iterator<Item = Result<Section<'_>>> {
    let mut next = Some(HEADER_BYTES);
    std::iter::from_fn(move || {
        let section = Section::at(wasm, next.take().filter(|start| *start < wasm.len())?);
        next = section.as_ref().ok().map(|section| section.content.end);
        Some(section)
    })
}

impl<'a> Section<'a> {
    /// The one that begins at `start`.
    fn at(wasm: &'a [u8], start: usize) -> Result<Self> {
        let rest = wasm.get(start..).context(DAMAGED)?;
        let mut reader = BinaryReader::new(rest, 0);
        let id = reader.read_u8().context(DAMAGED)?;
        let length = reader.read_var_u32().context(DAMAGED)? as usize;
        let begin = start + reader.original_position();
        let end = begin.checked_add(length).filter(|end| *end <= wasm.len()).context(DAMAGED)?;
        if id != CUSTOM {
            return Ok(Self { id, start, content: begin..end, name: "" });
        }
        let mut reader = BinaryReader::new(&wasm[begin..end], 0);
        let name = reader.read_string().context(DAMAGED)?;
        Ok(Self { id, start, content: begin + reader.original_position()..end, name })
    }
}
