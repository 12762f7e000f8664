//! What `sqlite3ext.h` declares.
#![allow(non_upper_case_globals, non_camel_case_types, non_snake_case, missing_docs)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
