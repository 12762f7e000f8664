//! SQLite's `ext/misc/wholenumber.c`.
c_extensions::sqlite_extension!(
    "wholenumber",
    "the integers from 1 as a table",
    sqlite3_wholenumber_init
);
