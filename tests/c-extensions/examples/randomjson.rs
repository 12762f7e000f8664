//! SQLite's `ext/misc/randomjson.c`.
c_extensions::sqlite_extension!("randomjson", "JSON made from a seed", sqlite3_randomjson_init);
