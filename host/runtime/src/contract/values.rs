//! Values of SQLite on their way between components.

mod canonical_abi;
mod inline_value;
mod value;

pub use inline_value::{InlineValue, check_arguments};
pub use value::{Output, Value};
