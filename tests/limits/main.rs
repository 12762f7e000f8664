//! Limits of memory, time, stack and address space.
//!
//! Peaks of memory are measured here (`support/measured.rs`), and a child is charged with what
//! this process had when it started the child: tests that hold much memory are elsewhere.

#[path = "../support/mod.rs"]
mod support;

mod address_space;
mod compile_helper;
mod depth;
mod host_memory;
mod options;
mod sizes;
