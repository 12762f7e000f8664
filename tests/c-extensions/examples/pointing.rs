//! Pointers, without SQL.
c_extensions::extension!("pointing");
