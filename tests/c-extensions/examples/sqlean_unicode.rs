//! sqlean's `unicode`.
c_extensions::extension!("sqlean_unicode");
