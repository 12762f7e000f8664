//! The crate `sqlite-compressions`, on rusqlite.
rust_extensions::registered_extension!(
    "sqlite_compressions",
    "0.3.12",
    "compression: gzip, brotli, bzip2, differences",
    sqlite_compressions,
    register_compression_functions
);
