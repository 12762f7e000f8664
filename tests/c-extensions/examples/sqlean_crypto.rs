//! sqlean's `crypto`.
c_extensions::sqlean_extension!(
    "sqlean_crypto",
    "hashes, and base32, base64, base85, hex and URL encoding"
);
