//! sqlean's `define`.
c_extensions::extension!("sqlean_define");
