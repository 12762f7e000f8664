//! `compose`: programs with extensions in them.

#[path = "../support/mod.rs"]
mod support;

mod command;
mod distribution;
mod frozen;
mod hostile;
mod malicious;
