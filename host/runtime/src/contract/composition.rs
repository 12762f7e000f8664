//! The list of the extensions in a composed file.
//!
//! It is at the end of the file: JSON, its length in bytes (32 bits, little endian) and
//! eight bytes of magic. In a `.wasm` these are the content of the last custom section,
//! and nothing but such sections follows the component; in a `.cwasm` they precede the
//! seal. So one small read at the end shows whether a file is composed.

mod contents;
pub mod layout;

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::contract::types::Manifest;
use crate::contract::{check, need};
pub use contents::{Contained, Contents};
pub(crate) use layout::replace_section;

/// Most extensions in one file: as many as can be loaded at run time.
pub const MAX_EMBEDDED: usize = 256;

const MAGIC: [u8; 8] = *b"sqwascp4";

/// What it begins with in each version of the form.
const MAGIC_OF_ALL: &[u8] = b"sqwascp";

/// Bytes behind the JSON.
const TAIL_BYTES: usize = 4 + MAGIC.len();

/// Longest list, in bytes: 256 extensions with a hundred names each do not reach it.
const MAX_BYTES: usize = 4 << 20;

/// Most commas in the list, and so nearly all its items: each needs a hundred bytes of
/// memory, and the file chooses how many there are.
const MAX_ITEMS: usize = 100_000;

/// Letters of a SHA-256 as `sha256sum` prints it.
const SHA256_LETTERS: usize = 64;

/// The custom section with the list.
pub const SECTION: &str = "sqlite-wasm:composition";

/// A custom section with a bundled extension.
pub const BUNDLED_SECTION: &str = "sqlite-wasm:extension";

/// What a composed file contains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// The length of the component (or its native code) that the file begins
    /// with, in bytes.
    pub component_bytes: usize,
    /// Where the CLI is in the `.wasm`, with its trampolines but without extensions.
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
    /// How it runs.
    pub placement: Placement,
}

/// How an embedded extension runs, and where its bytes are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// As a part of the component: its position in the `.wasm`.
    Fused(Range<usize>),
    /// In its own sandbox.
    Bundled {
        /// Its position in the file.
        range: Range<usize>,
        /// What it registers and needs, so that it is started by its first call only; the
        /// manifest is compared then.
        manifest: Manifest,
    },
}

impl Placement {
    /// Where the bytes are.
    pub fn range(&self) -> &Range<usize> {
        match self {
            Self::Fused(range) | Self::Bundled { range, .. } => range,
        }
    }

    /// The same, to be changed.
    pub fn range_mut(&mut self) -> &mut Range<usize> {
        match self {
            Self::Fused(range) | Self::Bundled { range, .. } => range,
        }
    }
}

/// `fused`, `bundled (needs sql)`, or `bundled (a script)`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fused(_) => f.write_str("fused"),
            Self::Bundled { manifest, .. } => {
                let needs: Vec<String> = manifest.needs.iter().map(need).collect();
                if needs.is_empty() {
                    return f.write_str("bundled (a script)");
                }
                write!(f, "bundled (needs {})", needs.join(", "))
            }
        }
    }
}

impl Embedded {
    /// Check it by the limits of an extension that is loaded.
    fn check(&self) -> Result<()> {
        check::own_name(&self.name)?;
        check::line("version", &self.version)?;
        let is_hash = self.sha256.bytes().all(|letter| letter.is_ascii_hexdigit());
        ensure!(is_hash && self.sha256.len() == SHA256_LETTERS, "a hash is not one");
        ensure!(self.registers.len() <= check::MAX_REGISTRATIONS, "it registers too much");
        self.registers.iter().try_for_each(|name| check::registered(name))?;
        let Placement::Bundled { manifest, .. } = &self.placement else { return Ok(()) };
        ensure!(manifest.name == self.name, "`{}` has the manifest of another", self.name);
        check::manifest(manifest)
    }
}

impl Composition {
    /// The list at the end of a `.wasm`; none when it is not composed.
    ///
    /// # Errors
    ///
    /// When the list is damaged, or does not describe all that follows the component.
    pub fn of(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((rest, tail)) = bytes.split_last_chunk::<TAIL_BYTES>() else { return Ok(None) };
        let Some(length) = length(tail)? else { return Ok(None) };
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
        let Some(length) = length(tail)? else { return Ok(None) };
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
        let Some(length) = length(&tail)? else { return Ok(None) };
        let start =
            behind.checked_sub(length as u64).context("its list of extensions is cut off")?;
        ensure!(length <= MAX_BYTES, "its list of extensions is larger than {MAX_BYTES} bytes");
        let mut json = vec![0; length];
        file.read_exact_at(&mut json, start)?;
        let composition = Self::parse(&json)?;
        layout::check_native(&composition, usize::try_from(start)?)?;
        Ok(Some(composition))
    }

    /// Check the list's length and how many items it has before building anything.
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

    /// The extensions that run in sandboxes of their own, and where they are.
    pub fn bundled(&self) -> impl Iterator<Item = (&Embedded, Range<usize>)> {
        self.extensions.iter().filter_map(|one| match &one.placement {
            Placement::Bundled { range, .. } => Some((one, range.clone())),
            Placement::Fused(_) => None,
        })
    }

    /// The fused extensions, and where they are.
    pub fn fused(&self) -> impl Iterator<Item = (&Embedded, Range<usize>)> {
        self.extensions.iter().filter_map(|one| match &one.placement {
            Placement::Fused(range) => Some((one, range.clone())),
            Placement::Bundled { .. } => None,
        })
    }

    /// The fused extension at this offset.
    pub fn at(&self, offset: usize) -> Option<&Embedded> {
        self.fused().find(|(_, range)| range.contains(&offset)).map(|(one, _)| one)
    }
}

/// The length of the list, if there is one.
fn length(tail: &[u8; TAIL_BYTES]) -> Result<Option<usize>> {
    let (length, magic) = tail.split_at(4);
    let is_older = magic.starts_with(MAGIC_OF_ALL) && magic != MAGIC;
    ensure!(!is_older, "it was composed by another version of this program; compose it again");
    let length = length.try_into().map(u32::from_le_bytes)?;
    Ok((magic == MAGIC).then_some(length as usize))
}

#[cfg(test)]
mod tests {
    use super::layout::append_section;
    use super::*;
    use crate::contract::types::{Connecting, Need};

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn embedded(name: &str) -> Embedded {
        Embedded {
            name: name.into(),
            version: "0.1.0".into(),
            sha256: "0f".repeat(32),
            registers: vec!["sha3/1".into()],
            placement: Placement::Fused(0..0),
        }
    }

    fn bundled(name: &str, range: Range<usize>) -> Embedded {
        let manifest = Manifest {
            name: name.into(),
            version: "0.1.0".into(),
            description: String::new(),
            functions: Vec::new(),
            collations: Vec::new(),
            modules: Vec::new(),
            needs: vec![Need::Sql],
            connects: Connecting::Never,
        };
        Embedded { placement: Placement::Bundled { range, manifest }, ..embedded(name) }
    }

    /// A composed file with these bundled extensions, changed by `change` before the list
    /// is written.
    fn file(extensions: &[&[u8]], change: impl FnOnce(&mut Composition)) -> Vec<u8> {
        let mut bytes = EMPTY.to_vec();
        let mut composition = Composition {
            component_bytes: bytes.len(),
            cli: 0..bytes.len(),
            cli_version: Some("3.54.1".into()),
            extensions: Vec::new(),
        };
        for (index, content) in extensions.iter().enumerate() {
            let range = append_section(&mut bytes, BUNDLED_SECTION, content);
            composition.extensions.push(bundled(&format!("e{index}"), range));
        }
        change(&mut composition);
        append_section(&mut bytes, SECTION, &composition.encode().unwrap());
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
        refused(&[b"one"], |list| *list.extensions[0].placement.range_mut() = 3..1000);
        refused(&[b"one"], |list| list.component_bytes = 1000);
        refused(&[b"one"], |list| list.cli = 0..1000);
        refused(&[b"one"], |list| {
            list.extensions.push(Embedded { placement: Placement::Fused(2..4), ..embedded("f") });
        });
        let mut long = 1_000_000_u32.to_le_bytes().to_vec();
        long.extend(MAGIC);
        assert!(Composition::of(&long).is_err());
    }

    #[test]
    fn a_list_describes_all_that_stands_behind_the_component() {
        // A section that is not listed, and a listed one that is not there.
        refused(&[b"one", b"two"], |list| drop(list.extensions.pop()));
        refused(&[b"one"], |list| {
            let range = list.extensions[0].placement.range().clone();
            list.extensions.push(bundled("other", range));
        });
        // A component that ends before the list says, or behind it.
        refused(&[b"one"], |list| list.component_bytes += 3);
        refused(&[b"one"], |list| {
            list.component_bytes = list.extensions[0].placement.range().end;
        });
        // Something else behind the component.
        let mut other = EMPTY.to_vec();
        append_section(&mut other, "name", b"x");
        let mut list = Composition::of(&file(&[], |_| ())).unwrap().unwrap();
        append_section(&mut other, SECTION, &list.encode().unwrap());
        assert!(Composition::of(&other).is_err());
        // Control: as a part of the component it may stand there.
        let mut whole = EMPTY.to_vec();
        append_section(&mut whole, "name", b"x");
        (list.component_bytes, list.cli) = (whole.len(), 0..whole.len());
        append_section(&mut whole, SECTION, &list.encode().unwrap());
        assert!(Composition::of(&whole).is_ok());
    }

    #[test]
    fn names_and_numbers_have_limits() {
        refused(&[b"one"], |list| list.extensions[0].name = "a\u{1b}b".into());
        refused(&[b"one"], |list| list.extensions[0].version = "1\n2".into());
        refused(&[b"one"], |list| list.extensions[0].sha256 = "x".into());
        refused(&[b"one"], |list| list.extensions[0].registers = vec!["n".repeat(1000)]);
        refused(&[b"one", b"two"], |list| {
            list.extensions[1] = bundled("e0", list.extensions[1].placement.range().clone());
        });
        refused(&[b"one"], |list| list.cli_version = Some("\u{7}".into()));
        refused(&vec![&b"one"[..]; MAX_EMBEDDED + 1], |_| ());
        let many = vec![String::from("a"); 200_000];
        refused(&[b"one"], |list| list.extensions[0].registers = many);
    }
}
