//! The crate `sqlite-ulid`, on sqlite-loadable.
use sqlite_ulid as _;

rust_extensions::extension!("sqlite_ulid", "0.2.2-alpha.1", "ULIDs", sqlite3_ulid_init);
