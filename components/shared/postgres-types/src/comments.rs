//! Comments of PostgreSQL's on a table or a column: comments of SQLite's in the text of the table.

use std::fmt::Write as _;

const BEGINNING: &str = "/* COMMENT: ";
const END: &str = " */";

/// A comment as the text of a table has it. An asterisk, which could end it, is written as `\a`.
pub fn written(comment: &str) -> String {
    let mut text = BEGINNING.to_owned();
    for character in comment.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '*' => text.push_str("\\a"),
            // SQLite's texts end there.
            '\0' => {}
            other => _ = text.write_char(other),
        }
    }
    text + END
}

/// The comment that a token of SQLite's is; `None` for another one.
pub fn read(token: &str) -> Option<String> {
    let inner = token.strip_prefix(BEGINNING)?.strip_suffix(END)?;
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next()? {
                'a' => '*',
                other => other,
            },
            other => other,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_come_back() {
        for comment in ["x", "it's */ /* BIGINT */ \\a \\", " \n-- \"", "ä"] {
            let text = written(comment);
            assert_eq!(text.matches('*').count(), 2, "{text}");
            assert_eq!(read(&text).as_deref(), Some(comment));
        }
        assert_eq!(read("/* BIGINT */"), None);
        assert_eq!(read("/* COMMENT: x"), None);
    }
}
