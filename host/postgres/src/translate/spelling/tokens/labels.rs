//! `SELECT 1 left`: names of columns without AS that are words of the parser's or of SQLite's grammar. PostgreSQL takes
//! most words there.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{before, next};

const LABELS: &[&str] = &[
    "analyze",
    "and",
    "authorization",
    "collate",
    "cross",
    "default",
    "end",
    "exclude",
    "explain",
    "full",
    "glob",
    "ilike",
    "in",
    "indexed",
    "inner",
    "is",
    "join",
    "lateral",
    "left",
    "like",
    "match",
    "natural",
    "or",
    "outer",
    "regexp",
    "right",
    "select",
    "similar",
    "using",
    "values",
];

/// Whether a word is the name of a column of SELECT: it follows a whole expression, and another column or clause follows it.
pub fn is_label(all: &[TokenWithSpan], at: usize) -> bool {
    let Token::Word(word) = &all[at].token else { return false };
    if word.quote_style.is_some() {
        return false;
    }
    let lower = word.value.to_ascii_lowercase();
    if !LABELS.contains(&lower.as_str()) {
        return false;
    }
    let follows = match before(all, at) {
        Some(Token::Word(word)) => word.quote_style.is_some() || is_operand(word.keyword),
        Some(
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::Placeholder(_)
            | Token::RParen
            | Token::RBracket,
        ) => true,
        _ => false,
    };
    let ends = next(all, at).is_none_or(|after| match &all[after].token {
        Token::Comma | Token::SemiColon | Token::RParen | Token::EOF => true,
        Token::Word(word) => word.quote_style.is_none() && word.keyword == Keyword::FROM,
        _ => false,
    });
    follows && ends && is_among_columns(all, at)
}

fn is_operand(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::NoKeyword | Keyword::NULL | Keyword::TRUE | Keyword::FALSE)
}

/// Whether the clause around is the list of SELECT or RETURNING, and no CASE is open.
fn is_among_columns(all: &[TokenWithSpan], at: usize) -> bool {
    let (mut depth, mut ends) = (0, 0);
    for one in all[..at].iter().rev() {
        match &one.token {
            Token::RParen | Token::RBracket => depth += 1,
            Token::LParen | Token::LBracket if depth == 0 => return false,
            Token::LParen | Token::LBracket => depth -= 1,
            Token::Word(word) if depth == 0 && word.quote_style.is_none() => match word.keyword {
                Keyword::SELECT | Keyword::RETURNING => return true,
                Keyword::END => ends += 1,
                Keyword::CASE if ends == 0 => return false,
                Keyword::CASE => ends -= 1,
                Keyword::FROM | Keyword::WHERE | Keyword::SET | Keyword::BY | Keyword::ON => {
                    return false;
                }
                _ => {}
            },
            _ => {}
        }
    }
    false
}

/// The same with AS, in quotes.
pub fn named(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    let Token::Word(word) = &all[at].token else { return false };
    let name = word.value.to_ascii_lowercase();
    let span = all[at].span;
    let token = |token: Token| TokenWithSpan { token, span };
    let named = [
        token(Token::make_keyword("AS")),
        token(super::BLANK),
        token(Token::make_word(&name, Some('"'))),
    ];
    all.splice(at..=at, named);
    true
}

#[cfg(test)]
mod tests {
    use crate::translate::{Context, translate};

    #[test]
    fn words_name_columns_without_as() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        for (given, wanted) in [
            ("SELECT 1 left, a Right FROM t", "SELECT 1 AS `left`, a AS `right` FROM t"),
            ("SELECT 1 and, 2 like, 3 ilike", "SELECT 1 AS `and`, 2 AS `like`, 3 AS `ilike`"),
            ("SELECT f(a) end", "SELECT f(a) AS `end`"),
            ("SELECT (SELECT a values)", "SELECT (SELECT a AS `values`)"),
        ] {
            assert_eq!(sql(given).replace('"', "`"), wanted);
        }
        for same in
            ["SELECT CASE WHEN a THEN b END, 1 FROM t", "SELECT a FROM t LEFT JOIN u ON 1 = 1"]
        {
            assert_eq!(sql(same), same);
        }
    }
}
