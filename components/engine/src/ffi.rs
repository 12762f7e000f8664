//! The edges to the C library and to the imports that are declared by hand.

#[allow(unsafe_code)]
pub mod imports;
pub mod layout;
#[allow(unsafe_code)]
pub mod libc;
