//! The first words of a statement, as SQLite's tokenizer finds them.

/// A word: a keyword or name, a quoted name, or any other single character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    text: &'a str,
    /// Written in quotes or brackets: a name, never a keyword.
    is_quoted: bool,
    /// In the quotes of a string.
    is_string: bool,
}

/// Characters of a word that a message shows at most.
const MAX_SHOWN: usize = 32;

impl<'a> Word<'a> {
    /// Whether it is this keyword.
    pub fn is(&self, keyword: &str) -> bool {
        !self.is_quoted && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Whether it is this name, quoted or not.
    pub fn names(&self, name: &str) -> bool {
        self.text.eq_ignore_ascii_case(name)
    }

    /// Whether it is one of these strings. `"x"` is none, but may be a name.
    pub fn is_string_of(&self, texts: &[&str]) -> bool {
        self.is_string && texts.contains(&self.text)
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Its beginning, for a message.
    pub fn shown(&self) -> String {
        self.text.chars().take(MAX_SHOWN).collect()
    }
}

/// The words of a text from its beginning.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    rest: &'a str,
    is_first: bool,
}

impl<'a> Words<'a> {
    pub fn new(sql: &'a str) -> Self {
        Self { rest: sql, is_first: true }
    }

    /// What follows the words so far.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// The text from the next word on: without white space and comments, and before the first
    /// word without semicolons.
    fn skipped(&self) -> &'a str {
        let mut rest = self.rest;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\x0c', '\r', '\u{feff}']);
            rest = if let Some(comment) = rest.strip_prefix("--") {
                comment.find('\n').map_or("", |end| &comment[end..])
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or("", |end| &comment[end + 2..])
            } else if self.is_first && rest.starts_with(';') {
                &rest[1..]
            } else {
                return rest;
            };
        }
    }

    /// The next word, if any; a semicolon is one.
    pub fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.skipped();
        self.is_first = false;
        let first = rest.chars().next()?;
        let (word, end) = match first {
            '"' | '`' | '\'' => quoted(rest, first),
            '[' => quoted(rest, ']'),
            _ => plain(rest, first),
        };
        self.rest = &rest[end..];
        Some(word)
    }
}

/// A word in quotes, and where it ends. One with a quote inside keeps it, and so names nothing
/// that is allowed.
fn quoted(rest: &str, close: char) -> (Word<'_>, usize) {
    let inside = &rest[1..];
    let end = inside.find(close).unwrap_or(inside.len());
    let is_string = close == '\'';
    (Word { text: &inside[..end], is_quoted: true, is_string }, (end + 2).min(rest.len()))
}

fn plain(rest: &str, first: char) -> (Word<'_>, usize) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    let end = match is_part(first) {
        true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
        false => first.len_utf8(),
    };
    (Word { text: &rest[..end], is_quoted: false, is_string: false }, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sql: &str) -> Vec<&str> {
        let mut words = Words::new(sql);
        std::iter::from_fn(|| words.next()).map(|word| word.text).collect()
    }

    #[test]
    fn words_are_found_between_comments() {
        assert_eq!(words(";; a/* ; */.\"b c\"=-- x\n[d] ;"), ["a", ".", "b c", "=", "d", ";"]);
        assert_eq!(words("/*/ a */ b"), ["b"]);
        assert_eq!(words("/* a"), [] as [&str; 0]);
        assert_eq!(words("'a"), ["a"]);
        assert_eq!(words("é+"), ["é", "+"]);
    }
}
