//! The shell as a user runs it: its command line, its input and output, the terminal,
//! the scripts of `cli-smokes`, and the artifacts that it is started from.

#[path = "../support/mod.rs"]
mod support;

mod artifacts;
mod cache;
mod command_line;
mod compilers;
mod console;
mod decoy;
mod descriptors;
mod doctor;
mod documents;
mod precompiled;
mod smokes;
mod streams;
mod terminal;
mod terminal_restored;
