//! Virtual tables of extensions, by `dispatch.table-*`.

mod best_index;
mod cursor;
mod extension;
mod module;
mod update;

pub use extension::Extension;
pub use module::register;
