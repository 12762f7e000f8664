//! SQLite's `ext/misc/spellfix.c`.
c_extensions::sqlite_extension!(
    "spellfix",
    "spelling correction and edit distances",
    sqlite3_spellfix_init
);
