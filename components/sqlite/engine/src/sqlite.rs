//! A safe layer on SQLite's C interface, as far as the engine uses it. SQLite's objects are owned,
//! or borrowed from a callback; callbacks are methods of traits.

#![allow(unsafe_code)]

pub mod addresses;
pub mod blob;
pub mod connection;
pub mod context;
pub mod error;
pub mod function;
pub mod index_info;
mod methods;
mod module;
mod shadow_names;
pub mod statement;
pub mod tokenizer;
pub mod value;
pub mod vtab;
