//! Extensions as a user loads them, and as an author writes them: the contract, grants,
//! SQL of extensions, existing extensions in C and Rust.

#[path = "../support/mod.rs"]
mod support;

mod ann;
mod command;
mod conformance;
mod conformance_tables;
mod conformance_writes;
mod connections;
mod contract;
mod grant_prompt;
mod inspect;
mod languages;
mod load_option;
mod nasty;
mod nesting;
mod new_extension;
mod parity;
mod pointers;
mod python;
mod python_kit;
mod scripts;
mod shipped;
mod sql_read_only;
mod sql_work;
mod tokenizers;
