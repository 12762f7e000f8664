//! The index of a source: JSON with an entry for each version of each extension, signed by
//! minisign.

use anyhow::{Context, Result, anyhow, ensure};
use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::names::{check_name, check_sha256, parse_version};

/// The names of the two files.
pub const INDEX: &str = "index.json";
/// See [`INDEX`].
pub const SIGNATURE: &str = "index.json.minisig";

/// The format that this program reads and writes.
const FORMAT: u32 = 1;

/// Longest index: ten thousand entries with long lists of functions.
pub const MAX_INDEX_BYTES: u64 = 16 << 20;

/// Longest signature file; minisign writes 300 bytes and the trusted comment.
pub const MAX_SIGNATURE_BYTES: u64 = 4096;

/// Most entries of an index.
const MAX_ENTRIES: usize = 100_000;

/// Largest file of an extension: one in Python has 18 million bytes.
pub const MAX_FILE_BYTES: u64 = 128 << 20;

/// Longest text in an entry: each is a line for users.
const MAX_LINE_BYTES: usize = 1000;

/// Most needs and registrations of an entry, as an extension may have.
const MAX_LINES: usize = 1100;

/// The content of an index.
#[derive(Debug, Serialize, Deserialize)]
pub struct Index {
    format: u32,
    /// Higher in each index of a source than in the one before.
    pub serial: u64,
    /// The versions that it offers.
    pub extensions: Vec<Entry>,
}

/// One version of an extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What its file says.
    #[serde(flatten)]
    pub file: Facts,
    /// The licence, as an SPDX expression.
    pub license: String,
    /// Where its source code is.
    pub source: String,
}

/// What the file of an extension says of itself, without running it. An entry and the file must
/// agree in all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its name, which is also that of its file.
    pub name: String,
    /// Its version, as in semantic versioning.
    pub version: String,
    /// One line for users.
    pub description: String,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// The length of its file.
    pub bytes: u64,
    /// The version of the contract for which it was made; `None` for a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The engine of a script, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What it registers.
    pub registers: Vec<String>,
    /// What it needs, in the words of the option that grants it.
    pub needs: Vec<String>,
}

impl Index {
    /// The index in these bytes, whose signature must be by `key`.
    ///
    /// # Errors
    ///
    /// When the signature is not by that key, or the index is malformed or of another format.
    pub fn verified(bytes: &[u8], signature: &[u8], key: &Key) -> Result<Self> {
        key.verify(bytes, signature)?;
        Self::parse(bytes)
    }

    /// The index in these bytes, whatever its signature.
    ///
    /// # Errors
    ///
    /// When it is malformed or of another format.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        // The library's message quotes the text, which may be anything.
        let index: Self = serde_json::from_slice(bytes).map_err(|error| {
            anyhow!("its index is malformed at line {}, column {}", error.line(), error.column())
        })?;
        ensure!(
            index.format == FORMAT,
            "its index has format {}, and this program reads {FORMAT}",
            index.format
        );
        ensure!(
            index.extensions.len() <= MAX_ENTRIES,
            "its index has more than {MAX_ENTRIES} entries"
        );
        for (number, entry) in index.extensions.iter().enumerate() {
            entry.check().with_context(|| format!("entry {} of its index", number + 1))?;
        }
        Ok(index)
    }

    /// An index without entries, before the first one.
    pub fn empty() -> Self {
        Self { format: FORMAT, serial: 0, extensions: Vec::new() }
    }

    /// The entry of this version, or of the newest one that is not a pre-release.
    pub fn find(&self, name: &str, version: Option<&str>) -> Option<&Entry> {
        let named = self.extensions.iter().filter(|entry| entry.file.name == name);
        match version {
            Some(version) => named.into_iter().find(|entry| entry.file.version == version),
            None => named
                .filter(|entry| entry.version().pre.is_empty())
                .max_by_key(|entry| entry.version()),
        }
    }

    /// Add a version, and raise the serial.
    ///
    /// # Errors
    ///
    /// When it has this version already, with another content: users have pinned that one.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        entry.check()?;
        let Facts { name, version, sha256, .. } = &entry.file;
        if let Some(old) = self.find(name, Some(version)) {
            ensure!(
                old.file.sha256 == *sha256,
                "the index has {name} {version} already, with another content; raise the version"
            );
        }
        self.extensions.retain(|old| (&old.file.name, &old.file.version) != (name, version));
        self.extensions.push(entry);
        self.extensions.sort_by_cached_key(|entry| (entry.file.name.clone(), entry.version()));
        self.serial += 1;
        Ok(())
    }
}

impl Entry {
    /// Its version; [`Self::check`] has parsed it before.
    pub fn version(&self) -> Version {
        parse_version(&self.file.version).unwrap_or(Version::new(0, 0, 0))
    }

    fn check(&self) -> Result<()> {
        let Facts { name, version, sha256, bytes, contract, engine, .. } = &self.file;
        check_name(name)?;
        parse_version(version)?;
        check_sha256(sha256)?;
        ensure!(
            (1..=MAX_FILE_BYTES).contains(bytes),
            "the file of {name} has more than {MAX_FILE_BYTES} bytes, or none"
        );
        ensure!(
            contract.is_some() != engine.is_some(),
            "{name} has neither a contract nor an engine, or both"
        );
        let lists = [&self.file.registers, &self.file.needs];
        let texts = [&self.license, &self.source, &self.file.description];
        let lines =
            texts.into_iter().chain(contract).chain(engine).chain(lists.into_iter().flatten());
        ensure!(
            lists.iter().all(|list| list.len() <= MAX_LINES)
                && lines.into_iter().all(|line| line.len() <= MAX_LINE_BYTES),
            "{name} has a text of more than {MAX_LINE_BYTES} bytes, or more than {MAX_LINES} of them"
        );
        Ok(())
    }
}

/// The public key of a source, which the user has typed.
pub struct Key {
    key: PublicKey,
    letters: String,
}

impl Key {
    /// The key in the text of a `.pub` file of minisign, or in its second line alone.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self> {
        // A file has a comment in the line before.
        let letters = text.trim().lines().next_back().unwrap_or_default().trim().to_owned();
        let key = PublicKey::from_base64(&letters).map_err(|_| {
            anyhow!("it is not a public key of minisign, which begins with `RW` and has 56 letters")
        })?;
        Ok(Self { key, letters })
    }

    /// Its letters.
    pub fn letters(&self) -> &str {
        &self.letters
    }

    fn verify(&self, bytes: &[u8], signature: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(signature).ok();
        let signature = text.and_then(|text| Signature::decode(text).ok());
        let signature = signature.context("the signature of its index is not one of minisign")?;
        let verified = self.key.verify(bytes, &signature, false);
        verified.map_err(|_| anyhow!("the signature of its index is not by the key of the source"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn entry(name: &str, version: &str) -> Entry {
        let file = Facts {
            name: name.into(),
            version: version.into(),
            description: "for tests".into(),
            sha256: "0f".repeat(32),
            bytes: 1,
            contract: None,
            engine: Some("quickjs 1".into()),
            registers: vec!["f(1)".into()],
            needs: vec![],
        };
        Entry { file, license: "MIT".into(), source: "https://example.org".into() }
    }

    fn json(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
        let mut index = Index::empty();
        index.add(entry("a", "1.0.0")).unwrap();
        let mut value = serde_json::to_value(index).unwrap();
        change(&mut value);
        serde_json::to_vec(&value).unwrap()
    }

    #[test]
    fn only_the_key_of_the_source_signs() {
        let bytes = json(|_| ());
        let [own, other] =
            [(); 2].map(|()| minisign::KeyPair::generate_unencrypted_keypair().unwrap());
        let key = Key::parse(&own.pk.to_base64()).unwrap();
        let sign = |pair: &minisign::KeyPair, bytes: &[u8]| {
            minisign::sign(None, &pair.sk, Cursor::new(bytes), None, None).unwrap().to_string()
        };
        let signature = sign(&own, &bytes);
        assert_eq!(Index::verified(&bytes, signature.as_bytes(), &key).unwrap().serial, 1);
        assert!(Index::verified(&bytes, sign(&other, &bytes).as_bytes(), &key).is_err());
        assert!(Index::verified(&bytes, b"", &key).is_err());
        let mut tampered = bytes.clone();
        for place in 0..bytes.len() {
            tampered[place] ^= 1;
            assert!(Index::verified(&tampered, signature.as_bytes(), &key).is_err(), "{place}");
            tampered[place] ^= 1;
        }
    }

    #[test]
    fn keys_are_letters_or_files() {
        let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let file = pair.pk.to_box().unwrap().to_string();
        assert_eq!(Key::parse(&file).unwrap().letters(), pair.pk.to_base64());
        for text in ["", "RW", "https://example.org/key.pub"] {
            assert!(Key::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn malformed_entries_are_refused() {
        assert!(Index::parse(&json(|_| ())).is_ok());
        for (field, value) in [
            ("name", serde_json::json!("../a")),
            ("version", serde_json::json!("1.0.0/../..")),
            ("sha256", serde_json::json!("../../etc/passwd")),
            ("bytes", serde_json::json!(MAX_FILE_BYTES + 1)),
            ("bytes", serde_json::json!(-1)),
            ("engine", serde_json::json!(null)),
            ("description", serde_json::json!("x".repeat(MAX_LINE_BYTES + 1))),
            ("needs", serde_json::json!(vec!["sql"; MAX_LINES + 1])),
        ] {
            let bytes = json(|index| index["extensions"][0][field] = value);
            assert!(Index::parse(&bytes).is_err(), "{field}");
        }
        assert!(Index::parse(&json(|index| index["format"] = 2.into())).is_err());
        assert!(Index::parse("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn the_newest_version_is_found() {
        let mut index = Index::empty();
        for version in ["1.2.0", "1.10.0", "2.0.0-beta", "1.9.0"] {
            index.add(entry("a", version)).unwrap();
        }
        assert_eq!(index.find("a", None).unwrap().file.version, "1.10.0");
        assert_eq!(index.find("a", Some("2.0.0-beta")).unwrap().file.version, "2.0.0-beta");
        assert!(index.find("b", None).is_none() && index.find("a", Some("3.0.0")).is_none());
        assert_eq!(index.serial, 4);
        let mut changed = entry("a", "1.2.0");
        changed.file.sha256 = "1f".repeat(32);
        assert!(index.add(changed).is_err());
    }
}
