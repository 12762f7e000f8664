//! The crate `sqlite-hashes`, on rusqlite.
rust_extensions::registered_extension!(
    "sqlite_hashes",
    "0.10.10",
    "hashes of values, groups and windows",
    sqlite_hashes,
    register_hash_functions
);
