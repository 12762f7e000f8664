//! LLVM's code against Cranelift's: the same modules, calls and traps.
//!
//! Without `clang-22` nothing can be compared; `CLANG_22` names another one.

mod components;
mod engines;
mod generated;
mod names;
mod operators;
mod profile;
mod proof;
mod specification;
mod tables;
mod timed;
