//! sqlean's `uuid`.
c_extensions::extension!("sqlean_uuid");
