//! snowball: tokenizers for FTS5, of the words of Unicode, stemmed in eighteen languages.
//!
//! ```sql
//! CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'unicode_words');
//! CREATE VIRTUAL TABLE u USING fts5(x, tokenize = 'snowball german english');
//! ```
//!
//! - `unicode_words`: words by Unicode's rules (UAX #29), in lower case, without diacritics
//! - `snowball LANGUAGE …`: the same, each stemmed by the first of the languages that changes it
//! - `snowball_stem(LANGUAGE, WORD)`: the stem of a word, in lower case, with its diacritics
//! - `snowball_languages`: a table of the languages
//!
//! With the word `keep_diacritics` both tokenizers keep them.

mod languages;
mod stems;
mod words;

use languages::Languages;
use sqlite_wasm_kit::ModuleKind::EponymousOnly;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Module, Result, Scalar, Text, Tokenizer, Tokens};
use stems::Stems;

const SCALARS: &[Scalar] =
    &[Scalar::new("snowball_stem", 2, Stable, Innocuous, |a| a.apply(snowball_stem))];

const TOKENIZERS: &[Tokenizer] = &[
    Tokenizer::new("unicode_words", check_words, tokenize_words),
    Tokenizer::new("snowball", check_stems, tokenize_stems),
];

const MODULES: &[Module] =
    &[Module::new::<Languages>("snowball_languages", EponymousOnly, Innocuous)];

sqlite_wasm_kit::extension! {
    name: "snowball",
    description: "tokenizers for FTS5: words of Unicode, stemmed",
    scalars: SCALARS,
    tokenizers: TOKENIZERS,
    modules: MODULES,
}

const KEEP_DIACRITICS: &str = "keep_diacritics";

fn check_words(options: &[&str]) -> Result<()> {
    match options {
        [] | [KEEP_DIACRITICS] => Ok(()),
        _ => Err(format!("unicode_words: only the word `{KEEP_DIACRITICS}` is known").into()),
    }
}

fn tokenize_words(text: &Text<'_>, tokens: &mut Tokens) -> Result<()> {
    tokenize(text, tokens, |word| word)
}

fn check_stems(options: &[&str]) -> Result<()> {
    let (kept, languages): (Vec<&str>, Vec<&str>) =
        options.iter().partition(|option| **option == KEEP_DIACRITICS);
    if kept.len() > 1 {
        return Err(format!("snowball: `{KEEP_DIACRITICS}` is given twice").into());
    }
    Stems::of(&languages).map(drop)
}

fn tokenize_stems(text: &Text<'_>, tokens: &mut Tokens) -> Result<()> {
    let languages: Vec<&str> =
        text.words.iter().copied().filter(|word| *word != KEEP_DIACRITICS).collect();
    let stems = Stems::of(&languages)?;
    tokenize(text, tokens, |word| stems.stem(word))
}

/// Each word of the text becomes a token, by `stem`, which gets it in lower case with diacritics: in
/// many languages they distinguish endings.
fn tokenize(text: &Text<'_>, tokens: &mut Tokens, stem: impl Fn(String) -> String) -> Result<()> {
    let keeps_diacritics = text.words.contains(&KEEP_DIACRITICS);
    words::of_bytes(text.bytes).try_for_each(|(start, word)| {
        let token = stem(words::lower(word));
        let token = if keeps_diacritics { token } else { words::without_diacritics(token) };
        tokens.add(token, start, start + word.len())
    })
}

fn snowball_stem(language: String, word: String) -> Result<String> {
    Ok(Stems::of(&[&language])?.stem(words::lower(&word)))
}

#[cfg(test)]
mod tests;
