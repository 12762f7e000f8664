//! What a composed file says of itself: which extensions it has, and where.
//!
//! It stands at the end of the file: JSON, its length in bytes (32 bits, little
//! endian) and eight bytes of magic. In a `.wasm` all that is the content of
//! the last custom section, and behind the component's own end there is nothing
//! but such sections; in a `.cwasm` it stands in front of the seal. So one small
//! read at the end tells whether a file is composed.

use std::collections::HashSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::{MAX_EMBEDDED, layout};
use crate::extensions::check;
use crate::extensions::types::Manifest;

const MAGIC: [u8; 8] = *b"sqwascp2";

/// Bytes behind the JSON.
const TAIL_BYTES: usize = 4 + MAGIC.len();

/// Largest description, in bytes: 256 extensions with a hundred names each do
/// not reach it.
const MAX_BYTES: usize = 4 << 20;

/// Most commas in it, and so nearly all that it lists: each item needs a hundred
/// bytes of memory, and the file chooses how many there are.
const MAX_ITEMS: usize = 100_000;

/// Letters of a SHA-256 as `sha256sum` prints it.
const SHA256_LETTERS: usize = 64;

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
    /// The version of SQLite, where the CLI says it.
    #[serde(default)]
    pub cli_version: Option<String>,
    /// The newest last.
    pub extensions: Vec<Embedded>,
}

/// An extension in a composed file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedded {
    /// As its manifest says; grants are given to it by this name.
    pub name: String,
    /// As its manifest says.
    pub version: String,
    /// The SHA-256 of its `.wasm`, as `sha256sum` prints it.
    pub sha256: String,
    /// What it registers, as `function/arguments`, or the name alone for
    /// collations and modules.
    pub registers: Vec<String>,
    /// Inside the component: where its bytes are in the `.wasm`.
    pub inside: Option<Range<usize>>,
    /// In a sandbox of its own: where its bytes are in the file.
    pub beside: Option<Range<usize>>,
    /// What one that is beside says of itself, so that it need not be started
    /// to register it. It is asked again when it is started.
    pub manifest: Option<Manifest>,
}

impl Embedded {
    /// By the limits of an extension that is loaded.
    fn check(&self) -> Result<()> {
        check::own_name(&self.name)?;
        check::line("version", &self.version)?;
        let is_hash = self.sha256.bytes().all(|letter| letter.is_ascii_hexdigit());
        ensure!(is_hash && self.sha256.len() == SHA256_LETTERS, "a hash is none");
        ensure!(self.registers.len() <= check::MAX_REGISTRATIONS, "it registers too much");
        self.registers.iter().try_for_each(|name| check::registered(name))?;
        let is_inside = self.inside.is_some();
        ensure!(is_inside != self.beside.is_some(), "`{}` is in both places or none", self.name);
        let Some(manifest) = &self.manifest else { return Ok(()) };
        ensure!(manifest.name == self.name, "`{}` has the manifest of another", self.name);
        check::manifest(manifest)
    }
}

impl Composition {
    /// The description at the end of `bytes`; none when they are not composed.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read, or that does not describe all
    /// that stands behind the component.
    pub fn of(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((rest, tail)) = bytes.split_last_chunk::<TAIL_BYTES>() else { return Ok(None) };
        let Some(length) = length(tail) else { return Ok(None) };
        let json = rest.len().checked_sub(length).and_then(|start| rest.get(start..));
        let json = json.context("its list of extensions is cut off")?;
        let composition = Self::parse(json)?;
        layout::check_wasm(bytes, &composition, json.len() + TAIL_BYTES)?;
        Ok(Some(composition))
    }

    /// The same for native code, without its seal.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be read.
    pub fn of_native(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((rest, tail)) = bytes.split_last_chunk::<TAIL_BYTES>() else { return Ok(None) };
        let Some(length) = length(tail) else { return Ok(None) };
        let start = rest.len().checked_sub(length).context("its list of extensions is cut off")?;
        let composition = Self::parse(&rest[start..])?;
        layout::check_native(&composition, start)?;
        Ok(Some(composition))
    }

    /// The same for the first `end` bytes of a file of native code.
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
        let composition = Self::parse(&json)?;
        layout::check_native(&composition, usize::try_from(start)?)?;
        Ok(Some(composition))
    }

    /// Nothing is built before the list's length and number of items are known.
    fn parse(json: &[u8]) -> Result<Self> {
        ensure!(json.len() <= MAX_BYTES, "its list of extensions is larger than {MAX_BYTES} bytes");
        let items = json.iter().filter(|byte| **byte == b',').count();
        ensure!(items <= MAX_ITEMS, "its list of extensions has more than {MAX_ITEMS} items");
        let composition: Self =
            serde_json::from_slice(json).context("its list of extensions is damaged")?;
        composition.check().context("its list of extensions is damaged")?;
        Ok(composition)
    }

    fn check(&self) -> Result<()> {
        ensure!(self.extensions.len() <= MAX_EMBEDDED, "it has more than {MAX_EMBEDDED}");
        self.cli_version.iter().try_for_each(|version| check::line("version", version))?;
        let mut names = HashSet::new();
        for extension in &self.extensions {
            extension.check()?;
            ensure!(names.insert(&extension.name), "it has `{}` twice", extension.name);
        }
        Ok(())
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

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn embedded(name: &str) -> Embedded {
        Embedded {
            name: name.into(),
            version: "0.1.0".into(),
            sha256: "0f".repeat(32),
            registers: vec!["sha3/1".into()],
            inside: None,
            beside: None,
            manifest: None,
        }
    }

    /// A composed file with these extensions beside it, changed by `change`
    /// before the list is written.
    fn file(extensions: &[&[u8]], change: impl FnOnce(&mut Composition)) -> Vec<u8> {
        let mut bytes = EMPTY.to_vec();
        let mut composition = Composition {
            component_bytes: bytes.len(),
            cli: 0..bytes.len(),
            cli_version: Some("3.54.1".into()),
            extensions: Vec::new(),
        };
        for (number, content) in extensions.iter().enumerate() {
            let beside = Some(super::super::section(&mut bytes, BESIDE_SECTION, content));
            let one = Embedded { beside, ..embedded(&format!("e{number}")) };
            composition.extensions.push(one);
        }
        change(&mut composition);
        super::super::section(&mut bytes, SECTION, &composition.encode().unwrap());
        bytes
    }

    #[track_caller]
    fn refused(extensions: &[&[u8]], change: impl FnOnce(&mut Composition)) {
        assert!(Composition::of(&file(extensions, change)).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        let read = Composition::of(&file(&[b"one", b"two"], |_| ())).unwrap().unwrap();
        assert_eq!((read.component_bytes, read.extensions.len()), (EMPTY.len(), 2));
        assert_eq!(Composition::of(b"some other file").unwrap(), None);
        assert_eq!(Composition::of(b"").unwrap(), None);
    }

    #[test]
    fn places_outside_of_the_file_are_refused() {
        refused(&[b"one"], |list| list.extensions[0].beside = Some(3..1000));
        refused(&[b"one"], |list| list.component_bytes = 1000);
        refused(&[b"one"], |list| list.cli = 0..1000);
        refused(&[b"one"], |list| list.extensions[0].inside = Some(2..4));
        let mut long = 1_000_000_u32.to_le_bytes().to_vec();
        long.extend(MAGIC);
        assert!(Composition::of(&long).is_err());
    }

    #[test]
    fn a_list_describes_all_that_stands_behind_the_component() {
        // A section that no extension is, and an extension that is no section.
        refused(&[b"one", b"two"], |list| drop(list.extensions.pop()));
        refused(&[b"one"], |list| {
            let again = Embedded { name: "other".into(), ..list.extensions[0].clone() };
            list.extensions.push(again);
        });
        // A component that ends before the list says, or behind it.
        refused(&[b"one"], |list| list.component_bytes += 3);
        refused(&[b"one"], |list| {
            list.component_bytes = list.extensions[0].beside.clone().unwrap().end;
        });
        // Something else behind the component.
        let mut other = EMPTY.to_vec();
        super::super::section(&mut other, "name", b"x");
        let mut list = Composition::of(&file(&[], |_| ())).unwrap().unwrap();
        super::super::section(&mut other, SECTION, &list.encode().unwrap());
        assert!(Composition::of(&other).is_err());
        // Control: as a part of the component it may stand there.
        let mut whole = EMPTY.to_vec();
        super::super::section(&mut whole, "name", b"x");
        (list.component_bytes, list.cli) = (whole.len(), 0..whole.len());
        super::super::section(&mut whole, SECTION, &list.encode().unwrap());
        assert!(Composition::of(&whole).is_ok());
    }

    #[test]
    fn names_and_numbers_have_limits() {
        refused(&[b"one"], |list| list.extensions[0].name = "a\u{1b}b".into());
        refused(&[b"one"], |list| list.extensions[0].version = "1\n2".into());
        refused(&[b"one"], |list| list.extensions[0].sha256 = "x".into());
        refused(&[b"one"], |list| list.extensions[0].registers = vec!["n".repeat(1000)]);
        refused(&[b"one", b"two"], |list| list.extensions[1].name = "e0".into());
        refused(&[b"one"], |list| list.cli_version = Some("\u{7}".into()));
        refused(&vec![&b"one"[..]; MAX_EMBEDDED + 1], |_| ());
        let many = vec![String::from("a"); 200_000];
        refused(&[b"one"], |list| list.extensions[0].registers = many);
    }
}
