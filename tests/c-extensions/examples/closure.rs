//! SQLite's `ext/misc/closure.c`.
c_extensions::sqlite_extension!(
    "closure",
    "transitive closure of a tree or graph in a table",
    sqlite3_closure_init
);
