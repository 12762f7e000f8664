//! Names and texts as they are written in SQL.

use alloc::string::String;

/// A name in double quotes.
pub fn quoted_name(name: &str) -> String {
    between('"', name)
}

/// A text in single quotes.
pub fn quoted_text(text: &str) -> String {
    between('\'', text)
}

fn between(quote: char, text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for letter in text.chars() {
        if letter == quote {
            quoted.push(quote);
        }
        quoted.push(letter);
    }
    quoted.push(quote);
    quoted
}
