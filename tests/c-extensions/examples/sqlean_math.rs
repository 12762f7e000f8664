//! sqlean's `math`.
c_extensions::sqlean_extension!("sqlean_math", "mathematical functions");
