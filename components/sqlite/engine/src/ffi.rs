//! Imports that are declared by hand, and the C library.

#[allow(unsafe_code)]
pub mod imports;
pub mod layout;
#[allow(unsafe_code)]
pub mod libc;
#[allow(unsafe_code)]
pub mod memory;
