//! ann: nearest neighbours of vectors, by an index that is stored in the database.
//!
//! ```sql
//! CREATE VIRTUAL TABLE v USING ann(embedding float[384] distance=cosine,
//!     +title text, category text, price real);
//! INSERT INTO v(rowid, embedding, title, category, price) VALUES (1, '[…]', 'One', 'a', 2.5);
//! SELECT rowid, title, distance FROM v
//!     WHERE embedding MATCH ? AND k = 10 AND category = 'a' AND price < 5 ORDER BY distance;
//! ```
//!
//! - `NAME float[N]`: the vector, with 1 to 8192 dimensions; it is written as a blob of
//!   32-bit reals or a JSON array, and read as a blob. `distance=l2` (the default),
//!   `cosine` or `ip` (minus the inner product) may follow
//! - `NAME TYPE`: a column to filter by, with an index; `+NAME TYPE`: one that is only
//!   returned
//! - `quantize=none`: store vectors whole; `int8`: a byte for each component;
//!   `binary`: a bit for each, with the count of differing signs as the distance
//! - `m=16`: links of a node, 4 to 64; `ef_construction=200`: nodes that are kept while
//!   a node is linked, 8 to 2000
//! - `MATCH` with `k = …` or LIMIT: the nearest rows; `ef = …`: nodes that the search
//!   keeps, more for a better result; `exact = 1`: compare with all rows. Conditions on
//!   the row id and the filter columns (`=`, `<`, `IN`, `IS NULL`, …) hold for the rows
//!   that are searched; SQLite applies other conditions to the rows that were found
//! - `INSERT INTO v(v) VALUES ('rebuild')`: link all rows anew; `'optimize'`: link those
//!   that wait. Both end after some thousand rows; rows that wait are found all the same
//! - `ann_build(TABLE)`: link all rows that wait; a row of `linked` and `total` for every
//!   500, so that it shows progress and can be interrupted
//! - `hybrid(FTS_TABLE, VECTOR_TABLE, TEXT, VECTOR, K, METHOD)`: the best rows of a search
//!   by words (FTS5) and by vector (ann or vec0): `rowid`, `score`, `bm25`, `distance`.
//!   METHOD is `rrf`, reciprocal rank fusion (the default), or `weighted` or
//!   `weighted:0.7`, with the share of the words
//! - `vec_f32(VECTOR)`: a vector as a blob
//!
//! Up to 10,240 rows are searched by comparing all, more by a graph (HNSW). Insertions,
//! changes and the graph belong to the transaction; `PRAGMA integrity_check` checks them.

mod arguments;
mod build;
mod cache;
mod code;
mod cursor;
mod graph;
mod hybrid;
mod index;
mod inputs;
mod integrity;
mod kernels;
mod plan;
mod ranking;
mod registry;
mod search;
mod storage;
mod table;
mod vector;

use build::BuildTable;
use hybrid::HybridTable;
use sqlite_wasm_kit::ModuleKind::{Created, EponymousOnly};
use sqlite_wasm_kit::Risk::{DirectOnly, Innocuous, Ordinary};
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Module, Need, Result, Scalar, Value};
use storage::SHADOW_NAMES;
use table::AnnTable;

const SCALARS: &[Scalar] =
    &[Scalar::new("vec_f32", 1, Stable, Innocuous, |arguments| arguments.apply(vec_f32))];

const MODULES: &[Module] = &[
    Module::new::<AnnTable>("ann", Created, Ordinary)
        .writable()
        .transactions()
        .savepoints()
        .rename()
        .integrity()
        .constraint_support()
        .shadow_names(SHADOW_NAMES),
    // They act on tables that a hostile schema could name.
    Module::new::<BuildTable>("ann_build", EponymousOnly, DirectOnly),
    Module::new::<HybridTable>("hybrid", EponymousOnly, DirectOnly),
];

sqlite_wasm_kit::extension! {
    name: "ann",
    description: "nearest neighbours of vectors, by an index in the database",
    scalars: SCALARS,
    modules: MODULES,
    needs: &[Need::Sql],
}

/// A vector as a blob; JSON becomes one.
fn vec_f32(value: Value) -> Result<Option<Vec<u8>>> {
    match value {
        Value::Null => Ok(None),
        value => vector::parse(&value).map(|vector| Some(vector::bytes(&vector))),
    }
}
