//! malformed: answers with memory that no regular component has, for the tests in
//! `tests/fuzz/malformed_replies.rs`. Not shipped.
//!
//! - `corrupt(WHERE, BYTES)`: the next call of the function WHERE answers with
//!   these bytes, as the canonical ABI lays out its result
//! - `corrupt(WHERE, ADDRESS)`: it answers with that address
//! - `corrupt(WHERE, NULL)`: all are valid again
//! - `malformed(X)`: X; the function `call`
//! - `malformed_inline(X)`: X, and NULL for a text of 64 bytes; the functions
//!   `inline` and `inline-pending-result`
//! - `malformed_group(X)`: the last X; `start`, `step`, `finish`, and with OVER
//!   `inverse` and `value`
//! - `malformed_table`: three rows of an integer and a text; the functions of `table`, each by its
//!   name with `table-` in front
//! - its manifest: the bytes of [`MANIFEST`] in the file, where a test has
//!   written some; the function `describe`
#![allow(missing_docs)]

mod raw;
mod valid;
mod wire;

/// The bytes before the manifest's in the file, a flag that a test
/// sets, and room for the record.
#[used]
static MANIFEST: [u8; 96] = *b"malformed-manifest:.............................................................................";

/// Where the flag stands; the record begins behind it, at the next eight bytes.
const FLAG: usize = 24;
