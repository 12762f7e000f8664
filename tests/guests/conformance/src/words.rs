//! A tokenizer as FTS5's `ascii`, and what FTS5 passes to it.
//!
//! With the word `synonyms`, each token has its bytes in reverse as a synonym, in documents; with
//! `watch`, a table has one token for each text: its purpose and its locale.

use sqlite_wasm_kit::{Purpose, Result, Text, Tokens};

const WORDS: [&str; 2] = ["synonyms", "watch"];

pub fn check(words: &[&str]) -> Result<()> {
    match words.iter().find(|word| !WORDS.contains(word)) {
        None => Ok(()),
        Some(word) => Err(format!("`{word}` is not known").into()),
    }
}

pub fn tokenize(text: &Text<'_>, tokens: &mut Tokens) -> Result<()> {
    if text.words.contains(&"watch") {
        let seen = format!("{:?}:{}", text.purpose, text.locale.unwrap_or("none"));
        return tokens.add(seen.to_lowercase(), 0, text.bytes.len());
    }
    let has_synonyms = text.words.contains(&"synonyms") && text.purpose == Purpose::Document;
    let is_in_token = |byte: &u8| !byte.is_ascii() || byte.is_ascii_alphanumeric();
    let mut end = 0;
    while let Some(skipped) = text.bytes[end..].iter().position(is_in_token) {
        let start = end + skipped;
        let length = text.bytes[start..].iter().position(|byte| !is_in_token(byte));
        end = length.map_or(text.bytes.len(), |length| start + length);
        let mut token = text.bytes[start..end].to_ascii_lowercase();
        tokens.add(&token, start, end)?;
        if has_synonyms {
            token.reverse();
            tokens.add_synonym(&token, start, end)?;
        }
    }
    Ok(())
}
