//! SQLite's `ext/misc/fuzzer.c`.
c_extensions::sqlite_extension!(
    "fuzzer",
    "variations of a word by increasing cost",
    sqlite3_fuzzer_init
);
