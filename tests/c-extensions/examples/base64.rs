//! SQLite's `ext/misc/base64.c`.
c_extensions::sqlite_extension!("base64", "base64 of blobs, and back", sqlite3_base_init);
