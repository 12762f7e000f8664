//! VACUUM, ANALYZE and REINDEX, by PostgreSQL's grammar. What only SQLite has (`VACUUM INTO`) is not one of them.

use super::Statement;
use super::names::quoted_name;
use super::session::Words;
use crate::error::{Error, Result, sqlstate};
use crate::lex::Piece;

/// Words that may stand before the tables of VACUUM and ANALYZE, in their order.
const VACUUM_WORDS: &[&str] = &["full", "freeze", "verbose", "analyze", "analyse"];
const ANALYZE_WORDS: &[&str] = &["verbose"];

/// Options between parentheses.
const VACUUM_OPTIONS: &[&str] = &[
    "analyse",
    "analyze",
    "disable_page_skipping",
    "freeze",
    "full",
    "index_cleanup",
    "parallel",
    "process_toast",
    "skip_locked",
    "truncate",
    "verbose",
];
const ANALYZE_OPTIONS: &[&str] = &["skip_locked", "verbose"];
const REINDEX_OPTIONS: &[&str] = &["concurrently", "tablespace", "verbose"];

const OFF: &[&str] = &["false", "off", "0"];

/// What a statement maintains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maintained {
    /// What is done.
    pub verb: Verb,
    /// Relations with the columns that are named, or a schema, or a database.
    pub names: Vec<(String, Vec<String>)>,
    /// What it is, if PostgreSQL runs it in no transaction with others.
    pub alone: Option<&'static str>,
}

/// What is done to what is maintained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `VACUUM`.
    Vacuum,
    /// `ANALYZE`.
    Analyze,
    /// `REINDEX TABLE`.
    ReindexTable,
    /// `REINDEX INDEX`.
    ReindexIndex,
    /// `REINDEX SCHEMA`.
    ReindexSchema,
    /// `REINDEX DATABASE` and `REINDEX SYSTEM`.
    ReindexDatabase,
}

/// The statement, where it is one of them.
///
/// # Errors
///
/// 42601 for an unknown option, 0A000 for columns that are not analyzed.
pub fn statement(piece: &Piece<'_>) -> Result<Option<Statement>> {
    let mut words = Words::of(piece);
    match words.word().as_str() {
        "vacuum" => vacuum(piece, &mut words),
        "analyze" | "analyse" => analyze(piece, &mut words),
        "reindex" => reindex(piece, &mut words),
        _ => Ok(None),
    }
}

/// What is left over in a file is used again, as after PostgreSQL's VACUUM: that of a table has nothing to do but to
/// count its rows anew, and the others write the file anew, as FULL does.
fn vacuum(piece: &Piece<'_>, words: &mut Words<'_>) -> Result<Option<Statement>> {
    words.next();
    if words.word() == "into" {
        return Ok(None);
    }
    let Some(options) = options(words, "VACUUM", VACUUM_WORDS, VACUUM_OPTIONS)? else {
        return Ok(None);
    };
    let is_full = options.iter().any(|option| option == "full");
    let is_analyze = options.iter().any(|option| option.starts_with("analy"));
    let Some(names) = tables(words) else { return Ok(None) };
    if !is_analyze && names.iter().any(|(_, columns)| !columns.is_empty()) {
        let message = "ANALYZE option must be specified when a column list is provided";
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    let all = if is_full || (names.is_empty() && !is_analyze) {
        vec!["VACUUM".to_owned()]
    } else {
        analyses(&names)
    };
    let maintained = Maintained { verb: Verb::Vacuum, names, alone: Some("VACUUM") };
    Ok(Some(of_sql(piece, "VACUUM", all, maintained)))
}

fn analyze(piece: &Piece<'_>, words: &mut Words<'_>) -> Result<Option<Statement>> {
    words.next();
    if options(words, "ANALYZE", ANALYZE_WORDS, ANALYZE_OPTIONS)?.is_none() {
        return Ok(None);
    }
    let Some(names) = tables(words) else { return Ok(None) };
    let all = analyses(&names);
    let maintained = Maintained { verb: Verb::Analyze, names, alone: None };
    Ok(Some(of_sql(piece, "ANALYZE", all, maintained)))
}

fn reindex(piece: &Piece<'_>, words: &mut Words<'_>) -> Result<Option<Statement>> {
    words.next();
    let Some(options) = options(words, "REINDEX", &[], REINDEX_OPTIONS)? else { return Ok(None) };
    let (verb, alone) = match words.word().as_str() {
        "index" => (Verb::ReindexIndex, None),
        "table" => (Verb::ReindexTable, None),
        "schema" => (Verb::ReindexSchema, Some("REINDEX SCHEMA")),
        "database" => (Verb::ReindexDatabase, Some("REINDEX DATABASE")),
        "system" => (Verb::ReindexDatabase, Some("REINDEX SYSTEM")),
        _ => return Ok(None),
    };
    words.next();
    let is_concurrent =
        words.accept("concurrently") || options.iter().any(|option| option == "concurrently");
    let Some(name) = qualified(words).filter(|_| words.peek().is_none()) else { return Ok(None) };
    let sql = match alone {
        Some(_) => "REINDEX".to_owned(),
        None => format!("REINDEX {}", quoted_name(&name)),
    };
    let alone = alone.or(is_concurrent.then_some("REINDEX CONCURRENTLY"));
    let maintained = Maintained { verb, names: vec![(name, Vec::new())], alone };
    Ok(Some(of_sql(piece, "REINDEX", vec![sql], maintained)))
}

/// `(ANALYZE, VERBOSE false)`, or words; `None` for anything but a list of options.
fn options(
    words: &mut Words<'_>,
    command: &str,
    alone: &[&'static str],
    known: &[&str],
) -> Result<Option<Vec<String>>> {
    let mut found = Vec::new();
    if !words.symbol(b'(') {
        found.extend(alone.iter().filter(|option| words.accept(option)).map(|&one| one.to_owned()));
        return Ok(Some(found));
    }
    loop {
        let option = words.word();
        if words.next().is_none() {
            return Ok(None);
        }
        if !known.contains(&option.as_str()) {
            let message = format!("unrecognized {command} option \"{option}\"");
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        let value = words.peek().filter(|token| !matches!(token.text, "," | ")"));
        if value.is_some() {
            words.next();
        }
        if !value.is_some_and(|value| OFF.iter().any(|off| value.text.eq_ignore_ascii_case(off))) {
            found.push(option);
        }
        if words.symbol(b')') {
            return Ok(Some(found));
        }
        if !words.symbol(b',') {
            return Ok(None);
        }
    }
}

/// The names of tables, with columns.
fn tables(words: &mut Words<'_>) -> Option<Vec<(String, Vec<String>)>> {
    let mut found = Vec::new();
    while words.peek().is_some() {
        if !found.is_empty() {
            words.symbol(b',').then_some(())?;
        }
        let (name, mut columns) = (qualified(words)?, Vec::new());
        if words.symbol(b'(') {
            columns.push(words.name().ok()?);
            while words.symbol(b',') {
                columns.push(words.name().ok()?);
            }
            words.symbol(b')').then_some(())?;
        }
        found.push((name, columns));
    }
    Some(found)
}

fn qualified(words: &mut Words<'_>) -> Option<String> {
    let mut last = words.name().ok()?;
    while words.symbol(b'.') {
        last = words.name().ok()?;
    }
    Some(last)
}

fn analyses(tables: &[(String, Vec<String>)]) -> Vec<String> {
    if tables.is_empty() {
        return vec!["ANALYZE".to_owned()];
    }
    tables.iter().map(|(table, _)| format!("ANALYZE {}", quoted_name(table))).collect()
}

fn of_sql(
    piece: &Piece<'_>,
    command: &str,
    mut all: Vec<String>,
    maintained: Maintained,
) -> Statement {
    let sql = all.pop().unwrap_or_default();
    let (command, maintained) = (command.to_owned(), Some(maintained));
    Statement { command, before: all, maintained, ..Statement::new(piece, sql) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::split;

    #[test]
    fn they_are_read_by_postgres_grammar() {
        for (text, sql) in [
            ("VACUUM", Some("VACUUM")),
            ("VACUUM FULL t", Some("VACUUM")),
            ("vacuum (full, verbose) public.t", Some("VACUUM")),
            ("VACUUM (FULL false) t", Some("ANALYZE \"t\"")),
            ("VACUUM ANALYZE", Some("ANALYZE")),
            ("VACUUM VERBOSE ANALYZE t, u (a, b)", Some("ANALYZE \"t\"; ANALYZE \"u\"")),
            ("VACUUM ANALYZE VERBOSE t", None),
            ("ANALYZE VERBOSE t (a)", Some("ANALYZE \"t\"")),
            ("ANALYZE (VERBOSE, SKIP_LOCKED off) \"T\"", Some("ANALYZE \"T\"")),
            ("REINDEX TABLE CONCURRENTLY t", Some("REINDEX \"t\"")),
            ("REINDEX (VERBOSE) DATABASE d", Some("REINDEX")),
            ("REINDEX", None),
            ("REINDEX t", None),
            ("VACUUM INTO 'x'", None),
            ("VACUUM (", None),
            ("VACUUM t u", None),
            ("ANALYZE t (", None),
        ] {
            let pieces = split(text).unwrap();
            let found = statement(&pieces[0]).unwrap().map(|found| {
                let mut all = found.before;
                all.push(found.sql);
                all.join("; ")
            });
            assert_eq!(found.as_deref(), sql, "{text}");
        }
    }

    #[test]
    fn what_they_do_not_know_is_refused() {
        for (text, code) in [
            ("VACUUM (nope) t", "42601"),
            ("ANALYZE (full) t", "42601"),
            ("REINDEX (freeze) TABLE t", "42601"),
            ("VACUUM t (a)", "0A000"),
        ] {
            assert_eq!(statement(&split(text).unwrap()[0]).unwrap_err().code, code, "{text}");
        }
    }

    #[test]
    fn some_are_transactions_of_their_own() {
        for (text, alone) in [
            ("VACUUM t", Some("VACUUM")),
            ("ANALYZE t", None),
            ("REINDEX TABLE t", None),
            ("REINDEX (CONCURRENTLY) TABLE t", Some("REINDEX CONCURRENTLY")),
            ("REINDEX SCHEMA public", Some("REINDEX SCHEMA")),
        ] {
            let found = statement(&split(text).unwrap()[0]).unwrap().unwrap();
            assert_eq!(found.alone(), alone, "{text}");
        }
    }
}
