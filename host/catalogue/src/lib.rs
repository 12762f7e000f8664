//! The catalogue of extensions: what a source offers, and what a user or a project has taken
//! from it. All of this is data: nothing here reads a file or uses the network.
//!
//! A source is a directory, a server or a registry. It has one [`index`], signed with the key of
//! the source, and the files that the index names by their SHA-256. So one signature covers each
//! name, version, byte and need, and a source cannot mix entries of two indexes.

pub mod index;
pub mod location;
pub mod names;
pub mod pins;
pub mod request;
pub mod sources;
