//! Names of the catalogue and of SQLite's functions in FROM. A table with such a name would stand for
//! them, and deceive all other clients of the file.

use sql_tokens::{Token, Tokens};

use super::{Refusal, named, shown};

/// What the names of the catalogue, and of PRAGMAs as functions, begin with.
const PREFIXES: &[&str] = &["pg_", "information_schema_", "pragma_"];

/// Other functions that FROM may name, also those of the shipped extensions.
const FUNCTIONS: &[&str] = &[
    "ann_build",
    "bytecode",
    "dbstat",
    "extension_stats",
    "fts3tokenize",
    "generate_series",
    "hybrid",
    "json_each",
    "json_tree",
    "jsonb_each",
    "jsonb_tree",
    "tables_used",
    "vec_each",
];

/// What a refusal of a name ends with.
pub const RESERVED: &str = "is reserved";

/// Whether no table may have this name.
pub fn is_reserved(name: &str) -> bool {
    let begins = |prefix: &&str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    PREFIXES.iter().any(begins) || FUNCTIONS.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The same for a virtual table: `pg` would have tables like `pg_config` for itself.
pub fn is_reserved_with_parts(name: &str) -> bool {
    is_reserved(name) || is_reserved(&format!("{name}_"))
}

/// Check the name that CREATE or ALTER gives to a table or view; the words are those behind it.
pub fn check(verb: Token, mut words: Tokens) -> Result<(), Refusal> {
    let name = match verb {
        verb if verb.is("CREATE") => created(&mut words),
        verb if verb.is("ALTER") => renamed(&mut words),
        _ => None,
    };
    let Some((name, has_parts)) = name else { return Ok(()) };
    let is_refused = if has_parts { is_reserved_with_parts } else { is_reserved };
    if is_refused(&named(&name)?) {
        Err(Refusal(format!("the name \"{}\" {RESERVED}", shown(&name))))
    } else {
        Ok(())
    }
}

/// `[TEMP | VIRTUAL] TABLE | VIEW [IF NOT EXISTS] [schema.]name`, and whether it may have tables of
/// its own.
fn created<'a>(words: &mut Tokens<'a>) -> Option<(Token<'a>, bool)> {
    let mut kind = words.next_word()?;
    let is_virtual = kind.is("VIRTUAL");
    if is_virtual || kind.is("TEMP") || kind.is("TEMPORARY") {
        kind = words.next_word()?;
    }
    if !kind.is("TABLE") && !kind.is("VIEW") {
        return None;
    }
    let mut after = words.clone();
    if after.next_word()?.is("IF") && after.next_word()?.is("NOT") {
        after.next_word()?;
        *words = after;
    }
    Some((qualified(words)?, is_virtual))
}

/// `TABLE [schema.]name RENAME TO name`.
fn renamed<'a>(words: &mut Tokens<'a>) -> Option<(Token<'a>, bool)> {
    words.next_word()?;
    qualified(words)?;
    let is_rename = words.next_word()?.is("RENAME") && words.next_word()?.is("TO");
    let name = is_rename.then(|| words.next_word()).flatten()?;
    Some((name, true))
}

fn qualified<'a>(words: &mut Tokens<'a>) -> Option<Token<'a>> {
    let name = words.next_word()?;
    let mut after = words.clone();
    if after.next_word().is_some_and(|word| word.is(".")) {
        *words = after;
        return words.next_word();
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::super::{Role, check};

    #[test]
    fn the_catalogue_is_not_hidden() {
        for sql in [
            "CREATE TABLE pg_class(a)",
            "create table if not exists main.\"PG_Class\" as select 1",
            "CREATE TEMP TABLE 'pg_class'(a)",
            "CREATE TEMPORARY VIEW [pg_type] AS SELECT 1",
            "CREATE/**/VIEW information_schema_tables AS SELECT 1",
            "CREATE VIRTUAL TABLE json_each USING fts5(a)",
            "CREATE VIRTUAL TABLE pg USING fts5(a)",
            "CREATE TABLE `generate_series`(value)",
            "CREATE TABLE pragma_table_info(a)",
            "ALTER TABLE a RENAME TO pg_class",
            "ALTER TABLE main . a RENAME TO \"json_tree\"",
            "EXPLAIN CREATE TABLE pg_class(a)",
            // SQLite skips a vertical tab behind other white space.
            "CREATE \x0bTABLE \x0bpg_class(a)",
        ] {
            let refused = check(sql, Role::Owner, true).unwrap_err();
            assert!(refused.is_reserved(), "{sql}: {refused}");
        }
        for sql in [
            "CREATE TABLE pgbench_accounts(a)",
            "CREATE TABLE pg(a)",
            "CREATE TABLE if(pg_class)",
            "CREATE UNIQUE INDEX pg_i ON t(a)",
            "ALTER TABLE a RENAME b TO pg_class",
            "ALTER TABLE a RENAME COLUMN b TO pg_class",
            "DROP TABLE pg_class",
        ] {
            assert!(check(sql, Role::Write, true).is_ok(), "{sql}");
        }
    }
}
