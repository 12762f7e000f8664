//! The crate `sqlite-regex`, on sqlite-loadable.
use sqlite_regex as _;

rust_extensions::extension!("sqlite_regex", sqlite3_regex_init);
