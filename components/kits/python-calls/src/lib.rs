//! The calls of scalar functions in Python, by C: `calls.c`, which the build script makes a library that
//! componentize-py links. No Rust is in it; Cargo brings the contract's bindings for C and the compiler.
