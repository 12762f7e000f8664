//! sqlean's `define`.
c_extensions::sqlean_extension!("sqlean_define", "functions and tables defined in SQL");
