//! The crate `sqlite-regex`, on sqlite-loadable.
use sqlite_regex as _;

rust_extensions::extension!(
    "sqlite_regex",
    "0.2.4-alpha.1",
    "regular expressions in linear time",
    sqlite3_regex_init
);
