//! SQLite's `ext/misc/fileio.c`.
c_extensions::sqlite_extension!("fileio", "read, write and list files", sqlite3_fileio_init);
