//! `((SELECT 1) UNION (SELECT 2))` and `(VALUES (1))` as values: the parser takes the first query for the whole of it, and
//! VALUES for a function.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{before, next};

/// The name of the table that such a compound becomes.
const NAME: &str = "pg_compound";

/// Spell such a value as a query from the compound. Whether there was one.
pub fn spell(all: &mut Vec<TokenWithSpan>) -> bool {
    if !all.iter().any(|one| is_operator(&one.token) || is_values(&one.token)) {
        return false;
    }
    let pairs = pairs(all);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (open, close) in pairs.iter().enumerate() {
        let is_query = |close: &usize| is_compound(all, &pairs, open) || is_rows(all, open, *close);
        if let Some(close) = close.filter(is_query)
            && is_value(all, outermost(all, &pairs, open))
        {
            found.push((open, close));
        }
    }
    if found.is_empty() {
        return false;
    }
    let mut closes: Vec<_> = found.iter().map(|(_, close)| *close).collect();
    closes.sort_unstable();
    let (mut opens, mut closes) =
        (found.iter().map(|(open, _)| *open).peekable(), closes.into_iter().peekable());
    let mut spelled = Vec::with_capacity(all.len() + 12 * found.len());
    for (at, one) in std::mem::take(all).into_iter().enumerate() {
        let span = one.span;
        let mut put = |tokens: Vec<Token>| {
            spelled.extend(tokens.into_iter().map(|token| TokenWithSpan { token, span }));
        };
        if closes.next_if_eq(&at).is_some() {
            let name = Token::make_word(NAME, Some('"'));
            put(vec![Token::RParen, super::BLANK, Token::make_keyword("AS"), super::BLANK, name]);
        }
        put(vec![one.token]);
        if opens.next_if_eq(&at).is_some() {
            let (select, from) = (Token::make_keyword("SELECT"), Token::make_keyword("FROM"));
            let blank = super::BLANK;
            put(vec![select, blank.clone(), Token::Mul, blank.clone(), from, blank, Token::LParen]);
        }
    }
    *all = spelled;
    true
}

/// For each opening parenthesis the one that closes it.
fn pairs(all: &[TokenWithSpan]) -> Vec<Option<usize>> {
    let (mut pairs, mut open) = (vec![None; all.len()], Vec::new());
    for (at, one) in all.iter().enumerate() {
        match one.token {
            Token::LParen => open.push(at),
            Token::RParen => {
                if let Some(begin) = open.pop() {
                    pairs[begin] = Some(at);
                }
            }
            _ => {}
        }
    }
    pairs
}

/// Whether a parenthesis at this position begins a value, judging by what precedes it.
fn is_value(all: &[TokenWithSpan], open: usize) -> bool {
    use Keyword as K;
    match before(all, open) {
        Some(Token::Word(word)) => matches!(
            word.keyword,
            K::SELECT
                | K::WHERE
                | K::AND
                | K::OR
                | K::NOT
                | K::ON
                | K::WHEN
                | K::THEN
                | K::ELSE
                | K::BY
                | K::HAVING
        ),
        Some(
            Token::Comma
            | Token::Eq
            | Token::Neq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
            | Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::StringConcat,
        ) => true,
        _ => false,
    }
}

/// The first of the parentheses that have nothing else in them than this one.
fn outermost(all: &[TokenWithSpan], pairs: &[Option<usize>], mut open: usize) -> usize {
    loop {
        let outer = (0..open).rev().find(|at| !matches!(all[*at].token, Token::Whitespace(_)));
        let outer = outer.filter(|outer| all[*outer].token == Token::LParen);
        match outer.filter(|outer| pairs[open].and_then(|close| next(all, close)) == pairs[*outer])
        {
            Some(outer) => open = outer,
            None => return open,
        }
    }
}

/// Whether it has VALUES in it, and is not a table whose columns an alias names.
fn is_rows(all: &[TokenWithSpan], open: usize, close: usize) -> bool {
    let is_word = |at: usize| matches!(all[at].token, Token::Word(_));
    let is_open = |at: usize| all[at].token == Token::LParen;
    let first = next(all, open).filter(|first| is_values(&all[*first].token));
    if !first.and_then(|first| next(all, first)).is_some_and(is_open) {
        return false;
    }
    let mut alias = next(all, close).filter(|at| is_word(*at));
    if alias.is_some_and(|at| super::is_word(&all[at].token, Keyword::AS)) {
        alias = alias.and_then(|at| next(all, at)).filter(|at| is_word(*at));
    }
    !alias.and_then(|alias| next(all, alias)).is_some_and(is_open)
}

fn is_values(token: &Token) -> bool {
    super::is_word(token, Keyword::VALUES)
}

/// Whether it begins with a query in parentheses, and a compound goes on behind that.
fn is_compound(all: &[TokenWithSpan], pairs: &[Option<usize>], open: usize) -> bool {
    let Some(inner) = next(all, open).filter(|inner| all[*inner].token == Token::LParen) else {
        return false;
    };
    let after = pairs[inner].and_then(|close| next(all, close));
    after.is_some_and(|after| is_operator(&all[after].token)) && is_query(all, inner)
}

/// Whether a parenthesis begins a query, perhaps in more of them.
fn is_query(all: &[TokenWithSpan], open: usize) -> bool {
    let words = (open..all.len()).map(|at| &all[at].token);
    let first =
        words.into_iter().find(|token| !matches!(token, Token::LParen | Token::Whitespace(_)));
    matches!(first, Some(Token::Word(word)) if matches!(word.keyword, Keyword::SELECT | Keyword::WITH | Keyword::VALUES))
}

fn is_operator(token: &Token) -> bool {
    use Keyword as K;
    matches!(token, Token::Word(word) if matches!(word.keyword, K::UNION | K::INTERSECT | K::EXCEPT))
}

#[cfg(test)]
mod tests {
    use crate::translate::tests::one;

    #[test]
    fn a_compound_may_be_a_value() {
        for (sql, expected) in [
            (
                "SELECT ((SELECT 1) UNION (SELECT 2)) AS a",
                "SELECT (SELECT * FROM (SELECT 1 AS `?column?` UNION SELECT 2) AS `pg_compound`) AS a",
            ),
            (
                "SELECT 1 WHERE 2 = (((SELECT 1) UNION SELECT 2) EXCEPT SELECT ((SELECT 1) UNION SELECT 2))",
                "SELECT 1 WHERE 2 = (SELECT * FROM (SELECT 1 AS `?column?` UNION SELECT 2 EXCEPT SELECT (SELECT * FROM \
                 (SELECT 1 AS `?column?` UNION SELECT 2) AS `pg_compound`)) AS `pg_compound`)",
            ),
            (
                "SELECT ((((SELECT 1 AS a) UNION SELECT 2)))",
                "SELECT (((SELECT * FROM (SELECT 1 AS a UNION SELECT 2) AS `pg_compound`)))",
            ),
            (
                "SELECT 2 = (VALUES (1), (2) ORDER BY 1 LIMIT 1), (VALUES (3))",
                "SELECT 2 = (SELECT * FROM (SELECT * FROM (VALUES (1), (2)) AS `*VALUES*` ORDER BY 1 NULLS LAST LIMIT 1) \
                 AS `pg_compound`), (SELECT * FROM (VALUES (3)) AS `pg_compound`)",
            ),
            (
                "SELECT b FROM a, (VALUES (1)) AS v(b)",
                "SELECT b FROM a, (SELECT * FROM (WITH v (b) AS (VALUES (1)) SELECT * FROM v)) AS v",
            ),
        ] {
            assert_eq!(one(sql).sql, expected);
        }
    }
}
