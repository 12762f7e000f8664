//! sqlean's `text`.
c_extensions::sqlean_extension!("sqlean_text", "functions for text");
