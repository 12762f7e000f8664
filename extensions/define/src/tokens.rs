//! SQL tokens by the rules of SQLite's tokenizer, as far as calls and parameters require.
//!
//! Every byte of the text belongs to a token, so that the text can be written again with some
//! tokens replaced. A parser's grammar would lag behind SQLite's; tokens do not change.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// White space or a comment.
    Space,
    /// A name or keyword.
    Word,
    /// A name in `"`, `` ` `` or `[`.
    Quoted,
    /// `?`, `?1`, `:name`, `@name`, `$name`.
    Parameter,
    Open,
    Close,
    Comma,
    /// Numbers, texts, operators.
    Other,
}

/// A token and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

impl Token<'_> {
    /// Whether it is this keyword.
    pub fn is(&self, keyword: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(keyword)
    }

    /// The name, if it is one.
    pub fn name(&self) -> Option<String> {
        match self.kind {
            Kind::Word => Some(self.text.to_owned()),
            Kind::Quoted => {
                let inner = self.text.get(1..self.text.len() - 1)?;
                let quote = &self.text[..1];
                Some(inner.replace(&quote.repeat(2), quote))
            }
            _ => None,
        }
    }
}

/// All tokens of a text.
pub fn tokens(mut sql: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    while let Some(first) = sql.chars().next() {
        let (kind, length) = first_token(sql, first);
        let (text, rest) = sql.split_at(length);
        all.push(Token { kind, text });
        sql = rest;
    }
    all
}

fn first_token(sql: &str, first: char) -> (Kind, usize) {
    let run = |part: fn(char) -> bool| sql[1..].find(|c| !part(c)).map_or(sql.len(), |at| at + 1);
    match first {
        ' ' | '\t' | '\n' | '\x0c' | '\r' => (Kind::Space, 1),
        '-' if sql.starts_with("--") => (Kind::Space, sql.find('\n').unwrap_or(sql.len())),
        '/' if sql.starts_with("/*") => {
            (Kind::Space, sql[2..].find("*/").map_or(sql.len(), |at| at + 4))
        }
        '\'' => (Kind::Other, quoted(sql, '\'')),
        '"' | '`' => (Kind::Quoted, quoted(sql, first)),
        '[' => (Kind::Quoted, sql.find(']').map_or(sql.len(), |at| at + 1)),
        '(' => (Kind::Open, 1),
        ')' => (Kind::Close, 1),
        ',' => (Kind::Comma, 1),
        '?' => (Kind::Parameter, run(|c| c.is_ascii_digit())),
        ':' | '@' | '$' if sql[1..].starts_with(is_in_word) => (Kind::Parameter, run(is_in_word)),
        '0'..='9' => (Kind::Other, run(|c| is_in_word(c) || c == '.')),
        first if is_in_word(first) => {
            let end = sql.find(|c| !is_in_word(c)).unwrap_or(sql.len());
            (Kind::Word, end)
        }
        first => (Kind::Other, first.len_utf8()),
    }
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// The length of quoted text; two quotes in it stand for one.
fn quoted(sql: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(found) = sql[at..].find(quote) {
        at += found + 1;
        if !sql[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    sql.len()
}

/// The parameters of a statement, numbered as SQLite numbers them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// By number, from 1; empty for those without a name.
    names: Vec<String>,
}

impl Parameters {
    /// The parameters of a text.
    pub fn of(sql: &str) -> Self {
        let mut parameters = Self::default();
        for token in tokens(sql).iter().filter(|token| token.kind == Kind::Parameter) {
            parameters.number(token.text);
        }
        parameters
    }

    /// The number of a parameter that occurs in the text.
    pub fn number(&mut self, parameter: &str) -> usize {
        let digits = parameter.strip_prefix('?').unwrap_or_default();
        if let Ok(number) = digits.parse::<u16>() {
            let number = usize::from(number);
            self.names.resize(self.names.len().max(number), String::new());
            return number;
        }
        let is_known = |name: &String| !name.is_empty() && name == parameter;
        if let Some(place) = self.names.iter().position(is_known) {
            return place + 1;
        }
        self.names.push(parameter.trim_start_matches('?').to_owned());
        self.names.len()
    }

    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// By number: the name without its `:`, or the number itself.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (1..).zip(&self.names).map(|(number, name): (usize, _)| match name.get(1..) {
            Some(name) => name.to_owned(),
            None => number.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(sql: &str) -> Vec<(Kind, &str)> {
        let all = tokens(sql);
        assert_eq!(all.iter().map(|token| token.text).collect::<String>(), sql);
        let told = all.into_iter().filter(|token| token.kind != Kind::Space);
        told.map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn quotes_and_comments_hide_what_is_in_them() {
        use Kind::{Other, Quoted, Word};
        assert_eq!(kinds("'f(:x)''' -- f(?)\na"), [(Other, "'f(:x)'''"), (Word, "a")]);
        assert_eq!(kinds("/* ( */[a]]"), [(Quoted, "[a]"), (Other, "]")]);
        assert_eq!(kinds("\"a\"\"b\"`c`"), [(Quoted, "\"a\"\"b\""), (Quoted, "`c`")]);
        assert_eq!(tokens("\"a\"\"b\"")[0].name(), Some("a\"b".into()));
    }

    #[test]
    fn texts_without_an_end_are_one_token() {
        for sql in ["'a", "\"", "[", "`x", "/*", "--", "\u{e4}", "$", ":", "''", "\"\"\""] {
            assert!(kinds(sql).len() <= 1, "{sql}");
            tokens(sql).iter().for_each(|token| drop(token.name()));
        }
    }

    #[test]
    fn numbers_and_words_are_told_apart() {
        use Kind::{Other, Parameter, Word};
        assert_eq!(kinds("1e5 0x1f b2"), [(Other, "1e5"), (Other, "0x1f"), (Word, "b2")]);
        assert_eq!(kinds("?12:a"), [(Parameter, "?12"), (Parameter, ":a")]);
        assert_eq!(kinds("\u{e4}x("), [(Word, "\u{e4}x"), (Kind::Open, "(")]);
    }

    #[test]
    fn parameters_are_numbered_as_sqlite_does() {
        let names = |sql| Parameters::of(sql).names().collect::<Vec<_>>();
        assert_eq!(names("? - ?"), ["1", "2"]);
        assert_eq!(names("?2 - ?1"), ["1", "2"]);
        assert_eq!(names(":x - @y + :x"), ["x", "y"]);
        assert_eq!(names("?3 + ? + :z"), ["1", "2", "3", "4", "z"]);
        assert_eq!(names("':x' + \"?\""), [""; 0]);
    }
}
