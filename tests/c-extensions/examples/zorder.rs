//! SQLite's `ext/misc/zorder.c`.
c_extensions::sqlite_extension!("zorder", "Morton codes of coordinates", sqlite3_zorder_init);
