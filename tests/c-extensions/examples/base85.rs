//! SQLite's `ext/misc/base85.c`.
c_extensions::sqlite_extension!("base85", "base85 of blobs, and back", sqlite3_base_init);
