//! sqlean's `time`.
c_extensions::extension!("sqlean_time");
