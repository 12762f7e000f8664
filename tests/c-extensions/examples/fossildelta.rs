//! SQLite's `ext/misc/fossildelta.c`.
c_extensions::sqlite_extension!(
    "fossildelta",
    "deltas between two blobs",
    sqlite3_fossildelta_init
);
