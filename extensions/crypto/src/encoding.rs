//! Bytes as text, in the formats by name.

use crate::ascii85;
use data_encoding::{BASE32, BASE64, Encoding, HEXLOWER, HEXLOWER_PERMISSIVE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use sqlite_wasm_kit::Result;

/// What stands for itself in an URL (RFC 3986, unreserved).
const URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A multiple of the blocks of all encodings, in bytes.
const PIECE_BYTES: usize = 15 << 16;

/// The crate decodes at most this many bytes.
const MAX_DECODED_BYTES: usize = usize::MAX / 8;

pub fn encode(content: Vec<u8>, format: String) -> Result<String> {
    Ok(match format.as_str() {
        "base32" => in_pieces(&BASE32, &content),
        "base64" => in_pieces(&BASE64, &content),
        "base85" => ascii85::encode(&content),
        "hex" => in_pieces(&HEXLOWER, &content),
        "url" => percent_encode(&content, URL).to_string(),
        _ => return Err(unknown("crypto_encode")),
    })
}

/// The crate encodes at most `usize::MAX / 512` bytes at a time, here 8 MiB.
fn in_pieces(encoding: &Encoding, content: &[u8]) -> String {
    // That of hex is the longest.
    let mut text = String::with_capacity(2 * content.len() + 8);
    content.chunks(PIECE_BYTES).for_each(|piece| encoding.encode_append(piece, &mut text));
    text
}

pub fn decode(text: Vec<u8>, format: String) -> Result<Vec<u8>> {
    if text.len() > MAX_DECODED_BYTES {
        return Err("crypto_decode: the text is too long".into());
    }
    let content = match format.as_str() {
        "base32" => BASE32.decode(&text).ok(),
        "base64" => BASE64.decode(&text).ok(),
        "base85" => ascii85::decode(&text),
        "hex" => HEXLOWER_PERMISSIVE.decode(&text).ok(),
        "url" => Some(percent_decode(&text).collect()),
        _ => return Err(unknown("crypto_decode")),
    };
    content.ok_or_else(|| format!("crypto_decode: the text is no {format}").into())
}

fn unknown(function: &str) -> sqlite_wasm_kit::Error {
    format!("{function}: format must be base32, base64, base85, hex or url").into()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn formats_encode_and_decode() {
        let cases = [
            ("base32", "hello", "NBSWY3DP"),
            ("base64", "hello!", "aGVsbG8h"),
            ("base85", "hello", "BOu!rDZ"),
            ("hex", "hello", "68656c6c6f"),
            ("url", "a b/é~", "a%20b%2F%C3%A9~"),
        ];
        for (format, plain, text) in cases {
            assert_eq!(encode(plain.into(), format.into()).as_deref(), Ok(text));
            assert_eq!(decode(text.into(), format.into()), Ok(plain.into()));
        }
    }

    #[test]
    fn long_contents_are_encoded_in_pieces() {
        for length in [super::PIECE_BYTES - 1, super::PIECE_BYTES, super::PIECE_BYTES + 7] {
            let content: Vec<u8> = (0..length).map(|at| at as u8).collect();
            for format in ["base32", "base64", "hex"] {
                let text = encode(content.clone(), format.into()).unwrap();
                assert_eq!(decode(text.into_bytes(), format.into()).as_ref(), Ok(&content));
            }
        }
    }

    #[test]
    fn wrong_formats_and_texts_are_errors() {
        let error = encode(vec![], "base99".into()).unwrap_err();
        assert!(error.message.starts_with("crypto_encode: format must be"));
        let error = decode("abc".into(), "hex".into()).unwrap_err();
        assert_eq!(error.message, "crypto_decode: the text is no hex");
    }
}
