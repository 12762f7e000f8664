//! Tokens: random texts that say who a client is.

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

/// Random bytes of a token or baton: nobody guesses 256 bits.
const SECRET_BYTES: usize = 32;

/// The prefix of a hashed token.
const SCHEME: &str = "sha256:";

/// The hash of a token. Tokens are random, so a fast hash is enough.
pub type TokenHash = [u8; 32];

/// The hash of a token. Tokens are compared by their hashes, so the time that it takes says nothing
/// about a token.
pub fn hash(token: &str) -> TokenHash {
    let mut hash = TokenHash::default();
    hash.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    hash
}

/// A text that nobody can guess.
///
/// # Errors
///
/// When the system provides no randomness.
pub fn secret() -> Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    SystemRandom::new().fill(&mut bytes).ok().context("the system gave no random numbers")?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A token's hash, as a file has it.
pub fn shown_hash(token: &str) -> String {
    let digits: String = hash(token).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{SCHEME}{digits}")
}

/// The hash that a file has.
///
/// # Errors
///
/// If `text` is not the hash of a token.
pub fn parse_hash(text: &str) -> Result<TokenHash> {
    let Some(digits) = text.strip_prefix(SCHEME) else {
        bail!("a token is written as `{SCHEME}…`, by `--new-token`, never in clear");
    };
    let is_hash = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    ensure!(is_hash, "a token's hash has 64 hexadecimal digits");
    let mut hash = TokenHash::default();
    for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair)?, 16)?;
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert!(one != other && one.len() == 43);
        assert_eq!(parse_hash(&shown_hash(&one)).unwrap(), hash(&one));
    }
}
