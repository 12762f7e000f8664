//! SHA-256, as `sha256sum` prints it and a file of grants names it.

use sha2::{Digest, Sha256};

/// The hash of `content`.
pub fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// The bytes of a hash as text.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
