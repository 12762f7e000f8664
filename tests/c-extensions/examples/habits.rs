//! What extensions do again and again.
c_extensions::extension!("habits");
