//! The kit for authors of SQLite extensions that are WebAssembly components.
//!
//! An extension is a `cdylib` crate that lists with [`extension!`] what it registers. A complete
//! one:
//!
//! ```
//! use sqlite_wasm_kit::{Scalar, Stability::Stable, Risk::Innocuous};
//!
//! const SCALARS: &[Scalar] = &[
//!     Scalar::new("shout", 1, Stable, Innocuous, |arguments| arguments.apply(shout)),
//! ];
//!
//! sqlite_wasm_kit::extension! { name: "shout", description: "loud text", scalars: SCALARS }
//!
//! fn shout(text: String) -> String {
//!     text.to_uppercase() + "!"
//! }
//!
//! // And its test, under `#[test]`:
//! assert_eq!(shout("ah".into()), "AH!");
//! ```
//!
//! The parts: [`Scalar`] functions, [`AggregateFunction`]s by the trait
//! [`Aggregate`] (with [`Window`] also usable with OVER), [`Collation`]s,
//! [`Tokenizer`]s of FTS5, and [`Module`]s by the traits [`Table`] and [`Cursor`]. A component exports only
//! the interfaces of the parts that it lists.
//!
//! With [`Need::Sql`] among its needs an extension can use [`sql`] on the connection that called
//! it.
//!
//! A panic ends the call with an SQL error that shows the panic's message.

mod aggregate;
mod arguments;
mod collation;
mod definition;
mod error;
mod function;
mod number;
#[doc(hidden)]
pub mod provider;
mod scalar;
mod slab;
#[doc(hidden)]
pub mod tokenizer;
mod value;

#[doc(hidden)]
pub mod bindings;
pub mod sql;
pub mod table;

#[doc(hidden)]
pub use aggregate::Running;
pub use aggregate::{Aggregate, AggregateFunction, Window};
pub use arguments::{Apply, Arguments, FromValue, IntoOutput};
pub use collation::Collation;
pub use definition::{Definition, Need};
pub use error::{Error, code};
pub use function::{ANY_NUMBER, Risk, Stability, TextEncoding};
pub use scalar::Scalar;
pub use table::{Cursor, Module, ModuleKind, Table};
pub use tokenizer::{Purpose, Text, Tokenizer, Tokens};
pub use value::{Output, Value};

/// A result, or the error that SQLite reports.
pub type Result<T, E = Error> = std::result::Result<T, E>;
