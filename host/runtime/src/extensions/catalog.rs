//! The extensions that there are: searching, listing, checking and inspecting them. What
//! loads, composes or shows an extension finds and checks it here.

pub(super) mod record;
pub mod search;
