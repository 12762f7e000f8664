//! The extensions that there are: searching, listing, checking and inspecting them. What
//! loads, composes or shows an extension finds and checks it here.

pub(crate) mod check;
pub mod inspect;
mod record;
pub mod search;
pub(crate) mod version;
