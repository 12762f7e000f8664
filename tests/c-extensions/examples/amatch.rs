//! SQLite's `ext/misc/amatch.c`.
c_extensions::sqlite_extension!(
    "amatch",
    "approximate matches of a word in a vocabulary",
    sqlite3_amatch_init
);
