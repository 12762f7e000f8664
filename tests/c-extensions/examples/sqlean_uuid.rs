//! sqlean's `uuid`.
c_extensions::sqlean_extension!("sqlean_uuid", "UUIDs of versions 4 and 7");
