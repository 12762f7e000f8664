//! Definitions that stay what they are in PostgreSQL. `pg_dump` writes the texts of expressions and queries as they are, and
//! whoever restores that runs it. The texts come from everybody who may write the schema, by any client, and SQLite ends
//! tokens elsewhere: its comments have no comments in them, and a backslash is a character like any other.
//!
//! A text that would end before its end there, or go on behind it, is shown in quotes, as a name: PostgreSQL refuses that.

use sql_tokens::{Dialect, Kind, Token, Tokens, quoted_name};

/// Characters of operators and between operands. A backslash begins a command of psql, and `;` ends a statement.
const SYMBOLS: &[u8] = b"()[],.:=<>+-*/%^|&~!@#?";

/// The words behind the first one of the name of a type.
const TYPE_WORDS: [&str; 6] = ["precision", "varying", "with", "without", "time", "zone"];

/// An expression for use within parentheses.
pub fn expression(text: &str) -> String {
    closed(text).unwrap_or_else(|| quoted_name(text))
}

/// An expression for use without parentheses, such as behind DEFAULT: in parentheses unless it needs none.
pub fn element(text: &str) -> String {
    let text = expression(text);
    if is_plain(&text) { text } else { format!("({text})") }
}

/// A query.
pub fn query(text: &str) -> String {
    closed(text).unwrap_or_else(|| format!("SELECT {}", quoted_name(text)))
}

fn words(text: &str) -> Vec<Token<'_>> {
    Tokens::new(text, Dialect::Postgres).filter(|token| token.kind != Kind::Space).collect()
}

/// The text without its comments, where PostgreSQL and psql find in it whole tokens of one expression.
fn closed(text: &str) -> Option<String> {
    let (mut safe, mut open) = (String::with_capacity(text.len()), Vec::new());
    let mut tokens = Tokens::new(text, Dialect::Postgres).peekable();
    let mut string = None;
    while let Some(token) = tokens.next() {
        match token.kind {
            Kind::Space if token.text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n')) => {}
            Kind::Space if is_ambiguous(token.text) => return None,
            Kind::Space => {
                safe.push(' ');
                continue;
            }
            // A string of another line goes on with the escapes of the one before.
            Kind::Text
                if string.is_some_and(|before| has_escapes(before) || has_escapes(token.text)) =>
            {
                return None;
            }
            Kind::Word | Kind::Name | Kind::Text | Kind::Number => {}
            Kind::Symbol(symbol) if SYMBOLS.contains(&symbol) => match symbol {
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b')' | b']' => _ = open.pop().filter(|wanted| *wanted == symbol)?,
                _ => {}
            },
            _ => return None,
        }
        safe.push_str(token.text);
        if token.text == ":" {
            match tokens.peek().map(|next| next.kind) {
                Some(Kind::Symbol(b':')) => safe.extend(tokens.next().map(|_| ':')),
                // Without a space it is a variable of psql.
                Some(Kind::Word | Kind::Name | Kind::Text) => safe.push(' '),
                _ => {}
            }
        }
        if token.kind != Kind::Space {
            string = (token.kind == Kind::Text).then_some(token.text);
        }
    }
    open.is_empty().then(|| safe.trim().to_owned()).filter(|safe| !safe.is_empty())
}

/// Whether a comment ends elsewhere for SQLite, which has no comments in comments.
fn is_ambiguous(space: &str) -> bool {
    space.strip_prefix("/*").is_some_and(|rest| rest.contains("/*") || !rest.ends_with("*/"))
}

fn has_escapes(string: &str) -> bool {
    string.contains('\\')
}

/// Whether an expression is a literal, a name or a call, with a type behind it or without.
fn is_plain(text: &str) -> bool {
    let tokens = words(text);
    let mut rest = match &tokens[..] {
        [sign, rest @ ..] if sign.is("-") || sign.is("+") => rest,
        all => all,
    };
    match rest {
        [first, after @ ..] if matches!(first.kind, Kind::Number | Kind::Text) => rest = after,
        [first, ..] if first.name().is_some() => {
            rest = &rest[1..];
            while let [point, name, after @ ..] = rest
                && point.is(".")
                && name.name().is_some()
            {
                rest = after;
            }
            rest = behind_group(rest);
        }
        [open, ..] if open.is("(") => rest = behind_group(rest),
        _ => return false,
    }
    while let [one, other, name, after @ ..] = rest
        && one.is(":")
        && other.is(":")
        && name.name().is_some()
    {
        let more = after.iter().take_while(|token| TYPE_WORDS.iter().any(|word| token.is(word)));
        rest = behind_group(&after[more.count()..]);
        let more = rest.iter().take_while(|token| TYPE_WORDS.iter().any(|word| token.is(word)));
        rest = behind_group(&rest[more.count()..]);
    }
    rest.is_empty()
}

/// What follows the parentheses or brackets with which tokens begin.
fn behind_group<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let is_open = |token: &Token<'_>| token.is("(") || token.is("[");
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if is_open(token) {
            depth += 1;
        } else if token.is(")") || token.is("]") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return if at == 0 { tokens } else { &tokens[at + 1..] };
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_stay_as_they_are() {
        for text in [
            "a > 0",
            "lower('it''s \\')",
            "E'\\'' || $x$ ; \\ $x$",
            "a::numeric(8,2) <> '{1}'::int[]",
            "\"a;\"\"b\" ~ '^[;]'",
            "x[1:2] @> ARRAY['a']\n  AND b",
            "U&'\\0041'",
        ] {
            assert_eq!(expression(text), text);
            assert_eq!(query(text), text);
        }
        for (text, safe) in [
            ("a -- ; b\n> 0", "a  \n> 0"),
            ("a /* ; \\ */ + 1", "a   + 1"),
            ("x[1:n]", "x[1: n]"),
            ("a::text", "a::text"),
            (":::USER", "::: USER"),
            (":'HOME'", ": 'HOME'"),
            ("a\r\n+ 1", "a + 1"),
        ] {
            assert_eq!(expression(text), safe);
        }
    }

    #[test]
    fn what_would_not_end_there_is_a_name() {
        for text in [
            "",
            "/* x */",
            "1; DROP TABLE t",
            "1) ; (1",
            "1), CHECK (2",
            "(1",
            "[1)",
            "1 /* /* */",
            "1 /* /* */ */",
            "1 /* /* */ + 2 -- */ */\n + 3",
            "1 /*/",
            "'a",
            "\"a",
            "$x$ $y$",
            "E'\\'",
            "E'a'\n'b\\'' ; DROP TABLE t; -- '",
            "E'a' /* */\n'b\\'' || '",
            "\\! id",
            "a\0b",
            "$1",
            "{}",
            "`a`",
            "1a",
        ] {
            assert_eq!(expression(text), quoted_name(text));
            assert_eq!(query(text), format!("SELECT {}", quoted_name(text)));
        }
    }

    #[test]
    fn elements_are_in_parentheses_unless_they_are_plain() {
        for text in [
            "1",
            "-1.5",
            "'a'::text",
            "now()",
            "CURRENT_TIMESTAMP",
            "nextval('public.s'::regclass)",
            "'{}'::timestamp(3) without time zone[]",
            "'x'::character varying(5)",
            "pg_catalog.lower('X')",
            "(1 + 2)",
            "(1 + 2)::bigint",
            "ARRAY[1, 2]::int[]",
            "'1'::double precision",
        ] {
            assert_eq!(element(text), text);
        }
        for text in [
            "1 + 2",
            "1, b int",
            "1 NOT NULL",
            "'a'::text UNIQUE",
            "(1) + (2)",
            "now() AT TIME ZONE 'utc'",
            "interval '1 day'",
            "1 CHECK (false)",
            "f(1)(2)",
        ] {
            assert_eq!(element(text), format!("({text})"));
        }
        assert_eq!(element("1; 2"), "\"1; 2\"");
    }

    /// Texts of what is special anywhere.
    #[test]
    fn any_text_ends_where_it_ends() {
        const PARTS: [&str; 24] = [
            "'", "''", "\"", "\\", "\\'", ";", "(", ")", "[", "]", "/*", "*/", "--", "\n", "\r",
            "$$", "$a$", "E'", "U&'", ":", "a", "1", " ", ",",
        ];
        arbtest::arbtest(|u| {
            let mut text = String::new();
            for _ in 0..u.int_in_range(0..=14)? {
                text.push_str(u.choose(&PARTS)?);
            }
            let shown = format!("({}) ; x", expression(&text));
            // The statement ends at the one semicolon that is outside everything.
            let ends = words(&shown).iter().filter(|token| token.text == ";").count();
            assert_eq!(ends, 1, "{text} {shown}");
            assert!(
                words(&shown).iter().all(|token| token.kind != Kind::Illegal),
                "{text} {shown}"
            );
            element(&text);
            Ok(())
        });
    }
}
