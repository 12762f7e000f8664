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

/// Whether a word among the columns of SELECT is the name of one: it follows a whole expression, and another column or
/// clause follows it.
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
        Token::Word(word) => word.quote_style.is_none() && is_clause(word.keyword),
        _ => false,
    });
    follows && ends
}

/// Whether a word begins what may follow the columns of a query.
fn is_clause(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::FROM
            | K::WHERE
            | K::GROUP
            | K::HAVING
            | K::WINDOW
            | K::UNION
            | K::INTERSECT
            | K::EXCEPT
            | K::ORDER
            | K::LIMIT
            | K::OFFSET
            | K::FETCH
    )
}

/// Whether a word may end an expression; END is that of CASE, since one that is a label is in quotes by now.
fn is_operand(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(keyword, K::NoKeyword | K::NULL | K::TRUE | K::FALSE | K::END)
}

/// The clauses around a token, of which each pair of parentheses has its own.
#[derive(Default)]
pub struct Around {
    outer: Vec<Clause>,
    own: Clause,
}

#[derive(Clone, Copy, Default)]
struct Clause {
    /// It is the list of SELECT or RETURNING.
    has_columns: bool,
    /// The CASEs that are open.
    cases: u32,
}

impl Around {
    /// Whether the next token is in the list of SELECT or RETURNING, and no CASE is open.
    pub fn are_columns(&self) -> bool {
        self.own.has_columns && self.own.cases == 0
    }

    /// Go on behind a token.
    pub fn pass(&mut self, token: &Token) {
        let own = &mut self.own;
        match token {
            Token::LParen | Token::LBracket => self.outer.push(std::mem::take(own)),
            Token::RParen | Token::RBracket => *own = self.outer.pop().unwrap_or_default(),
            Token::SemiColon => *own = Clause::default(),
            Token::Word(word) if word.quote_style.is_none() => match word.keyword {
                Keyword::SELECT | Keyword::RETURNING => {
                    *own = Clause { has_columns: true, cases: 0 };
                }
                Keyword::CASE => own.cases += 1,
                Keyword::END => own.cases = own.cases.saturating_sub(1),
                Keyword::FROM | Keyword::WHERE | Keyword::SET | Keyword::BY | Keyword::ON => {
                    own.has_columns = false;
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// The same in quotes, which any name is.
pub fn quote(token: &mut Token) -> bool {
    let Token::Word(word) = &*token else { return false };
    *token = Token::make_word(&word.value.to_ascii_lowercase(), Some('"'));
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
            ("SELECT f(a, (SELECT b like)) is", "SELECT f(a, (SELECT b AS `like`)) AS `is`"),
            ("SELECT CASE WHEN a THEN b END end", "SELECT CASE WHEN a THEN b END AS `end`"),
            ("SELECT 1 in UNION SELECT 2 or", "SELECT 1 AS `in` UNION SELECT 2 AS `or`"),
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
