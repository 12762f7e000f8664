//! SQLite's `ext/misc/sha1.c`.
c_extensions::sqlite_extension!("sha1", "SHA-1 of values and of query results", sqlite3_sha_init);
