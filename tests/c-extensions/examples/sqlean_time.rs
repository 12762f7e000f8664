//! sqlean's `time`.
c_extensions::sqlean_extension!("sqlean_time", "times with nanoseconds, and durations");
