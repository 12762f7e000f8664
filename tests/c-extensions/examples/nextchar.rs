//! SQLite's `ext/misc/nextchar.c`.
c_extensions::sqlite_extension!(
    "nextchar",
    "which characters can follow a prefix",
    sqlite3_nextchar_init
);
