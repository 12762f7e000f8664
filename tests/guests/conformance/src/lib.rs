//! conformance: every kind of registration and every edge of the contract, for
//! the tests in `tests/extensions/conformance*.rs`. Not shipped.
//!
//! - values: `conf_echo(X)`, `conf_class(X)`, `conf_join(…)`, `conf_edge(NAME)`,
//!   `conf_blob(N)`, `conf_digest(X)`, `conf_arity(…)`
//! - integers and reals as text: `conf_written(X)`; as the kit writes them: `conf_kit(X)`
//! - encodings: `conf_bytes_le(X)`, `conf_bytes_be(X)`, `conf_text_le(X)`,
//!   `conf_text_be(X)`
//! - subtypes: `conf_subtype(X)`, `conf_with_subtype(X, N)`,
//!   `conf_undeclared_subtype(X, N)`
//! - failures: `conf_error(CODE, MESSAGE)`
//! - promises: `conf_stable(X)`, `conf_volatile()`, `conf_direct()`,
//!   `conf_ordinary()`
//! - groups: `conf_list(…)` and `conf_count()`, also with OVER,
//!   `conf_subtypes(X)`, `conf_plain(X)`
//! - collations: `conf_backwards`, `conf_bytes`, `conf_le`, `conf_be`
//! - a tokenizer: `conf_words`
//! - tables: `conf_edges`, `conf_scan` and `conf_scan_by_row`, `conf_wide`,
//!   `conf_store`, `conf_keyed`, `conf_direct_table`
//! - what happened: `conf_log()`, and what is not given back: `conf_alive()`

mod edges;
mod groups;
mod keyed;
mod order;
mod scan;
mod store;
mod values;
mod watch;
mod wide;
mod words;

use sqlite_wasm_kit::Risk::{DirectOnly, Innocuous, Ordinary};
use sqlite_wasm_kit::Stability::{Stable, Volatile};
use sqlite_wasm_kit::TextEncoding::{Utf16Be, Utf16Le};
use sqlite_wasm_kit::{
    ANY_NUMBER, AggregateFunction, Collation, Module, ModuleKind::*, Scalar, Tokenizer,
};

/// The index of `conf_near` in the table, for the tables that overload it.
const NEAR: u32 = 0;

const SCALARS: &[Scalar] = &[
    Scalar::new("conf_near", 2, Stable, Innocuous, |a| a.apply(scan::near)),
    Scalar::new("conf_echo", 1, Stable, Innocuous, |a| a.apply(values::echo)),
    Scalar::new("conf_class", 1, Stable, Innocuous, |a| a.apply(values::class)),
    Scalar::new("conf_join", ANY_NUMBER, Stable, Innocuous, values::join),
    Scalar::new("conf_edge", 1, Stable, Innocuous, |a| a.apply(edges::by_name)),
    Scalar::new("conf_blob", 1, Stable, Innocuous, |a| a.apply(values::blob)),
    Scalar::new("conf_digest", 1, Stable, Innocuous, |a| a.apply(values::digest)),
    Scalar::new("conf_written", 1, Stable, Innocuous, |a| a.apply(values::echo)).numbers_as_text(),
    Scalar::new("conf_kit", 1, Stable, Innocuous, |a| a.apply(values::text)),
    Scalar::new("conf_arity", 0, Stable, Innocuous, |a| a.apply(|| "none")),
    Scalar::new("conf_arity", 1, Stable, Innocuous, |a| a.apply(|| "one")),
    Scalar::new("conf_arity", ANY_NUMBER, Stable, Innocuous, |a| a.apply(|| "many")),
    Scalar::new("conf_bytes_le", 1, Stable, Innocuous, |a| a.apply(values::bytes))
        .encoding(Utf16Le),
    Scalar::new("conf_bytes_be", 1, Stable, Innocuous, |a| a.apply(values::bytes))
        .encoding(Utf16Be),
    Scalar::new("conf_text_le", 1, Stable, Innocuous, |a| a.apply(values::text)).encoding(Utf16Le),
    Scalar::new("conf_text_be", 1, Stable, Innocuous, |a| a.apply(values::text)).encoding(Utf16Be),
    Scalar::new("conf_subtype", 1, Stable, Innocuous, values::subtype).reads_subtypes(),
    Scalar::new("conf_with_subtype", 2, Stable, Innocuous, |a| a.apply(values::with_subtype))
        .gives_subtypes(),
    Scalar::new("conf_undeclared_subtype", 2, Stable, Innocuous, |a| a.apply(values::with_subtype)),
    Scalar::new("conf_error", 2, Stable, Innocuous, |a| a.apply(values::error)),
    Scalar::new("conf_stable", 1, Stable, Innocuous, |a| a.apply(values::counted)),
    Scalar::new("conf_volatile", 0, Volatile, Innocuous, |a| a.apply(watch::next_number)),
    Scalar::new("conf_direct", 0, Volatile, DirectOnly, |a| a.apply(|| "direct")),
    Scalar::new("conf_ordinary", 0, Volatile, Ordinary, |a| a.apply(|| "ordinary")),
    Scalar::new("conf_log", 0, Volatile, Innocuous, |a| a.apply(watch::take_log)),
    Scalar::new("conf_alive", 0, Volatile, Innocuous, |a| a.apply(watch::alive)),
];

const AGGREGATES: &[AggregateFunction] = &[
    AggregateFunction::window::<groups::List>("conf_list", ANY_NUMBER, Stable, Innocuous),
    AggregateFunction::window::<groups::Count>("conf_count", 0, Stable, Innocuous),
    AggregateFunction::new::<groups::Subtypes>("conf_subtypes", 1, Stable, Innocuous)
        .reads_subtypes(),
    AggregateFunction::new::<groups::List>("conf_plain", 1, Stable, Innocuous),
];

const TOKENIZERS: &[Tokenizer] = &[Tokenizer::new("conf_words", words::check, words::tokenize)];

const COLLATIONS: &[Collation] = &[
    Collation::new("conf_backwards", order::backwards),
    Collation::new("conf_bytes", order::bytes),
    Collation::new("conf_le", order::little_endian).encoding(Utf16Le),
    Collation::new("conf_be", order::big_endian).encoding(Utf16Be),
];

const MODULES: &[Module] = &[
    Module::new::<edges::Edges>("conf_edges", EponymousOnly, Innocuous),
    Module::new::<scan::Numbers<{ u32::MAX }>>("conf_scan", Eponymous, Innocuous).overloads(),
    Module::new::<scan::Numbers<1>>("conf_scan_by_row", EponymousOnly, Innocuous).overloads(),
    Module::new::<wide::Wide>("conf_wide", EponymousOnly, Innocuous),
    Module::new::<store::Store>("conf_store", Created, Innocuous)
        .writable()
        .transactions()
        .savepoints()
        .rename()
        .integrity()
        .constraint_support()
        .shadow_names(&["content"]),
    Module::new::<keyed::Keyed>("conf_keyed", Created, Innocuous)
        .writable()
        .shadow_names(&["keys"]),
    Module::new::<wide::Wide>("conf_direct_table", EponymousOnly, DirectOnly),
];

sqlite_wasm_kit::extension! {
    name: "conformance",
    description: "every kind and every edge of the contract",
    scalars: SCALARS,
    aggregates: AGGREGATES,
    tokenizers: TOKENIZERS,
    collations: COLLATIONS,
    modules: MODULES,
}
