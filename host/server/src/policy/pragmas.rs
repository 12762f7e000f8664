//! The PRAGMAs that clients may run; all others are refused.

use super::words::{Word, Words};
use super::{Refusal, Role};

/// A value of these only selects the output.
const SHOW: &[&str] = &[
    "collation_list",
    "compile_options",
    "foreign_key_check",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "module_list",
    "pragma_list",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Settings that every role may read, and the least role that may change them; none if no role may.
const SETTINGS: &[(&str, Option<Role>)] = &[
    ("application_id", Some(Role::Write)),
    ("auto_vacuum", Some(Role::Owner)),
    ("busy_timeout", None),
    ("cache_size", None),
    ("data_version", None),
    ("database_list", None),
    // These two affect only the connection, and rows that violate constraints are the writer's own.
    ("defer_foreign_keys", Some(Role::Read)),
    ("foreign_keys", Some(Role::Read)),
    ("encoding", Some(Role::Owner)),
    ("freelist_count", None),
    ("ignore_check_constraints", Some(Role::Owner)),
    ("journal_mode", None),
    ("legacy_alter_table", Some(Role::Write)),
    ("locking_mode", None),
    ("max_page_count", None),
    ("page_count", None),
    // A database is limited by its number of pages.
    ("page_size", None),
    ("query_only", None),
    ("recursive_triggers", Some(Role::Write)),
    ("reverse_unordered_selects", Some(Role::Read)),
    ("schema_version", None),
    ("synchronous", None),
    ("temp_store", None),
    ("user_version", Some(Role::Write)),
];

/// PRAGMAs with an effect, with or without a value.
const ACTIONS: &[(&str, Role)] = &[
    ("analysis_limit", Role::Write),
    ("incremental_vacuum", Role::Write),
    ("optimize", Role::Write),
    ("shrink_memory", Role::Read),
    (CHECKPOINT, Role::Owner),
];

/// The one that copies the log into the database.
const CHECKPOINT: &str = "wal_checkpoint";

/// Check what follows the word PRAGMA: `[schema.]name`, and a value behind `=` or `(`.
pub fn check(mut words: Words, role: Role, has_checkpoints: bool) -> Result<(), Refusal> {
    let mut name = next(&mut words)?;
    let mut after = words.next();
    if after.is_some_and(|word| word.is(".")) {
        name = next(&mut words)?;
        after = words.next();
    }
    if name.names(CHECKPOINT) && !has_checkpoints {
        let why = "is left to another program (`--no-checkpoints`)";
        return Err(Refusal(format!("PRAGMA {CHECKPOINT} {why}")));
    }
    let has_value = after.is_some_and(|word| !word.is(";"));
    if SHOW.iter().any(|shown| name.names(shown)) {
        return Ok(());
    }
    match needed(name.text(), has_value) {
        Some(needed) if needed <= role => Ok(()),
        Some(needed) => Err(Refusal(format!(
            "PRAGMA {} needs the role `{}`",
            name.shown(),
            if needed == Role::Write { "write" } else { "owner" }
        ))),
        None => Err(Refusal(format!("PRAGMA {} is not available on this server", name.shown()))),
    }
}

/// Whether a statement is the PRAGMA whose value SQLite takes for a change even where none is given.
pub fn only_shows(sql: &str) -> bool {
    let mut words = Words::new(sql);
    if !words.next().is_some_and(|word| word.is("PRAGMA")) {
        return false;
    }
    let mut name = words.next();
    let mut after = words.next();
    if after.is_some_and(|word| word.is(".")) {
        name = words.next();
        after = words.next();
    }
    name.is_some_and(|word| word.names("journal_mode")) && after.is_none_or(|word| word.is(";"))
}

fn next<'a>(words: &mut Words<'a>) -> Result<Word<'a>, Refusal> {
    words.next().ok_or_else(|| Refusal(super::INCOMPLETE.to_owned()))
}

/// The least role that may run a PRAGMA; none if no role may.
fn needed(name: &str, has_value: bool) -> Option<Role> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let setting = SETTINGS.iter().find(|(setting, _)| is(setting));
    match setting {
        Some((_, change)) if has_value => *change,
        Some(_) => Some(Role::Read),
        None => ACTIONS.iter().find(|(action, _)| is(action)).map(|(_, role)| *role),
    }
}

/// The same as SQLite names it. The server itself makes checkpoints for writers.
pub fn needed_by_name(
    name: &str,
    has_value: bool,
    by_extension: bool,
    has_checkpoints: bool,
) -> Option<Role> {
    if name.eq_ignore_ascii_case(CHECKPOINT) {
        let role = if by_extension { Role::Owner } else { Role::Write };
        return has_checkpoints.then_some(role);
    }
    match SHOW.iter().any(|shown| shown.eq_ignore_ascii_case(name)) {
        true => Some(Role::Read),
        false => needed(name, has_value),
    }
}
