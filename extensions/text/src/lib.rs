//! text: Unicode text, where SQLite's own functions support only ASCII.
//!
//! - `text_lower(X)`, `text_upper(X)`: X in lower or upper case
//! - `text_casefold(X)`: X for comparisons that ignore case
//! - `text_nfc(X)`, `text_nfd(X)`, `text_nfkc(X)`, `text_nfkd(X)`: X in a
//!   Unicode normal form
//! - `text_unaccent(X)`: X without accents
//! - `text_length(X)`: how many characters X has
//! - `text_reverse(X)`: the characters of X in reverse order
//! - `COLLATE unicode`: ignores case and the form of accents; texts that are not
//!   UTF-8 come last, in the order of their bytes
//!
//! NULL gives NULL. Text that is not UTF-8 is an error.

mod letters;

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Collation, Scalar};

const SCALARS: &[Scalar] = &[
    Scalar::new("text_lower", 1, Stable, Innocuous, |a| a.apply(letters::lower)),
    Scalar::new("text_upper", 1, Stable, Innocuous, |a| a.apply(letters::upper)),
    Scalar::new("text_casefold", 1, Stable, Innocuous, |a| a.apply(letters::fold)),
    Scalar::new("text_nfc", 1, Stable, Innocuous, |a| a.apply(letters::nfc)),
    Scalar::new("text_nfd", 1, Stable, Innocuous, |a| a.apply(letters::nfd)),
    Scalar::new("text_nfkc", 1, Stable, Innocuous, |a| a.apply(letters::nfkc)),
    Scalar::new("text_nfkd", 1, Stable, Innocuous, |a| a.apply(letters::nfkd)),
    Scalar::new("text_unaccent", 1, Stable, Innocuous, |a| a.apply(letters::unaccent)),
    Scalar::new("text_length", 1, Stable, Innocuous, |a| a.apply(letters::length)),
    Scalar::new("text_reverse", 1, Stable, Innocuous, |a| a.apply(letters::reverse)),
];

const COLLATIONS: &[Collation] = &[Collation::new("unicode", letters::compare)];

sqlite_wasm_kit::extension! {
    name: "text",
    description: "Unicode text, where SQLite's own functions support only ASCII",
    scalars: SCALARS,
    collations: COLLATIONS,
}
