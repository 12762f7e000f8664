//! What ALTER COLUMN changes and the parser does not know, identity columns and collations, as defaults that call
//! [`CHANGE`]. `translate/alterations/changes.rs` reads them.

use sqlparser::ast::Ident;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::{is_word, next};
use crate::translate::folded;

/// The function of such a default. No statement of a client has a NUL in it.
pub const CHANGE: &str = "pg_change\0";

/// Spell such changes. Nothing that SQLite would read is among them.
pub fn spell(all: &mut Vec<TokenWithSpan>) {
    let Some(first) = first_change(all) else { return };
    let (mut changes, mut start, mut depth) = (Vec::new(), first, 0_usize);
    for (at, one) in all.iter().enumerate().skip(first) {
        match one.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => {
                changes.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    changes.push(start..all.len());
    for range in changes.into_iter().rev() {
        let words = all[range.clone()].iter().map(|one| &one.token);
        let words: Vec<_> = words.filter(|token| !matches!(token, Token::Whitespace(_))).collect();
        if let Some(tokens) = spelled(&words) {
            let span = all[range.start].span;
            all.splice(range, tokens.into_iter().map(|token| TokenWithSpan { token, span }));
        }
    }
}

/// Where the changes of a table begin, behind `ALTER TABLE IF EXISTS ONLY public.t`.
fn first_change(all: &[TokenWithSpan]) -> Option<usize> {
    let word = |at: usize, keyword| is_word(&all[at].token, keyword);
    let first = (0..all.len()).find(|at| !matches!(all[*at].token, Token::Whitespace(_)))?;
    let table =
        next(all, first).filter(|at| word(first, Keyword::ALTER) && word(*at, Keyword::TABLE))?;
    let mut at = next(all, table)?;
    if word(at, Keyword::IF) {
        at = next(all, next(all, at)?)?;
    }
    if word(at, Keyword::ONLY) {
        at = next(all, at)?;
    }
    let mut after = next(all, at)?;
    while all[after].token == Token::Period {
        after = next(all, next(all, after)?)?;
    }
    Some(after)
}

/// The change of a column in other words.
fn spelled(words: &[&Token]) -> Option<Vec<Token>> {
    let (first, rest) = words.split_first()?;
    let (column, rest) = match rest {
        [word, name, rest @ ..] if is(word, "column") => (name, rest),
        [name, rest @ ..] => (name, rest),
        [] => return None,
    };
    let Token::Word(column) = column else { return None };
    if !is(first, "alter") {
        return None;
    }
    if let [drop, identity, rest @ ..] = rest
        && is(drop, "drop")
        && is(identity, "identity")
    {
        let if_exists = match rest {
            [] => "",
            [one, other] if is(one, "if") && is(other, "exists") => "if exists",
            _ => return None,
        };
        return Some(change(column, &["drop identity", if_exists]));
    }
    set_identity(column, rest).or_else(|| collated(column, words))
}

/// `SET GENERATED`, `RESTART` and options of the sequence, in any order.
fn set_identity(column: &Word, mut words: &[&Token]) -> Option<Vec<Token>> {
    let (mut mode, mut restart, mut options) = ("", None, Vec::new());
    let begins = |token: &Token| is(token, "set") || is(token, "restart");
    if !is(words.first()?, "restart") && !is_option(words.get(1)?) {
        return None;
    }
    while let Some((verb, rest)) = words.split_first() {
        let end = rest.iter().position(|token| begins(token)).unwrap_or(rest.len());
        let (these, others) = rest.split_at(end);
        words = others;
        match these {
            _ if is(verb, "restart") => {
                let number = these.strip_prefix_word("with");
                let number: String = number.iter().map(ToString::to_string).collect();
                let number = if number.is_empty() { "1".to_owned() } else { number };
                restart.is_none().then_some(())?;
                restart = Some(number);
            }
            [word, always] if is(word, "generated") && is(always, "always") && mode.is_empty() => {
                mode = "always";
            }
            [word, by, default]
                if is(word, "generated")
                    && is(by, "by")
                    && is(default, "default")
                    && mode.is_empty() =>
            {
                mode = "default";
            }
            [first, ..] if is(verb, "set") && !is(first, "generated") => {
                let words: Vec<_> = these.iter().map(ToString::to_string).collect();
                options.push(words.join(" "));
            }
            _ => return None,
        }
    }
    let restart = restart.unwrap_or_default();
    let options = options.iter().map(String::as_str);
    let arguments: Vec<_> = ["set identity", mode, &restart].into_iter().chain(options).collect();
    Some(change(column, &arguments))
}

/// Words without this one at the beginning.
trait Words {
    fn strip_prefix_word(&self, word: &str) -> &Self;
}

impl Words for [&Token] {
    fn strip_prefix_word(&self, word: &str) -> &Self {
        match self {
            [first, rest @ ..] if is(first, word) => rest,
            all => all,
        }
    }
}

/// Whether SET is followed by something about an identity column.
fn is_option(token: &Token) -> bool {
    const OPTIONS: &[&str] =
        &["generated", "increment", "start", "minvalue", "maxvalue", "cache", "cycle", "no"];
    OPTIONS.iter().any(|word| is(token, word))
}

/// `TYPE t COLLATE c USING …`: the collation is another change of the same column.
fn collated(column: &Word, words: &[&Token]) -> Option<Vec<Token>> {
    let ty = words.iter().position(|token| is(token, "type"))?;
    let collate =
        ty + words[ty..].iter().position(|token| is(token, "collate") || is(token, "using"))?;
    let (Some(Token::Word(first)), true) = (words.get(collate + 1), is(words[collate], "collate"))
    else {
        return None;
    };
    let mut name = folded_word(first);
    let mut end = collate + 2;
    while let Some([Token::Period, Token::Word(part)]) = words.get(end..end + 2) {
        name = format!("{name}.{}", folded_word(part));
        end += 2;
    }
    let kept = words[..collate].iter().chain(&words[end..]).map(|token| (*token).clone());
    let mut tokens: Vec<_> = kept.collect();
    tokens.push(Token::Comma);
    tokens.extend(change(column, &["collate", &name]));
    Some(tokens)
}

fn folded_word(word: &Word) -> String {
    let mut name = Ident::new(word.value.clone());
    name.quote_style = word.quote_style;
    folded(&name)
}

/// `ALTER COLUMN c SET DEFAULT pg_change('…', …)`.
fn change(column: &Word, arguments: &[&str]) -> Vec<Token> {
    let mut tokens = ["ALTER", "COLUMN"].map(Token::make_keyword).to_vec();
    tokens.push(Token::Word(column.clone()));
    tokens.extend(["SET", "DEFAULT"].map(Token::make_keyword));
    tokens.push(Token::make_word(CHANGE, Some('"')));
    tokens.push(Token::LParen);
    for (at, argument) in arguments.iter().enumerate() {
        if at > 0 {
            tokens.push(Token::Comma);
        }
        tokens.push(Token::SingleQuotedString((*argument).to_owned()));
    }
    tokens.push(Token::RParen);
    tokens
}

/// Whether a token is this word without quotes.
fn is(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(one) if one.quote_style.is_none() && one.value.eq_ignore_ascii_case(word))
}
