//! The seal at the end of native code: the hash of its source, its checksum,
//! and the signature of this user's runner. `component/loader/native.rs` decides by it.
//!
//! It has [`SEAL_BYTES`] bytes; integers are little-endian:
//!
//! | bytes | |
//! | --- | --- |
//! | 8 | magic, `sqwasm02` |
//! | 8 | length of the code |
//! | 32 | BLAKE3 of the `.wasm` that it was compiled from |
//! | 32 | SHA-256 of the same `.wasm`, to which the grants of shipped extensions refer |
//! | 32 | BLAKE3 of the code |
//! | 32 | BLAKE3 of all of the above, keyed with the user's [`Key`]; zeros without one |

use blake3::Hash;
use sha2::{Digest, Sha256};

use crate::artifact::unusable::Unusable;
use crate::installation::key::Key;

const MAGIC: [u8; 8] = *b"sqwasm02";

/// Bytes that the key signs.
const SIGNED_BYTES: usize = 8 + 8 + 32 + 32 + 32;

/// Length of a seal.
pub const SEAL_BYTES: usize = SIGNED_BYTES + blake3::OUT_LEN;

/// The bytes of a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal([u8; SEAL_BYTES]);

impl Seal {
    /// A seal for `code`, compiled from `wasm`; unsigned without a key.
    pub fn new(code: &[u8], wasm: &[u8], key: Option<&Key>) -> Self {
        let mut seal = [0; SEAL_BYTES];
        let (signed, signature) = seal.split_at_mut(SIGNED_BYTES);
        signed[..8].copy_from_slice(&MAGIC);
        signed[8..16].copy_from_slice(&(code.len() as u64).to_le_bytes());
        signed[16..48].copy_from_slice(blake3::hash(wasm).as_bytes());
        signed[48..80].copy_from_slice(&Sha256::digest(wasm));
        signed[80..].copy_from_slice(blake3::hash(code).as_bytes());
        if let Some(key) = key {
            signature.copy_from_slice(key.seal(signed).as_bytes());
        }
        Self(seal)
    }

    /// The seal at the end of a file of `file_bytes` bytes, whose last bytes
    /// are `tail`.
    ///
    /// # Errors
    ///
    /// [`Unusable::Unsealed`].
    pub fn at_end(tail: &[u8], file_bytes: u64) -> Result<Self, Unusable> {
        let seal = Self(*tail.last_chunk().ok_or(Unusable::Unsealed)?);
        let is_here = file_bytes.checked_sub(SEAL_BYTES as u64) == Some(seal.code_bytes());
        if seal.0[..8] != MAGIC || !is_here {
            return Err(Unusable::Unsealed);
        }
        Ok(seal)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether `code` matches the checksum.
    pub fn is_of(&self, code: &[u8]) -> bool {
        blake3::hash(code) == self.part(80)
    }

    /// Whether this key has signed it.
    pub fn is_by(&self, key: &Key) -> bool {
        // `Hash` compares in constant time.
        key.seal(&self.0[..SIGNED_BYTES]) == self.part(SIGNED_BYTES)
    }

    /// The BLAKE3 of the `.wasm`.
    pub fn source(&self) -> Hash {
        self.part(16)
    }

    /// The SHA-256 of the `.wasm`, as `sha256sum` prints it.
    pub fn source_sha256(&self) -> String {
        self.part(48).to_hex().to_string()
    }

    fn code_bytes(&self) -> u64 {
        u64::from_le_bytes(*self.0[8..].first_chunk().unwrap_or(&[0; 8]))
    }

    fn part(&self, offset: usize) -> Hash {
        Hash::from_bytes(*self.0[offset..].first_chunk().unwrap_or(&[0; 32]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (tempfile::TempDir, Key) {
        let directory = tempfile::tempdir().unwrap();
        let key = Key::of_directory(&directory.path().join("key")).unwrap();
        (directory, key)
    }

    #[test]
    fn a_seal_is_of_its_code_and_by_its_key() {
        let ((_one, key), (_other, other_key)) = (key(), key());
        let seal = Seal::new(b"code", b"wasm", Some(&key));
        let file = [b"code", seal.bytes()].concat();
        let seal = Seal::at_end(&file, file.len() as u64).unwrap();
        assert!(seal.is_of(b"code") && !seal.is_of(b"Code"));
        assert!(seal.is_by(&key) && !seal.is_by(&other_key));
        assert_eq!(seal.source(), blake3::hash(b"wasm"));
        assert_eq!(seal.source_sha256(), crate::artifact::sha256::sha256(b"wasm"));
        assert!(!Seal::new(b"code", b"wasm", None).is_by(&key));
    }

    #[test]
    fn every_byte_of_a_seal_counts() {
        let (_directory, key) = key();
        let seal = Seal::new(b"code", b"wasm", Some(&key));
        for place in 0..SEAL_BYTES {
            let mut file = [b"code", seal.bytes()].concat();
            file[4 + place] ^= 1;
            let changed = Seal::at_end(&file, file.len() as u64);
            assert!(changed.is_err() || !changed.unwrap().is_by(&key), "byte {place}");
        }
    }

    #[test]
    fn a_seal_stands_behind_all_of_its_code() {
        let seal = Seal::new(b"code", b"wasm", None);
        for file in [&b"cod"[..], b"codes", b""] {
            let file = [file, seal.bytes()].concat();
            assert_eq!(Seal::at_end(&file, file.len() as u64), Err(Unusable::Unsealed));
        }
        assert_eq!(Seal::at_end(b"short", 5), Err(Unusable::Unsealed));
    }
}
