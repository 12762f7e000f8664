//! sqlean's `fileio`.
c_extensions::extension!("sqlean_fileio");
