//! Refers to a routine that extensions are not offered.
c_extensions::extension!("absent");
