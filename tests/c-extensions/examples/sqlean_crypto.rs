//! sqlean's `crypto`.
c_extensions::extension!("sqlean_crypto");
