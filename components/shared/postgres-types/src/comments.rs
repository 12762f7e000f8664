//! What comments in SQLite's definitions say: PostgreSQL's comments on tables and columns, and the text of an expression
//! or a query before it was translated.

const COMMENT: &str = "/* COMMENT: ";
const SOURCE: &str = "/* SQL ";
const END: &str = " */";

/// A comment as the text of a table has it.
pub fn written(comment: &str) -> String {
    format!("{COMMENT}{}{END}", escaped(comment))
}

/// The comment that a token of SQLite's is; `None` for another one.
pub fn read(token: &str) -> Option<String> {
    unescaped(token.strip_prefix(COMMENT)?.strip_suffix(END)?)
}

/// A translated expression or query, behind the text that the client has sent. SQLite changes names in the
/// translation alone (RENAME), so the comment has its hash and counts only as long as both belong together.
pub fn sourced(source: &str, translated: &str) -> String {
    format!("{SOURCE}{:08x}: {}{END} {translated}", hash(translated), escaped(source))
}

/// Whether a token of SQLite's is a comment that [`sourced`] writes.
pub fn is_source(token: &str) -> bool {
    token.starts_with(SOURCE) && token.ends_with(END)
}

/// What a client has sent for such a text; otherwise the text without the comment.
pub fn source(text: &str) -> String {
    let translated = parts(text).map_or(text, |(_, translated)| translated);
    kept(text).unwrap_or_else(|| translated.trim().to_owned())
}

/// What a client has sent for a text that begins with the comment, where both belong together.
pub fn kept(text: &str) -> Option<String> {
    let (comment, translated) = parts(text)?;
    let (known, source) = comment.split_once(": ")?;
    unescaped(source).filter(|_| known == format!("{:08x}", hash(translated)))
}

/// What is in the comment that a text begins with, and what follows.
fn parts(text: &str) -> Option<(&str, &str)> {
    text.trim().strip_prefix(SOURCE)?.split_once(END)
}

/// FNV-1a.
fn hash(text: &str) -> u32 {
    text.trim()
        .bytes()
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// An asterisk, which could end a comment, is written as `\a`.
fn escaped(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    for character in comment.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '*' => text.push_str("\\a"),
            // SQLite's texts end there.
            '\0' => {}
            other => text.push(other),
        }
    }
    text
}

fn unescaped(inner: &str) -> Option<String> {
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

    #[test]
    fn sources_belong_to_their_translations() {
        for (one, two) in [("b LIKE 'a%' /* x */", "b GLOB 'a*'"), ("\\ */", "x"), ("", "")] {
            let text = sourced(one, two);
            assert_eq!(source(&text), one);
            assert_eq!(source(&format!(" {text}\n")), one);
            assert_eq!(source(&format!("{text} AND c")), format!("{two} AND c").trim());
        }
        assert_eq!(source(" a > 1 "), "a > 1");
        assert_eq!(source("/* SQL x */ a"), "a");
        assert_eq!(source("/* SQL 1: a"), "/* SQL 1: a");
    }
}
