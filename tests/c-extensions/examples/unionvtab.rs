//! SQLite's `ext/misc/unionvtab.c`.
c_extensions::sqlite_extension!(
    "unionvtab",
    "one table over tables of many databases",
    sqlite3_unionvtab_init
);
