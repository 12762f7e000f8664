//! sha3: SHA-3 hashes, compatible with SQLite's shathree.
//!
//! - `sha3(X)`, `sha3(X, SIZE)`: the hash of X as a BLOB; NULL if X is NULL. SIZE is 224, 256, 384
//!   or 512 bits, and 256 if omitted. Text is hashed as its bytes in UTF-8, an integer or real as
//!   its text
//! - `sha3_224(X)`, `sha3_256(X)`, `sha3_384(X)`, `sha3_512(X)`: the same
//! - `sha3_agg(X)`, `sha3_agg(X, SIZE)`: one hash of all X of a group, which distinguishes NULL,
//!   integers, reals, text and blobs; another SIZE means 256. NULL if there are no rows
//!
//! `sha3_query` is in the extension `sha3query`, since it needs SQL.

use sha3_hash::{Running, Size};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{
    Aggregate, AggregateFunction, Arguments, Error, IntoOutput, Output, Scalar, Value,
};

const SCALARS: &[Scalar] = &[
    hash_of("sha3", 1, |a| a.apply(sha3_256)),
    hash_of("sha3", 2, |a| a.apply(sha3)),
    hash_of("sha3_224", 1, |a| a.apply(sha3_224)),
    hash_of("sha3_256", 1, |a| a.apply(sha3_256)),
    hash_of("sha3_384", 1, |a| a.apply(sha3_384)),
    hash_of("sha3_512", 1, |a| a.apply(sha3_512)),
];

/// A hash of one value: for an integer or real, the hash of its text.
const fn hash_of(
    name: &'static str,
    arguments: i8,
    call: fn(Arguments<'_>) -> Result<Output, Error>,
) -> Scalar {
    Scalar::new(name, arguments, Stable, Innocuous, call).numbers_as_text()
}

const AGGREGATES: &[AggregateFunction] = &[
    AggregateFunction::new::<Group>("sha3_agg", 1, Stable, Innocuous),
    AggregateFunction::new::<Group>("sha3_agg", 2, Stable, Innocuous),
];

sqlite_wasm_kit::extension! {
    name: "sha3",
    description: "SHA-3 hashes, compatible with SQLite's shathree",
    scalars: SCALARS,
    aggregates: AGGREGATES,
}

/// The size is checked first, so that a wrong one fails for NULL too.
fn sha3(content: Option<Vec<u8>>, size: Value) -> Result<Option<Vec<u8>>, Error> {
    let size =
        Size::from_bits(size.to_integer()).ok_or("sha3: size must be 224, 256, 384 or 512")?;
    Ok(content.map(|content| hash(size, &content)))
}

fn sha3_224(content: Vec<u8>) -> Vec<u8> {
    hash(Size::Bits224, &content)
}

fn sha3_256(content: Vec<u8>) -> Vec<u8> {
    hash(Size::Bits256, &content)
}

fn sha3_384(content: Vec<u8>) -> Vec<u8> {
    hash(Size::Bits384, &content)
}

fn sha3_512(content: Vec<u8>) -> Vec<u8> {
    hash(Size::Bits512, &content)
}

fn hash(size: Size, content: &[u8]) -> Vec<u8> {
    let mut running = Running::new(size);
    running.update(content);
    running.finish()
}

/// `sha3_agg` in progress; the first row says the size.
#[derive(Default)]
struct Group(Option<Running>);

impl Aggregate for Group {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        let (value, size) = (row.take(0), row.take(1));
        let running = self.0.get_or_insert_with(|| {
            Running::new(Size::from_bits(size.to_integer()).unwrap_or(Size::Bits256))
        });
        running.value(&value);
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.map(Running::finish))
    }
}

#[cfg(test)]
mod tests;
