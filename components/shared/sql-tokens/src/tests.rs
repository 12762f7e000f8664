//! Tokens of both dialects.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::Dialect::{self, Postgres, Sqlite};
use crate::Kind::{Blob, Illegal, Name, Number, Parameter, Space, Text, Word};
use crate::{Kind, Token, Tokens, first_word, from_first_word, quoted_name, quoted_text};

/// The tokens of a text without white space.
fn kinds(sql: &str, dialect: Dialect) -> Vec<(Kind, &str)> {
    let words = Tokens::new(sql, dialect).filter(|token| token.kind != Space);
    words.map(|token| (token.kind, token.text)).collect()
}

fn only(sql: &str, dialect: Dialect) -> Token<'_> {
    let mut tokens = Tokens::new(sql, dialect);
    let token = tokens.next().unwrap();
    assert_eq!(tokens.rest(), "", "{sql}");
    token
}

#[test]
fn quotes_and_comments_hide_their_content() {
    for dialect in [Sqlite, Postgres] {
        assert_eq!(kinds("'f(:x)''' -- f(?)\na", dialect), [(Text, "'f(:x)'''"), (Word, "a")]);
        assert_eq!(kinds("/* ' */\"a\"\"b\"", dialect), [(Name, "\"a\"\"b\"")]);
        assert_eq!(kinds("--", dialect), []);
    }
    assert_eq!(kinds("/* ( */[a]]`c`", Sqlite)[..2], [(Name, "[a]"), (Illegal, "]")]);
    assert_eq!(kinds("/* a /* b */ c */ d", Postgres), [(Word, "d")]);
    assert_eq!(kinds("/* a /* b */ c", Sqlite), [(Word, "c")]);
    assert_eq!(kinds("/*/ a */ b", Sqlite), [(Word, "b")]);
    assert_eq!(kinds("E'\\''", Postgres), [(Text, "E'\\''")]);
    assert_eq!(kinds("E'\\'", Sqlite), [(Word, "E"), (Text, "'\\'")]);
    assert_eq!(kinds("$a$;$b$;$a$", Postgres), [(Text, "$a$;$b$;$a$")]);
}

#[test]
fn quotes_without_an_end_are_illegal() {
    for sql in ["'a", "\"", "''''''' ; x"] {
        assert_eq!([only(sql, Sqlite).kind, only(sql, Postgres).kind], [Illegal; 2], "{sql}");
    }
    for sql in ["[a", "`a", "x'0'", "x'0g'", "x'00", "$", ":", ":a(b", "1a", "0x", "\0", "{"] {
        assert_eq!(only(sql, Sqlite).kind, Illegal, "{sql}");
    }
    for sql in ["E'\\'", "$$ $ ", "$a$ $b$"] {
        assert_eq!(only(sql, Postgres).kind, Illegal, "{sql}");
    }
    // SQLite takes a comment that begins at the end for two operators.
    assert_eq!(kinds("/*", Sqlite).len(), 2);
    assert_eq!([kinds("/* ", Sqlite).len(), kinds("/*", Postgres).len()], [0, 0]);
}

#[test]
fn white_space_is_that_of_the_dialect() {
    assert_eq!(kinds("\u{feff}a\u{feff}", Sqlite), [(Word, "a\u{feff}")]);
    assert_eq!(kinds("\u{feff}a", Postgres), [(Word, "\u{feff}a")]);
    assert_eq!(kinds(" \x0ba", Sqlite), [(Word, "a")]);
    assert_eq!(kinds("\x0ba", Sqlite), [(Illegal, "\x0b"), (Word, "a")]);
    assert_eq!(kinds("\x0ba", Postgres), [(Word, "a")]);
}

#[test]
fn numbers_are_one_token() {
    for dialect in [Sqlite, Postgres] {
        for number in ["1", "1_000", "1.", ".5", "1.5e-7", "1E+2", "0x1F_f", "5e1"] {
            assert_eq!(only(number, dialect).kind, Number, "{number}");
        }
        assert_eq!(kinds("1e", dialect), [(Illegal, "1e")]);
        assert_eq!(kinds("a.b-1", dialect).len(), 5);
    }
}

#[test]
fn parameters_are_those_of_the_dialect() {
    for sql in ["?", "?12", ":a", "@a", "#a", "$a", "$a::b(c d", ":1"] {
        let first = kinds(sql, Sqlite)[0];
        assert_eq!(first.0, if sql.contains('(') { Illegal } else { Parameter }, "{sql}");
    }
    assert_eq!(only("$a::b(c,d)", Sqlite).kind, Parameter);
    assert_eq!(only("x'0aF0'", Sqlite).kind, Blob);
    assert_eq!(kinds("$12a", Postgres), [(Parameter, "$12"), (Word, "a")]);
    assert_eq!(kinds("a$1", Postgres), [(Word, "a$1")]);
    assert_eq!(kinds("?::x", Postgres).len(), 4);
}

#[test]
fn quotes_are_removed_and_added() {
    let unquoted = |sql| only(sql, Sqlite).unquoted().to_string();
    assert_eq!(unquoted("\"a\"\"b\""), "a\"b");
    assert_eq!(unquoted("''''''"), "''");
    assert_eq!([unquoted("`a```"), unquoted("[a`b]"), unquoted("a")], ["a`", "a`b", "a"]);
    assert_eq!([unquoted("\"a"), unquoted("[a"), unquoted("'")], ["a", "a", ""]);
    assert_eq!(only("'a'", Sqlite).name(), None);
    assert_eq!(quoted_name("a\"b"), "\"a\"\"b\"");
    assert_eq!(quoted_text("it's"), "'it''s'");
    assert!(only("select", Sqlite).is("SELECT") && only(";", Sqlite).is(";"));
    assert!(!only("\"select\"", Sqlite).is("\"SELECT\""));
}

#[test]
fn statements_begin_at_their_first_word() {
    assert_eq!(from_first_word(" ; -- x\n /* y */ ;SELECT 1"), "SELECT 1");
    for blank in ["", " ; -- x\n /* y */ ;", "-- x", "/* x", "\u{feff};\u{feff}"] {
        assert_eq!(from_first_word(blank), "", "{blank}");
    }
    assert_eq!([from_first_word("-"), from_first_word("/*")], ["-", "/*"]);
    assert_eq!(
        [first_word(";SELECT 1"), first_word("(SELECT 1)"), first_word("")],
        ["SELECT", "", ""]
    );
}

/// Parts from which a text with nested and unfinished quotes is likely.
const PARTS: [&str; 44] = [
    "'", "\"", "[", "]", "`", "/*", "*/", "/", "*", "--", "\n", "\r", " ", "\t", "\x0b", "\x0c",
    ";", "\u{e9}", "\u{feff}", "\u{20ac}", "\0", "a", "x", "E", "e", "\\", "$", "$$", "$a$", "$1",
    "?1", ":", "::", "@", "#", "(", ")", "1", ".", "0x", "_", "+", "!=", "SELECT",
];

#[test]
fn any_text_is_its_tokens() {
    arbtest::arbtest(|u| {
        let mut sql = String::new();
        while !u.is_empty() && sql.len() < 200 {
            sql.push_str(u.choose(&PARTS)?);
        }
        sql.push_str(u.arbitrary()?);
        for dialect in [Sqlite, Postgres] {
            let mut end = 0;
            for token in Tokens::new(&sql, dialect) {
                assert_eq!((token.start, token.text.is_empty()), (end, false), "{sql:?}");
                end += token.text.len();
                assert_eq!(&sql[token.start..end], token.text);
                token.unquoted();
            }
            assert_eq!(end, sql.len(), "{sql:?}");
        }
        // What is quoted is one token, and comes back.
        let text = sql.as_str();
        for (quoted, kind) in [(quoted_name(text), Name), (quoted_text(text), Text)] {
            for dialect in [Sqlite, Postgres] {
                let token = only(&quoted, dialect);
                assert_eq!((token.kind, &*token.unquoted()), (kind, text));
            }
        }
        Ok(())
    });
}
