//! SQLite's `ext/misc/totype.c`.
c_extensions::sqlite_extension!(
    "totype",
    "conversions that fail instead of losing data",
    sqlite3_totype_init
);
