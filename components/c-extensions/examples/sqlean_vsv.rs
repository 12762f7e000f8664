//! sqlean's `vsv`.
c_extensions::extension!("sqlean_vsv");
