//! sqlean's `fuzzy`.
c_extensions::extension!("sqlean_fuzzy");
