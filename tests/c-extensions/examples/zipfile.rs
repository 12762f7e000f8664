//! SQLite's `ext/misc/zipfile.c`.
// zlib, which the C calls.
use libz_sys as _;

c_extensions::sqlite_extension!("zipfile", "read and write ZIP archives", sqlite3_zipfile_init);
