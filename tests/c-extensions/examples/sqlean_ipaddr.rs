//! sqlean's `ipaddr`.
c_extensions::extension!("sqlean_ipaddr");
