//! Definitions after a RENAME: SQLite changes the names in what it runs, and what a client has written of that follows.

use std::ops::Range;

use postgres_types::{comments, view};
use sql_tokens::{Dialect, Kind, Token, Tokens, quoted_name};
use sqlparser::ast;

use crate::error::{Error, Result};
use crate::translate::{parse, sources};

/// A definition as SQLite has renamed it, with the texts of the client renamed alike.
///
/// # Errors
///
/// 0A000 where it is ambiguous which names of a text are meant.
pub fn followed(old: &str, new: &str) -> Result<String> {
    let (olds, news) = (words(old, Dialect::Sqlite), words(new, Dialect::Sqlite));
    let (before, after) = (source_comments(old), source_comments(new));
    if olds.len() != news.len() || before.len() != after.len() {
        return Err(ambiguous());
    }
    let mut text = String::with_capacity(new.len());
    let mut done = 0;
    for (old_comment, new_comment) in before.iter().zip(&after) {
        let Some((source, translated)) = sourced(old, &olds, old_comment) else { continue };
        let pairs: Vec<_> =
            olds[translated.clone()].iter().zip(&news[translated.clone()]).collect();
        if pairs.iter().all(|(old, new)| old.text == new.text) {
            continue;
        }
        let source = renamed(&source, &pairs).ok_or_else(ambiguous)?;
        let span = news[translated.start].start..end(&news[translated.end - 1]);
        text.push_str(&new[done..new_comment.start]);
        text.push_str(&comments::sourced(&source, &new[span.clone()]));
        done = span.end;
    }
    text.push_str(&new[done..]);
    Ok(text)
}

/// The definition of a view whose columns keep these names. PostgreSQL names them once, when the view is made.
///
/// # Errors
///
/// 0A000 for a text that is not understood.
pub fn with_columns(sql: &str, names: &[String]) -> Result<String> {
    let words = words(sql, Dialect::Sqlite);
    let is_view = words.len() > 3 && words[0].is("create") && words[1].is("view");
    let begin = words.iter().find(|word| word.is("as")).filter(|_| is_view);
    let begin = begin.map(end).ok_or_else(ambiguous)?;
    let (name, body) = (end(&words[2]), sql[begin..].trim());
    let types = body.strip_prefix(view::BEGIN).and_then(|rest| rest.find("*/"));
    let (types, query) = body.split_at(types.map_or(0, |at| view::BEGIN.len() + at + "*/".len()));
    let written = comments::source(query);
    let translated = match source_comments(query).first() {
        Some(comment) if query[..comment.start].trim().is_empty() => &query[comment.end..],
        _ => query,
    };
    let written = match parse(&written) {
        Ok(Some(ast::Statement::Query(query))) => sources::named_query(&query, names),
        _ => sources::wrapped(&written, names),
    };
    let list: Vec<_> = names.iter().map(|name| quoted_name(name)).collect();
    let list = list.join(", ");
    let query = comments::sourced(&written, translated.trim());
    let types = if types.is_empty() { String::new() } else { format!(" {types}") };
    Ok(format!("{}({list}){}{types} {query}", &sql[..name], &sql[name..begin]))
}

/// The definition of an index with another name.
///
/// # Errors
///
/// 0A000 for a text that is not understood.
pub fn index_named(sql: &str, name: &str) -> Result<String> {
    let words = words(sql, Dialect::Sqlite);
    let at = words.iter().take(3).position(|word| word.is("index")).map(|at| at + 1);
    let own = at.and_then(|at| words.get(at)).ok_or_else(ambiguous)?;
    Ok([&sql[..own.start], &quoted_name(name), &sql[end(own)..]].concat())
}

/// Where the comments with texts of the client are.
fn source_comments(sql: &str) -> Vec<Range<usize>> {
    Tokens::new(sql, Dialect::Sqlite)
        .filter(|token| token.kind == Kind::Space && comments::is_source(token.text))
        .map(|token| token.start..end(&token))
        .collect()
}

/// What a client has written for the words behind a comment, and which words these are.
fn sourced(
    sql: &str,
    words: &[Token<'_>],
    comment: &Range<usize>,
) -> Option<(String, Range<usize>)> {
    let first = words.iter().position(|word| word.start >= comment.end)?;
    let depth = |depth: usize, word: &Token<'_>| match word.kind {
        Kind::Symbol(b'(') => depth + 1,
        Kind::Symbol(b')') => depth.saturating_sub(1),
        _ => depth,
    };
    let outside = words[..first].iter().fold(0, depth);
    let mut inside = outside;
    let is_last = |word: &Token<'_>| {
        let before = inside;
        inside = depth(inside, word);
        outside > 0 && (inside < outside || (before == outside && word.is(",")))
    };
    let last = words[first..].iter().position(is_last).map_or(words.len(), |at| first + at);
    // The sort order of an index expression is not part of the expression.
    let is_order = |word: &Token<'_>| ["asc", "desc"].iter().any(|one| word.is(one));
    let stop = if words[first..last].last().is_some_and(is_order) { last - 1 } else { last };
    let until = |stop: usize| {
        let to = words[first..stop].last().map(end)?;
        Some((comments::kept(&sql[comment.start..to])?, first..stop))
    };
    until(last).or_else(|| until(stop))
}

/// A text of the client in which the names are others that are so in the words of its translation.
fn renamed(source: &str, pairs: &[(&Token<'_>, &Token<'_>)]) -> Option<String> {
    let changed = || pairs.iter().filter(|(old, new)| old.text != new.text);
    let (old, new) = changed().next()?;
    let (old, new) = (old.unquoted().to_lowercase(), new.unquoted().into_owned());
    if changed().any(|(one, other)| one.unquoted().to_lowercase() != old || other.unquoted() != new)
    {
        return None;
    }
    let olds: Vec<_> = pairs.iter().map(|(old, _)| **old).collect();
    let translated = occurrences(&olds, &old);
    let is_changed = |at: &usize| pairs[*at].0.text != pairs[*at].1.text;
    let words = words(source, Dialect::Postgres);
    let written = occurrences(&words, &old);
    let renamed: Vec<_> = if translated.iter().all(is_changed) {
        written
    } else if translated.len() == written.len() {
        let both = written.iter().zip(&translated);
        both.filter(|(_, at)| is_changed(at)).map(|(at, _)| *at).collect()
    } else {
        return None;
    };
    // All columns of a query may be meant without their names.
    if renamed.is_empty() && !words.iter().any(|word| word.is("*")) {
        return None;
    }
    let name = sources::written_name(&new);
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for at in renamed {
        text.push_str(&source[done..words[at].start]);
        text.push_str(&name);
        done = end(&words[at]);
    }
    text.push_str(&source[done..]);
    Some(text)
}

/// The words that are this name of a column or table: not those of functions, types and aliases.
fn occurrences(words: &[Token<'_>], name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    // For each parenthesis whether the columns of an alias are in it.
    let mut aliases = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let back = |count: usize| at.checked_sub(count).map(|at| &words[at]);
        let is_before = |count: usize, text: &str| back(count).is_some_and(|word| word.is(text));
        match word.kind {
            Kind::Symbol(b'(') => {
                let has_name = back(1).is_some_and(|before| before.name().is_some());
                aliases.push(has_name && is_before(2, "as") && !is_before(1, "materialized"));
            }
            Kind::Symbol(b')') => drop(aliases.pop()),
            _ => {}
        }
        let next = words.get(at + 1);
        let is_called = next.is_some_and(|next| next.is("("));
        let is_literal =
            word.kind == Kind::Word && next.is_some_and(|next| next.kind == Kind::Text);
        // A type, or an alias.
        let is_other = is_before(1, ":") || is_before(1, "as") || aliases.last() == Some(&true);
        let is_name = word.name().is_some_and(|own| own.to_lowercase() == name);
        if is_name && !is_called && !is_literal && !is_other {
            found.push(at);
        }
    }
    found
}

fn words(sql: &str, dialect: Dialect) -> Vec<Token<'_>> {
    Tokens::new(sql, dialect).filter(|token| token.kind != Kind::Space).collect()
}

fn end(token: &Token<'_>) -> usize {
    token.start + token.text.len()
}

fn ambiguous() -> Error {
    let hint = "drop the definitions that name it, and make them again";
    Error::unsupported("RENAME of what this definition names").hint(hint)
}

#[cfg(test)]
mod tests;
