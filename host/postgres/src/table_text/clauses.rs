//! The constraints of a table and of its columns, by SQLite's grammar.

use std::ops::Range;

use sql_tokens::{Kind as TokenKind, Token};

use super::{Words, closing, end};

/// What a clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `PRIMARY KEY`.
    PrimaryKey,
    /// `NOT NULL`.
    NotNull,
    /// `UNIQUE`.
    Unique,
    /// `CHECK`.
    Check,
    /// `FOREIGN KEY`, or `REFERENCES` of a column.
    ForeignKey,
    /// `DEFAULT`.
    Default,
    /// `NULL`, `COLLATE`, `GENERATED`, or a name of nothing.
    Other,
}

/// A constraint, or what else follows the type of a column.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The name behind CONSTRAINT, and its bytes.
    pub name: Option<(String, Range<usize>)>,
    /// What it says.
    pub kind: ClauseKind,
    /// The columns of a key of the table; empty for the clause of a column.
    pub columns: Vec<String>,
    /// The table that a foreign key refers to.
    pub table: Option<String>,
    /// All of its bytes.
    pub span: Range<usize>,
    /// The same without its name.
    pub body: Range<usize>,
}

/// The words that begin a clause of a column, and end its type.
const BEGINNINGS: [&str; 11] = [
    "constraint",
    "default",
    "null",
    "not",
    "primary",
    "unique",
    "check",
    "references",
    "collate",
    "generated",
    "as",
];

/// How many words the type of a column has.
pub fn type_length(words: Words<'_, '_>) -> Option<usize> {
    let is_beginning = |word: &Token<'_>| BEGINNINGS.iter().any(|one| word.is(one));
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| !is_beginning(word)) {
        at = match word.kind {
            TokenKind::Word | TokenKind::Name | TokenKind::Text => at + 1,
            TokenKind::Symbol(b'(') if at > 0 => closing(words, at)? + 1,
            _ => return None,
        };
    }
    Some(at)
}

/// The clauses behind the type of a column.
pub fn of_column(words: Words<'_, '_>) -> Option<Vec<Clause>> {
    clauses(words, column_clause)
}

/// The constraints of a table: SQLite needs no comma between them.
pub fn of_table(words: Words<'_, '_>) -> Option<Vec<Clause>> {
    clauses(words, table_clause)
}

/// What a clause is, its columns, its table, and how many words it has.
struct Read {
    kind: ClauseKind,
    columns: Vec<String>,
    table: Option<String>,
    length: usize,
}

impl Read {
    fn new(kind: ClauseKind, length: usize) -> Self {
        Self { kind, columns: Vec::new(), table: None, length }
    }
}

fn clauses(
    words: Words<'_, '_>,
    read: impl Fn(Words<'_, '_>) -> Option<Read>,
) -> Option<Vec<Clause>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let start = words[at].start;
        let name = if words[at].is("constraint") {
            let name = words.get(at + 1)?;
            at += 2;
            Some((name.unquoted().into_owned(), name.start..end(name)))
        } else {
            None
        };
        // The name of nothing, which SQLite takes.
        let is_nothing = words.get(at).is_none_or(|word| word.is("constraint"));
        let read = if is_nothing && name.is_some() {
            Read::new(ClauseKind::Other, 0)
        } else {
            read(&words[at..])?
        };
        let body_start = words.get(at).map_or(start, |word| word.start);
        at += read.length;
        let end = end(words.get(at.checked_sub(1)?)?);
        let body = body_start.min(end)..end;
        let Read { kind, columns, table, .. } = read;
        found.push(Clause { name, kind, columns, table, span: start..end, body });
    }
    Some(found)
}

fn column_clause(words: Words<'_, '_>) -> Option<Read> {
    use ClauseKind as K;
    let first = words.first()?;
    let is = |at: usize, word: &str| words.get(at).is_some_and(|one| one.is(word));
    Some(match first.text.to_ascii_lowercase().as_str() {
        "not" if is(1, "null") => Read::new(K::NotNull, with_conflict(words, 2)),
        "null" => Read::new(K::Other, with_conflict(words, 1)),
        "primary" if is(1, "key") => {
            let order = usize::from(is(2, "asc") || is(2, "desc"));
            let end = with_conflict(words, 2 + order);
            Read::new(K::PrimaryKey, end + usize::from(is(end, "autoincrement")))
        }
        "unique" => Read::new(K::Unique, with_conflict(words, 1)),
        "check" if is(1, "(") => Read::new(K::Check, with_conflict(words, closing(words, 1)? + 1)),
        "default" => Read::new(K::Default, default_length(words)?),
        "collate" => Read::new(K::Other, words.get(1).map(|_| 2)?),
        "references" => references(words, 0)?,
        "generated" if is(1, "always") && is(2, "as") => Read::new(K::Other, computed(words, 3)?),
        "as" => Read::new(K::Other, computed(words, 1)?),
        _ => return None,
    })
}

fn table_clause(words: Words<'_, '_>) -> Option<Read> {
    use ClauseKind as K;
    let is = |at: usize, word: &str| words.get(at).is_some_and(|one| one.is(word));
    let keyed = |kind: K, open: usize| {
        let close = closing(words, open).filter(|_| is(open, "("))?;
        let columns = names(&words[open + 1..close]);
        Some(Read { columns, ..Read::new(kind, with_conflict(words, close + 1)) })
    };
    match words.first()?.text.to_ascii_lowercase().as_str() {
        "primary" if is(1, "key") => keyed(K::PrimaryKey, 2),
        "unique" => keyed(K::Unique, 1),
        "check" if is(1, "(") => {
            Some(Read::new(K::Check, with_conflict(words, closing(words, 1)? + 1)))
        }
        "foreign" if is(1, "key") && is(2, "(") => {
            let close = closing(words, 2)?;
            let read = references(words, close + 1)?;
            Some(Read { columns: names(&words[3..close]), ..read })
        }
        _ => None,
    }
}

/// The columns of a key.
fn names(words: Words<'_, '_>) -> Vec<String> {
    let parts = super::elements(words).into_iter();
    parts.filter_map(|part| Some(part.first()?.unquoted().into_owned())).collect()
}

/// The length with `ON CONFLICT …` behind it.
fn with_conflict(words: Words<'_, '_>, at: usize) -> usize {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|one| one.is(word));
    if is(at, "on") && is(at + 1, "conflict") { at + 3 } else { at }
}

fn default_length(words: Words<'_, '_>) -> Option<usize> {
    let value = words.get(1)?;
    match value.kind {
        TokenKind::Symbol(b'(') => Some(closing(words, 1)? + 1),
        TokenKind::Symbol(b'+' | b'-') => words.get(2).map(|_| 3),
        TokenKind::Symbol(_) | TokenKind::Illegal | TokenKind::Space => None,
        _ => Some(2),
    }
}

/// The length of what is computed, in parentheses at `open`.
fn computed(words: Words<'_, '_>, open: usize) -> Option<usize> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|one| one.is(word));
    let close = closing(words, open).filter(|_| is(open, "("))?;
    let is_kind = is(close + 1, "stored") || is(close + 1, "virtual");
    Some(close + 1 + usize::from(is_kind))
}

/// `REFERENCES t (a) ON DELETE … NOT DEFERRABLE …`, whose first word is at `at`.
fn references(words: Words<'_, '_>, at: usize) -> Option<Read> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|one| one.is(word));
    if !is(at, "references") {
        return None;
    }
    let table = words.get(at + 1)?.unquoted().into_owned();
    let mut at = at + 2;
    if is(at, "(") {
        at = closing(words, at)? + 1;
    }
    loop {
        at = match () {
            () if is(at, "on") && is(at + 2, "set") => at + 4,
            () if is(at, "on") && is(at + 2, "no") => at + 4,
            () if is(at, "on") => at + 3,
            () if is(at, "match") => at + 2,
            () if is(at, "not") && is(at + 1, "deferrable") => at + 2,
            () if is(at, "deferrable") => at + 1,
            () if is(at, "initially") => at + 2,
            () => break,
        };
    }
    (at <= words.len())
        .then(|| Read { table: Some(table), ..Read::new(ClauseKind::ForeignKey, at) })
}
