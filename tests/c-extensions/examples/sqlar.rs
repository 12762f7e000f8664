//! SQLite's `ext/misc/sqlar.c`.
// zlib, which the C calls.
use libz_sys as _;

c_extensions::sqlite_extension!("sqlar", "compression of SQLite archives", sqlite3_sqlar_init);
