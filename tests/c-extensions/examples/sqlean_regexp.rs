//! sqlean's `regexp`.
c_extensions::extension!("sqlean_regexp");
