//! SQLite's `ext/misc/decimal.c`.
c_extensions::sqlite_extension!("decimal", "exact decimal arithmetic", sqlite3_decimal_init);
