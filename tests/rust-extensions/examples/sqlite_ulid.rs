//! The crate `sqlite-ulid`, on sqlite-loadable.
use sqlite_ulid as _;

rust_extensions::extension!("sqlite_ulid", sqlite3_ulid_init);
