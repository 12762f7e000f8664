//! SQLite's `ext/misc/completion.c`.
c_extensions::sqlite_extension!(
    "completion",
    "suggestions that complete a prefix of SQL",
    sqlite3_completion_init
);
