//! Destructors of all that an extension registers.
c_extensions::extension!("ends");
