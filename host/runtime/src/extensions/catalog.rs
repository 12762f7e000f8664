//! The catalog of extensions: searching, listing, checking and inspecting them. Loading, composing
//! and listing find and check extensions here.

pub(super) mod record;
pub mod search;
