//! SQLite's `ext/misc/btreeinfo.c`.
c_extensions::sqlite_extension!(
    "btreeinfo",
    "size and depth of tables and indexes",
    sqlite3_btreeinfo_init
);
