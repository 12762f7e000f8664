//! The sandbox of `libsqlite3.so.0`, as the C code in `c` sees it (`c/engine.h`).
//!
//! The C code is SQLite's interface: values, statements, rows and callbacks of the program. This
//! crate starts the instances in which SQLite's engine runs, and passes bytes between them.

mod engine;
mod exports;
mod grants;
mod hidden;
mod refusals;
mod settings;
mod template;
