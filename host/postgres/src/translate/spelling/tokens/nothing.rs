//! `SELECT WHERE a`: a query of no columns without FROM, which the parser does not know. It gets a table that
//! `translate/no_columns.rs` takes away.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{before, next};

/// The name of the table. No statement of a client has a NUL in it.
pub const NOTHING: &str = "pg_nothing\0";

/// Spell SELECT at this position, if no columns follow it. Returns whether none follow.
pub fn spell(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    let is_it = begins_query(all, at) && has_no_columns(all, at);
    if is_it {
        let span = all[at].span;
        let tokens = [
            Token::make_keyword("FROM"),
            super::BLANK,
            Token::make_word(NOTHING, Some('"')),
            super::BLANK,
        ];
        let tokens = tokens.map(|token| TokenWithSpan { token, span });
        all.splice(
            at + 1..at + 1,
            [TokenWithSpan { token: super::BLANK, span }].into_iter().chain(tokens),
        );
    }
    is_it
}

/// Whether a query may begin here. Behind AS the word may be a name.
fn begins_query(all: &[TokenWithSpan], at: usize) -> bool {
    use Keyword as K;
    match before(all, at) {
        None | Some(Token::LParen | Token::RParen) => true,
        Some(Token::Word(word)) => matches!(
            word.keyword,
            K::UNION | K::INTERSECT | K::EXCEPT | K::ALL | K::DISTINCT | K::EXPLAIN
        ),
        _ => false,
    }
}

fn has_no_columns(all: &[TokenWithSpan], at: usize) -> bool {
    use Keyword as K;
    next(all, at).is_none_or(|after| match &all[after].token {
        Token::RParen | Token::SemiColon | Token::EOF => true,
        Token::Word(word) => {
            word.quote_style.is_none()
                && matches!(
                    word.keyword,
                    K::WHERE
                        | K::GROUP
                        | K::HAVING
                        | K::WINDOW
                        | K::ORDER
                        | K::LIMIT
                        | K::OFFSET
                        | K::FETCH
                        | K::FOR
                        | K::UNION
                        | K::INTERSECT
                        | K::EXCEPT
                )
        }
        _ => false,
    })
}
