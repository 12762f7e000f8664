//! Tests of the crate on the sandboxed SQLite that `make build` built.

mod api;
mod attacks;
mod callbacks;
mod changed_keys;
mod changes;
mod grants;
mod limits;
mod planted;
mod program_files;
mod scripts;
mod sizes;
mod support;
