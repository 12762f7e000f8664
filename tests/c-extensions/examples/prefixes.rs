//! SQLite's `ext/misc/prefixes.c`.
c_extensions::sqlite_extension!(
    "prefixes",
    "all prefixes of a text, and common ones",
    sqlite3_prefixes_init
);
