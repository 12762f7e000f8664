//! VACUUM, ANALYZE and REINDEX, by PostgreSQL's grammar. What only SQLite has (`VACUUM INTO`) is none of them.

use super::Statement;
use super::names::quoted_name;
use super::session::Words;
use crate::error::Result;
use crate::lex::Piece;

/// Words that may stand before the tables of VACUUM and ANALYZE.
const OPTIONS: &[&str] = &["full", "freeze", "verbose", "analyze", "analyse"];

const OFF: &[&str] = &["false", "off", "0"];

/// The statement, where it is one of them.
pub fn statement(piece: &Piece<'_>) -> Result<Option<Statement>> {
    let mut words = Words::of(piece);
    Ok(match words.word().as_str() {
        "vacuum" => vacuum(piece, &mut words),
        "analyze" | "analyse" => analyze(piece, &mut words),
        "reindex" => reindex(piece, &mut words),
        _ => None,
    })
}

/// What is left over in a file is used again, as after PostgreSQL's VACUUM: that of a table has nothing to do but to
/// count its rows anew, and the others write the file anew, as FULL does.
fn vacuum(piece: &Piece<'_>, words: &mut Words<'_>) -> Option<Statement> {
    words.next();
    if words.word() == "into" {
        return None;
    }
    let options = options(words)?;
    let is_full = options.iter().any(|option| option == "full");
    let is_analyze = options.iter().any(|option| option.starts_with("analy"));
    let tables = tables(words)?;
    Some(if is_full || (tables.is_empty() && !is_analyze) {
        of_sql(piece, "VACUUM", ["VACUUM".to_owned()])
    } else {
        of_sql(piece, "VACUUM", analyses(&tables))
    })
}

fn analyze(piece: &Piece<'_>, words: &mut Words<'_>) -> Option<Statement> {
    words.next();
    options(words)?;
    Some(of_sql(piece, "ANALYZE", analyses(&tables(words)?)))
}

fn reindex(piece: &Piece<'_>, words: &mut Words<'_>) -> Option<Statement> {
    words.next();
    options(words)?;
    let kind = words.word();
    let is_all = match kind.as_str() {
        "index" | "table" => false,
        "schema" | "database" | "system" => true,
        _ => return None,
    };
    words.next();
    words.accept("concurrently");
    let name = qualified(words)?;
    words.end().ok()?;
    let sql = if is_all { "REINDEX".to_owned() } else { format!("REINDEX {}", quoted_name(&name)) };
    Some(of_sql(piece, "REINDEX", [sql]))
}

/// `(ANALYZE, VERBOSE false)`, or words.
fn options(words: &mut Words<'_>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    if !words.symbol(b'(') {
        while let Some(option) = words.one_of(OPTIONS) {
            found.push(option.to_owned());
        }
        return Some(found);
    }
    loop {
        let option = words.word();
        words.next()?;
        let value = words.peek().filter(|token| !matches!(token.text, "," | ")"));
        if value.is_some() {
            words.next();
        }
        if !value.is_some_and(|value| OFF.iter().any(|off| value.text.eq_ignore_ascii_case(off))) {
            found.push(option);
        }
        if words.symbol(b')') {
            return Some(found);
        }
        words.symbol(b',').then_some(())?;
    }
}

/// The names of tables; their columns do not matter.
fn tables(words: &mut Words<'_>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    while words.peek().is_some() {
        if !found.is_empty() {
            words.symbol(b',').then_some(())?;
        }
        found.push(qualified(words)?);
        if words.symbol(b'(') {
            while !words.symbol(b')') {
                words.next()?;
            }
        }
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

fn analyses(tables: &[String]) -> Vec<String> {
    if tables.is_empty() {
        return vec!["ANALYZE".to_owned()];
    }
    tables.iter().map(|table| format!("ANALYZE {}", quoted_name(table))).collect()
}

fn of_sql(piece: &Piece<'_>, command: &str, all: impl Into<Vec<String>>) -> Statement {
    let mut all = all.into();
    let sql = all.pop().unwrap_or_default();
    Statement { command: command.to_owned(), before: all, ..Statement::new(piece, sql) }
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
            ("VACUUM VERBOSE t, u (a, b)", Some("ANALYZE \"t\"; ANALYZE \"u\"")),
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
}
