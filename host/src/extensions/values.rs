//! Values of SQLite on their way between components.

mod inline_value;
mod value;

pub use inline_value::InlineValue;
pub use value::{Output, Value};
