//! Tests of the program in `target/release`.

mod attacks;
mod both_lists;
mod checkpoints;
mod clients;
mod conflicts;
mod crashes;
mod cursors;
mod hrana;
mod limits;
mod load;
mod long_calls;
mod neighbours;
mod only_reads;
mod postgres;
mod roles;
mod schema;
mod sessions;
mod start;
mod support;
mod tls;
mod waits;
mod websocket;
mod wire;
mod wire_refusals;
mod wire_roles;
mod wire_types;
