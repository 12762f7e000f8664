//! sqlean's `math`.
c_extensions::extension!("sqlean_math");
