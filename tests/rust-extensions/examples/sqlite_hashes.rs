//! The crate `sqlite-hashes`, on rusqlite.
rust_extensions::registered_extension!("sqlite_hashes", sqlite_hashes, register_hash_functions);
