//! Probes of each routine of the C interface.
c_extensions::extension!("probes");
