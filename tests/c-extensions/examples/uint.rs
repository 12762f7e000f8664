//! SQLite's `ext/misc/uint.c`.
c_extensions::sqlite_extension!(
    "uint",
    "a collation that compares digits by value",
    sqlite3_uint_init
);
