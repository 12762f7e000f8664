//! Values of SQLite that cross between components.

mod canonical_abi;
mod inline_value;
mod value;

pub use canonical_abi::{Filled, Source};
pub use inline_value::{InlineValue, check_arguments};
pub use value::{Output, Value};
