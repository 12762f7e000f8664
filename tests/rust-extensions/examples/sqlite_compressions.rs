//! The crate `sqlite-compressions`, on rusqlite.
rust_extensions::registered_extension!(
    "sqlite_compressions",
    sqlite_compressions,
    register_compression_functions
);
