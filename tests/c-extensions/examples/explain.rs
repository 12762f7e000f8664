//! SQLite's `ext/misc/explain.c`.
c_extensions::sqlite_extension!(
    "explain",
    "the bytecode of a statement as a table",
    sqlite3_explain_init
);
