//! What PostgreSQL can read and the parser cannot, in the parser's words: before it is parsed, and in the tree.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Array, BinaryOperator, Expr, Ident, SelectItem, SetExpr, Value};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace, Word};

/// Bytes that the operands of `LIKE ANY` may take together, since each of its patterns has the value before it.
const MAX_PATTERNS: usize = 64 << 10;

/// Tokens, as the parser knows them.
pub fn tokens(all: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < all.len() {
        match &all[at].token {
            Token::Word(word) if word.keyword == Keyword::FOR => strength(all, at),
            Token::Word(word) if is_null_test(word) && is_after_operand(all, at) => spell(all, at),
            Token::SingleQuotedString(_) => join(all, at),
            _ => {}
        }
        at += 1;
    }
}

/// `FOR NO KEY UPDATE` locks as `FOR UPDATE` does, and `FOR KEY SHARE` as `FOR SHARE`.
fn strength(all: &mut [TokenWithSpan], at: usize) {
    let mut places = Vec::new();
    for keywords in
        [&[Keyword::NO, Keyword::KEY, Keyword::UPDATE][..], &[Keyword::KEY, Keyword::SHARE]]
    {
        places.clear();
        let mut after = at;
        let follow = keywords.iter().all(|keyword| {
            let Some(next) = next(all, after) else { return false };
            places.push(next);
            after = next;
            matches!(&all[next].token, Token::Word(word) if word.keyword == *keyword)
        });
        if follow {
            for place in &places[..places.len() - 1] {
                all[*place].token = Token::Whitespace(Whitespace::Space);
            }
            return;
        }
    }
}

/// `x ISNULL`; the parser knows NOTNULL.
fn is_null_test(word: &Word) -> bool {
    word.quote_style.is_none() && word.value.eq_ignore_ascii_case("isnull")
}

fn is_after_operand(all: &[TokenWithSpan], at: usize) -> bool {
    let before = all[..at].iter().rev().find(|one| !matches!(one.token, Token::Whitespace(_)));
    before.is_some_and(|one| match &one.token {
        Token::Word(word) => {
            !matches!(word.keyword, Keyword::AS | Keyword::SELECT | Keyword::WHERE)
        }
        Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::Placeholder(_)
        | Token::RParen
        | Token::RBracket => true,
        _ => false,
    })
}

fn spell(all: &mut Vec<TokenWithSpan>, at: usize) {
    let span = all[at].span;
    let word = |word: &str| TokenWithSpan { token: Token::make_keyword(word), span };
    all.splice(at..=at, [word("IS"), word("NULL")]);
}

/// Strings with a line break between them are one.
fn join(all: &mut [TokenWithSpan], at: usize) {
    while let Some(after) = next(all, at) {
        let breaks = |one: &TokenWithSpan| {
            matches!(
                one.token,
                Token::Whitespace(Whitespace::Newline | Whitespace::SingleLineComment { .. })
            )
        };
        let (Token::SingleQuotedString(more), true) =
            (&all[after].token, all[at..after].iter().any(breaks))
        else {
            return;
        };
        let more = more.clone();
        let joined = match &all[at].token {
            Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => {
                text.clone() + &more
            }
            _ => return,
        };
        // SQLite does not join them: the text has to be written anew, as that of all such strings is.
        all[at].token = Token::EscapedStringLiteral(joined);
        all[after].token = Token::Whitespace(Whitespace::Space);
    }
}

fn next(all: &[TokenWithSpan], at: usize) -> Option<usize> {
    (at + 1..all.len()).find(|index| !matches!(all[*index].token, Token::Whitespace(_)))
}

/// A tree, as the rewriter knows it.
pub fn tree(statement: &mut ast::Statement) {
    let _ = ast::visit_expressions_mut(statement, |expr| {
        match expr {
            Expr::Exists { subquery, .. } => {
                if let SetExpr::Select(select) = &mut *subquery.body
                    && select.projection.is_empty()
                {
                    // As a string that is written anew, so that the whole statement is.
                    let any = Value::EscapedStringLiteral(String::new());
                    select.projection.push(SelectItem::UnnamedExpr(Expr::Value(any.into())));
                }
            }
            Expr::Like { any: true, .. } | Expr::ILike { any: true, .. } => {
                if let Some(with) = any_pattern(expr) {
                    *expr = with;
                }
            }
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    });
}

/// `x LIKE ANY (ARRAY[…])` by its elements, and by `unnest` for an array that is given as a whole; none for another one.
fn any_pattern(expr: &Expr) -> Option<Expr> {
    let (Expr::Like { pattern, .. } | Expr::ILike { pattern, .. }) = expr else { return None };
    let mut inner = &**pattern;
    while let Expr::Nested(nested) = inner {
        inner = nested;
    }
    let with = |pattern: Expr| {
        let mut one = expr.clone();
        if let Expr::Like { any, pattern: place, .. } | Expr::ILike { any, pattern: place, .. } =
            &mut one
        {
            *any = false;
            **place = pattern;
        }
        one
    };
    match inner {
        Expr::Array(Array { elem, .. }) if !elem.is_empty() => {
            if elem.len() * expr.to_string().len() > MAX_PATTERNS {
                return None;
            }
            let each = elem.iter().cloned().map(with);
            let any = each.reduce(|left, right| Expr::BinaryOp {
                left: Box::new(left),
                op: BinaryOperator::Or,
                right: Box::new(right),
            })?;
            Some(Expr::Nested(Box::new(any)))
        }
        Expr::Value(_) | Expr::Cast { .. } => {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM unnest(({inner})::text[]) AS \"pg patterns\"(\"pg pattern\") WHERE true)"
            );
            let Ok(Some(ast::Statement::Query(query))) = super::parse(&sql) else { return None };
            let SetExpr::Select(select) = *query.body else { return None };
            let Some(SelectItem::UnnamedExpr(mut exists)) = select.projection.into_iter().next()
            else {
                return None;
            };
            if let Expr::Exists { subquery, .. } = &mut exists
                && let SetExpr::Select(select) = &mut *subquery.body
            {
                select.selection =
                    Some(with(Expr::Identifier(Ident::with_quote('"', "pg pattern"))));
            }
            Some(exists)
        }
        _ => None,
    }
}
