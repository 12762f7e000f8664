//! Extensions of others: sources, installing, updating, and what a source may not do.

#[path = "../support/mod.rs"]
mod support;

mod attacks;
mod install;
mod network;
mod publisher;
mod registry;
mod server;
