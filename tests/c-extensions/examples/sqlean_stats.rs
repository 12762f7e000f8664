//! sqlean's `stats`.
c_extensions::extension!("sqlean_stats");
