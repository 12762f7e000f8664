//! What a composed file says of itself: which extensions it has, and where.
//!
//! It stands at the end of the file: JSON, its length in bytes (32 bits, little
//! endian) and eight bytes of magic. In a `.wasm` all that is the content of
//! the last custom section, and behind the component's own end there is nothing
//! but such sections; in a `.cwasm` it stands in front of the seal. So one small
//! read at the end tells whether a file is composed.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::extensions::types::Manifest;

const MAGIC: [u8; 8] = *b"sqwascp2";

/// Bytes behind the JSON.
const TAIL_BYTES: usize = 4 + MAGIC.len();

/// Largest description, in bytes: 256 extensions with some thousand names each
/// do not reach it.
const MAX_BYTES: usize = 16 << 20;

/// The custom section with this description.
pub const SECTION: &str = "sqlite-wasm:composition";

/// A custom section with an extension that travels beside.
pub const BESIDE_SECTION: &str = "sqlite-wasm:extension";

/// What a composed file has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// The length of the component (or its native code) that the file begins
    /// with, in bytes.
    pub component_bytes: usize,
    /// Where the CLI is in the `.wasm`, with its front but without extensions.
    pub cli: Range<usize>,
    /// The newest last.
    pub extensions: Vec<Embedded>,
}

/// An extension in a composed file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedded {
    /// As its manifest says.
    pub name: String,
    /// As its manifest says.
    pub version: String,
    /// Its file's name without the ending: grants are given to it by this name.
    pub file: String,
    /// The SHA-256 of its `.wasm`, as `sha256sum` prints it.
    pub sha256: String,
    /// What it registers, as `function/arguments`, or the name alone for
    /// collations and modules.
    pub registers: Vec<String>,
    /// Inside of the component: where its bytes are in the `.wasm`, and
    /// nowhere for one that is beside alone.
    pub inside: Option<Range<usize>>,
    /// In a sandbox of its own: where its bytes are in the file.
    pub beside: Option<Range<usize>>,
    /// What one that is beside says of itself, so that it need not be started
    /// to register it. It is asked again when it is started.
    pub manifest: Option<Manifest>,
}

impl Composition {
    /// The description at the end of `bytes`; none when they are not composed.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read.
    pub fn of(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((rest, tail)) = bytes.split_last_chunk::<TAIL_BYTES>() else { return Ok(None) };
        let Some(length) = length(tail) else { return Ok(None) };
        let json = rest.len().checked_sub(length).and_then(|start| rest.get(start..));
        let json = json.context("its list of extensions is cut off")?;
        Self::parse(json, bytes.len()).map(Some)
    }

    /// The same for the first `end` bytes of a file.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read.
    pub fn of_file(file: &File, end: u64) -> Result<Option<Self>> {
        let mut tail = [0; TAIL_BYTES];
        let Some(behind) = end.checked_sub(TAIL_BYTES as u64) else { return Ok(None) };
        file.read_exact_at(&mut tail, behind)?;
        let Some(length) = length(&tail) else { return Ok(None) };
        let start =
            behind.checked_sub(length as u64).context("its list of extensions is cut off")?;
        ensure!(length <= MAX_BYTES, "its list of extensions is larger than {MAX_BYTES} bytes");
        let mut json = vec![0; length];
        file.read_exact_at(&mut json, start)?;
        Self::parse(&json, usize::try_from(end)?).map(Some)
    }

    fn parse(json: &[u8], file_bytes: usize) -> Result<Self> {
        let composition: Self =
            serde_json::from_slice(json).context("its list of extensions is damaged")?;
        let ranges = composition.extensions.iter().filter_map(|one| one.beside.as_ref());
        let fits = ranges.clone().all(|range| range.start <= range.end && range.end <= file_bytes);
        ensure!(
            fits && composition.component_bytes <= file_bytes,
            "its list of extensions is damaged"
        );
        Ok(composition)
    }

    /// As it stands at the end of a file.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        let length = u32::try_from(bytes.len())?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(MAGIC);
        Ok(bytes)
    }

    /// Those that run in a sandbox of their own, and where they are.
    pub fn beside(&self) -> impl Iterator<Item = (&Embedded, Range<usize>)> {
        self.extensions.iter().filter_map(|one| Some((one, one.beside.clone()?)))
    }

    /// The extension inside whose bytes have this offset.
    pub fn at(&self, offset: usize) -> Option<&Embedded> {
        let has =
            |one: &&Embedded| one.inside.as_ref().is_some_and(|range| range.contains(&offset));
        self.extensions.iter().find(has)
    }
}

fn length(tail: &[u8; TAIL_BYTES]) -> Option<usize> {
    let (length, magic) = tail.split_first_chunk::<4>()?;
    (magic == MAGIC).then(|| u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composition() -> Composition {
        let extension = Embedded {
            name: "sha3".into(),
            version: "0.1.0".into(),
            file: "sha3".into(),
            sha256: "00".into(),
            registers: vec!["sha3/1".into()],
            inside: Some(1..3),
            beside: Some(3..4),
            manifest: None,
        };
        Composition { component_bytes: 3, cli: 0..1, extensions: vec![extension] }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut file = b"wasm".to_vec();
        file.extend(composition().encode().unwrap());
        assert_eq!(Composition::of(&file).unwrap(), Some(composition()));
        assert_eq!(Composition::of(b"some other file").unwrap(), None);
        assert_eq!(Composition::of(b"").unwrap(), None);
    }

    #[test]
    fn places_outside_of_the_file_are_refused() {
        let mut wrong = composition();
        wrong.extensions[0].beside = Some(3..1000);
        let mut file = b"wasm".to_vec();
        file.extend(wrong.encode().unwrap());
        assert!(Composition::of(&file).is_err());
        let mut long = 1_000_000_u32.to_le_bytes().to_vec();
        long.extend(MAGIC);
        assert!(Composition::of(&long).is_err());
    }
}
