//! sqlean's `ipaddr`.
c_extensions::sqlean_extension!("sqlean_ipaddr", "IP addresses and networks");
