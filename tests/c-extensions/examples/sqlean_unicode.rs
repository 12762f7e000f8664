//! sqlean's `unicode`.
c_extensions::sqlean_extension!("sqlean_unicode", "case and accents by Unicode");
