//! The catalog of extensions: finding and listing them, for loading and composing, and the records
//! that their files contain.

pub(super) mod record;
pub mod search;
