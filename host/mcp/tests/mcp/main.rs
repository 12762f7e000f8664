//! The server for agents, as a program, by its protocol.

mod attacks;
mod audit;
mod bypasses;
mod http;
mod leaks;
mod lists;
mod protocol;
mod support;
mod tools;
mod write;
