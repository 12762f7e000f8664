//! sqlean's `text`.
c_extensions::extension!("sqlean_text");
