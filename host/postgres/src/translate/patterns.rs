//! Patterns of LIKE.

use crate::error::{Error, Result, sqlstate};

/// A pattern of LIKE as one of GLOB.
pub fn glob(pattern: &str, escape: Option<char>) -> Result<String> {
    let mut out = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            c if Some(c) == escape => {
                push_glob(characters.next().ok_or_else(ends_with_escape)?, &mut out);
            }
            '%' => out.push('*'),
            '_' => out.push('?'),
            other => push_glob(other, &mut out),
        }
    }
    Ok(out)
}

fn ends_with_escape() -> Error {
    Error::new(sqlstate::INVALID_ESCAPE, "LIKE pattern must not end with escape character")
}

fn push_glob(character: char, out: &mut String) {
    match character {
        '*' | '?' | '[' => out.extend(['[', character, ']']),
        other => out.push(other),
    }
}
