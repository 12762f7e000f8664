//! SQLite's `ext/misc/blobio.c`.
c_extensions::sqlite_extension!(
    "blobio",
    "read and write parts of stored blobs",
    sqlite3_blobio_init
);
