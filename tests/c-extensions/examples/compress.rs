//! SQLite's `ext/misc/compress.c`.
// zlib, which the C calls.
use libz_sys as _;

c_extensions::sqlite_extension!(
    "compress",
    "compress and uncompress by zlib",
    sqlite3_compress_init
);
