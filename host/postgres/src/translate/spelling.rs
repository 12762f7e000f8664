//! What PostgreSQL can read and the parser cannot, in the parser's words: [`tokens`] before it is parsed, and
//! [`tree`] after that.

mod tokens;
mod tree;

pub use tokens::alterations::CHANGE;
pub use tokens::nothing::NOTHING;
pub use tokens::tokens;
pub use tree::tree;
