//! sqlean's `stats`.
c_extensions::sqlean_extension!("sqlean_stats", "statistics: median, percentiles, deviations");
