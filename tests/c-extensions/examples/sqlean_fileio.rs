//! sqlean's `fileio`.
c_extensions::sqlean_extension!("sqlean_fileio", "read and write files");
