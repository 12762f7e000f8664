//! The core modules of a component, and the replacement of one of them.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasm_encoder::Encode;

/// The first bytes of a component: its mark and version.
const HEADER_BYTES: usize = 8;

/// The section of a component that has a core module.
const CORE_MODULE: u8 = 1;

/// The section of a component that has another component.
const COMPONENT: u8 = 4;

/// How deep components are searched: a composed file contains the component of the CLI. There is code for nothing that is
/// deeper.
const MAX_DEPTH: usize = 2;

/// A core module in a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreModule {
    /// The components around it, the outermost first: each with its header.
    around: Vec<Range<usize>>,
    /// The sections that lead to it: one in each of these components. The last is its own.
    sections: Vec<Range<usize>>,
    /// Its bytes.
    pub content: Range<usize>,
}

impl CoreModule {
    /// Whether it is in a nested component.
    pub fn is_nested(&self) -> bool {
        self.around.len() > 1
    }
}

/// All core modules, in the order in which they are in the file.
///
/// # Errors
///
/// When it is not a component.
pub fn modules(component: &[u8]) -> Result<Vec<CoreModule>> {
    let mut found = Vec::new();
    let whole =
        CoreModule { around: Vec::new(), sections: Vec::new(), content: 0..component.len() };
    search(component, &whole, &mut found)?;
    Ok(found)
}

fn search(bytes: &[u8], component: &CoreModule, found: &mut Vec<CoreModule>) -> Result<()> {
    let Range { start, end } = component.content;
    let mut at = start + HEADER_BYTES;
    while at < end {
        let (length, number_bytes) = number(&bytes[at + 1..end])?;
        let content = at + 1 + number_bytes;
        let behind = content.checked_add(length).filter(|behind| *behind <= end);
        let behind = behind.context("the component ends early")?;
        let inner = || {
            let mut inner = component.clone();
            inner.around.push(start..end);
            inner.sections.push(at..behind);
            inner.content = content..behind;
            inner
        };
        match bytes[at] {
            CORE_MODULE => found.push(inner()),
            COMPONENT if component.around.len() + 1 < MAX_DEPTH => {
                search(bytes, &inner(), found)?;
            }
            _ => {}
        }
        at = behind;
    }
    Ok(())
}

/// The component with `module` instead of one of its core modules.
pub fn replaced(component: &[u8], place: &CoreModule, module: &[u8]) -> Vec<u8> {
    let mut content = module.to_vec();
    let mut id = CORE_MODULE;
    for (around, section) in place.around.iter().zip(&place.sections).rev() {
        let mut bytes = component[around.start..section.start].to_vec();
        bytes.push(id);
        content[..].encode(&mut bytes);
        bytes.extend(&component[section.end..around.end]);
        (content, id) = (bytes, COMPONENT);
    }
    content
}

/// The module with as many bytes, by a custom section: what is behind it in a component stays where it
/// is, and so does what a trap says of that (`Composition::at` in the runtime).
///
/// # Errors
///
/// When it is longer, or shorter by less than a section.
pub fn padded(mut module: Vec<u8>, length: usize) -> Result<Vec<u8>> {
    if module.len() < length {
        module.push(CUSTOM);
        // As many bytes for each length.
        let content = length.saturating_sub(module.len() + NUMBER_BYTES);
        let groups = (0..NUMBER_BYTES).map(|group| (content >> (7 * group)) as u8 & 0x7f);
        module.extend(groups.take(NUMBER_BYTES - 1).map(|group| group | 0x80));
        module.push((content >> (7 * (NUMBER_BYTES - 1))) as u8);
        // The first byte is the length of the section's name.
        ensure!(content > 0, TOO_LONG);
        module.resize(length, 0);
    }
    ensure!(module.len() == length, TOO_LONG);
    Ok(module)
}

/// A section that has no meaning.
const CUSTOM: u8 = 0;

/// Bytes of the longest LEB128 encoding of 32 bits.
const NUMBER_BYTES: usize = 5;

const TOO_LONG: &str = "a module is too long for its place";

/// The LEB128 integer at the start of `bytes`, with its length in bytes.
///
/// # Errors
///
/// When it has no end within 32 bits.
pub(crate) fn number(bytes: &[u8]) -> Result<(usize, usize)> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            ensure!(u32::try_from(number).is_ok(), "a number of the module is too large");
            return Ok((number, at + 1));
        }
    }
    anyhow::bail!("a number of the module is too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

    fn component(sections: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for (id, content) in sections {
            bytes.push(*id);
            content.encode(&mut bytes);
        }
        bytes
    }

    fn contents<'a>(bytes: &'a [u8], modules: &[CoreModule]) -> Vec<&'a [u8]> {
        modules.iter().map(|module| &bytes[module.content.clone()]).collect()
    }

    #[test]
    fn modules_are_found_in_components_of_a_component() {
        let deepest = component(&[(1, b"no")]);
        let inner = component(&[(1, b"two"), (4, &deepest), (1, b"three")]);
        let bytes = component(&[(0, b"note"), (1, b"one"), (4, &inner), (1, b"four")]);
        let found = modules(&bytes).unwrap();
        assert_eq!(contents(&bytes, &found), [&b"one"[..], b"two", b"three", b"four"]);
    }

    #[test]
    fn a_module_is_replaced_and_all_around_it_remains() {
        let long = [7; 300];
        let with = |module: &[u8]| {
            let inner = component(&[(1, b"two"), (1, module), (3, b"rest")]);
            component(&[(1, b"one"), (4, &inner), (0, &long)])
        };
        let bytes = with(b"three");
        for module in [&b"3"[..], &long, b""] {
            let place = &modules(&bytes).unwrap()[2];
            assert_eq!(replaced(&bytes, place, module), with(module));
        }
    }

    #[test]
    fn a_module_is_padded_to_each_length_but_that_of_less_than_a_section() {
        let module = b"\0asm\x01\0\0\0".to_vec();
        let length = module.len();
        for more in [0, 7, 8, 127, 128, 129, 16_390, 3_000_000] {
            let padded = padded(module.clone(), length + more).unwrap();
            assert_eq!(padded.len(), length + more);
            wasmparser::validate(&padded).unwrap();
        }
        for refused in (0..length).chain(length + 1..length + 7) {
            assert!(padded(module.clone(), refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn what_is_cut_off_is_an_error_or_no_module() {
        let inner = component(&[(1, b"two")]);
        let bytes = component(&[(1, b"one"), (4, &inner)]);
        for end in 0..bytes.len() {
            let found = modules(&bytes[..end]);
            assert!(found.is_err() || found.is_ok_and(|found| found.len() < 2), "{end}");
        }
        assert!(number(&[0xff; 6]).is_err());
        assert!(number(&[0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
    }
}
