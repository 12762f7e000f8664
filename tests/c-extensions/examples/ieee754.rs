//! SQLite's `ext/misc/ieee754.c`.
c_extensions::sqlite_extension!("ieee754", "reals by mantissa and exponent", sqlite3_ieee_init);
