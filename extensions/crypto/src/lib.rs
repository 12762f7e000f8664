//! crypto: hashes and encodings, with sqlean's names.
//!
//! - `crypto_md5(X)`, `crypto_sha1(X)`, `crypto_sha256(X)`, `crypto_sha384(X)`,
//!   `crypto_sha512(X)`, `crypto_blake3(X)`: the hash of X as a blob
//! - `crypto_xxh32(X)`, `crypto_xxh64(X)`, `crypto_xxh3_64(X)`,
//!   `crypto_xxh3_128(X)`: fast hashes without security, as a blob
//! - `crypto_encode(X, FORMAT)`: X encoded as text
//! - `crypto_decode(X, FORMAT)`: the blob that the text X encodes; an error if X
//!   is not valid
//!
//! FORMAT is `base32`, `base64`, `base85` (Ascii85), `hex` or `url`. Text is processed as bytes, an
//! integer or real as its text. NULL gives NULL.

mod ascii85;
mod encoding;

use encoding::{decode, encode};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Scalar;
use sqlite_wasm_kit::Stability::Stable;
use xxhash_rust::{xxh3, xxh32, xxh64};

const SCALARS: &[Scalar] = &[
    Scalar::new("crypto_md5", 1, Stable, Innocuous, |a| a.apply(hash::<Md5>)).numbers_as_text(),
    Scalar::new("crypto_sha1", 1, Stable, Innocuous, |a| a.apply(hash::<Sha1>)).numbers_as_text(),
    Scalar::new("crypto_sha256", 1, Stable, Innocuous, |a| a.apply(hash::<Sha256>))
        .numbers_as_text(),
    Scalar::new("crypto_sha384", 1, Stable, Innocuous, |a| a.apply(hash::<Sha384>))
        .numbers_as_text(),
    Scalar::new("crypto_sha512", 1, Stable, Innocuous, |a| a.apply(hash::<Sha512>))
        .numbers_as_text(),
    Scalar::new("crypto_blake3", 1, Stable, Innocuous, |a| a.apply(blake3)).numbers_as_text(),
    Scalar::new("crypto_xxh32", 1, Stable, Innocuous, |a| a.apply(xxh32)).numbers_as_text(),
    Scalar::new("crypto_xxh64", 1, Stable, Innocuous, |a| a.apply(xxh64)).numbers_as_text(),
    Scalar::new("crypto_xxh3_64", 1, Stable, Innocuous, |a| a.apply(xxh3_64)).numbers_as_text(),
    Scalar::new("crypto_xxh3_128", 1, Stable, Innocuous, |a| a.apply(xxh3_128)).numbers_as_text(),
    Scalar::new("crypto_encode", 2, Stable, Innocuous, |a| a.apply(encode)).numbers_as_text(),
    Scalar::new("crypto_decode", 2, Stable, Innocuous, |a| a.apply(decode)).numbers_as_text(),
];

sqlite_wasm_kit::extension! {
    name: "crypto",
    description: "hashes and encodings, with sqlean's names",
    scalars: SCALARS,
}

fn hash<D: Digest>(content: Vec<u8>) -> Vec<u8> {
    D::digest(content).to_vec()
}

fn blake3(content: Vec<u8>) -> [u8; 32] {
    blake3::hash(&content).into()
}

fn xxh32(content: Vec<u8>) -> [u8; 4] {
    xxh32::xxh32(&content, 0).to_be_bytes()
}

fn xxh64(content: Vec<u8>) -> [u8; 8] {
    xxh64::xxh64(&content, 0).to_be_bytes()
}

fn xxh3_64(content: Vec<u8>) -> [u8; 8] {
    xxh3::xxh3_64(&content).to_be_bytes()
}

fn xxh3_128(content: Vec<u8>) -> [u8; 16] {
    xxh3::xxh3_128(&content).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::SCALARS;
    use sqlite_wasm_kit::Value;

    fn hash(name: &str, text: &str) -> String {
        let function = SCALARS.iter().find(|function| function.fits(name, 1));
        let hash = function.unwrap().call(vec![Value::text(text)]).unwrap();
        data_encoding::HEXLOWER.encode(&hash.into_bytes())
    }

    #[test]
    fn hashes_of_known_texts() {
        let cases = [
            ("crypto_md5", "900150983cd24fb0d6963f7d28e17f72"),
            ("crypto_sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("crypto_sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("crypto_blake3", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
            ("crypto_xxh32", "32d153ff"),
            ("crypto_xxh64", "44bc2cf5ad770999"),
            ("crypto_xxh3_64", "78af5f94892f3950"),
            ("crypto_xxh3_128", "06b05ab6733a618578af5f94892f3950"),
        ];
        for (name, expected) in cases {
            assert_eq!(hash(name, "abc"), expected, "{name}");
        }
        assert!(hash("crypto_sha384", "abc").starts_with("cb00753f45a35e8b"));
        assert!(hash("crypto_sha512", "abc").starts_with("ddaf35a193617aba"));
    }
}
