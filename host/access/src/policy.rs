//! The statements that each role may run. SQLite enforces the sandbox; this refuses statements that
//! are legal and would affect others: settings of the file, other files, and pages of the file
//! written directly. That a role only reads is not checked here: `session/connection.rs` refuses its
//! statements that SQLite does not call read-only, and its connection is `query_only`.
//!
//! Only the first words of a statement decide. That is sound because a PRAGMA, an ATTACH or a
//! VACUUM can be nowhere else: not in a trigger, a view or a subquery. The words are the tokens of
//! `sql_tokens`, which are SQLite's own. The SQL of an extension is seen by an authorizer.

mod authorizer;
mod names;
mod pragmas;
mod reading;

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use sql_tokens::{Dialect, Kind as TokenKind, Token, Tokens, from_first_word};

pub use authorizer::authorizer;
pub use pragmas::only_shows;
pub use reading::Reading;

/// What a user may do with a database; each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Queries.
    Read,
    /// Changes of rows and of the schema.
    Write,
    /// Settings of the file, VACUUM, ATTACH of databases in memory.
    Owner,
}

/// The first words of statements that change rows.
const CHANGES: [&str; 5] = ["INSERT", "REPLACE", "UPDATE", "DELETE", "WITH"];

/// The kind of a statement, from its first words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kind {
    /// EXPLAIN, or EXPLAIN QUERY PLAN.
    pub is_explain: bool,
    /// INSERT, REPLACE, UPDATE, DELETE, or what follows WITH: after these alone SQLite counts anew
    /// how many rows were changed.
    pub may_change_rows: bool,
}

/// Why a statement is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// Whether the statement is not valid SQL, whatever the role.
    pub fn is_syntax(&self) -> bool {
        self.0.ends_with("syntax error") || [INCOMPLETE, HAS_NUL].contains(&&*self.0)
    }

    /// Whether it is a name that no table may have.
    pub fn is_reserved(&self) -> bool {
        self.0.ends_with(names::RESERVED)
    }
}

/// What SQLite says of a statement without its end.
const INCOMPLETE: &str = "incomplete input";

/// SQLite would take such a text for a shorter one.
const HAS_NUL: &str = "the statement contains a NUL character";

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The virtual table whose rows are the pages of the file: writing to it bypasses SQLite's checks.
const PAGES: &str = "sqlite_dbpage";

/// Statements for all roles, as far as SQLite's checks allow: a reader's statement must also be one
/// that SQLite reports as read-only.
const COMMON: &[&str] = &[
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DELETE",
    "DETACH",
    "DROP",
    "END",
    "INSERT",
    "REINDEX",
    "RELEASE",
    "REPLACE",
    "ROLLBACK",
    "SAVEPOINT",
    "SELECT",
    "UPDATE",
    "VALUES",
    "WITH",
];

/// Check the first statement of `sql`; `None` if it has only comments. Without `has_checkpoints`
/// nobody may make one.
///
/// # Errors
///
/// The refused statement, and the role that may run it.
pub fn check(sql: &str, role: Role, has_checkpoints: bool) -> Result<Option<Kind>, Refusal> {
    if sql.contains('\0') {
        return Err(Refusal(HAS_NUL.to_owned()));
    }
    if role < Role::Owner && contains_ignoring_case(sql, PAGES) {
        return Err(needs_owner(PAGES));
    }
    let mut words = first_words(sql);
    let Some(mut first) = words.next_word() else { return Ok(None) };
    let is_explain = first.is("EXPLAIN");
    if is_explain {
        first = after_explain(&mut words)?;
    }
    let may_change_rows = !is_explain && CHANGES.iter().any(|verb| first.is(verb));
    check_verb(first, words, role, has_checkpoints)?;
    Ok(Some(Kind { is_explain, may_change_rows }))
}

/// The tokens of a text, without semicolons before the first.
pub fn first_words(sql: &str) -> Tokens<'_> {
    Tokens::new(from_first_word(sql), Dialect::Sqlite)
}

fn after_explain<'a>(words: &mut Tokens<'a>) -> Result<Token<'a>, Refusal> {
    let incomplete = || Refusal(INCOMPLETE.to_owned());
    let mut word = words.next_word().ok_or_else(incomplete)?;
    if word.is("QUERY") {
        // PLAN
        words.next_word().ok_or_else(incomplete)?;
        word = words.next_word().ok_or_else(incomplete)?;
    }
    Ok(word)
}

/// The word as a name; SQLite takes a string for one too.
///
/// # Errors
///
/// It is a syntax error where it is neither.
fn named<'a>(word: &Token<'a>) -> Result<Cow<'a, str>, Refusal> {
    match word.kind {
        TokenKind::Word | TokenKind::Name | TokenKind::Text => Ok(word.unquoted()),
        _ => Err(syntax(word)),
    }
}

fn syntax(near: &Token) -> Refusal {
    Refusal(format!("near \"{}\": syntax error", shown(near)))
}

/// Characters of a word that a message shows at most.
const MAX_SHOWN: usize = 32;

/// The beginning of a word without its quotes, for a message.
fn shown(word: &Token) -> String {
    word.unquoted().chars().take(MAX_SHOWN).collect()
}

fn check_verb(
    verb: Token,
    words: Tokens,
    role: Role,
    has_checkpoints: bool,
) -> Result<(), Refusal> {
    if COMMON.iter().any(|common| verb.is(common)) {
        return names::check(verb, words);
    }
    if verb.is("PRAGMA") {
        return pragmas::check(words, role, has_checkpoints);
    }
    match ["ATTACH", "VACUUM"].into_iter().find(|special| verb.is(special)) {
        None => Err(syntax(&verb)),
        Some(special) if role < Role::Owner => Err(needs_owner(special)),
        Some("ATTACH") => check_attached(words),
        Some(_) => Ok(()),
    }
}

/// Only a database in memory, and only by a constant: attached under another name the file of `main`
/// would have its pages without the limits that were set for `main`.
fn check_attached(mut words: Tokens) -> Result<(), Refusal> {
    let mut name = words.next_word();
    if name.is_some_and(|word| word.is("DATABASE")) {
        name = words.next_word();
    }
    let is_alone = words.next_word().is_some_and(|word| word.is("AS"));
    // `":memory:"` is a name, and could be a column.
    match name {
        Some(name) if is_alone && matches!(name.text, "''" | "':memory:'") => Ok(()),
        _ => Err(Refusal("only ATTACH ':memory:' AS a name is allowed".to_owned())),
    }
}

fn needs_owner(what: &str) -> Refusal {
    Refusal(format!("{what} needs the role `owner`"))
}

fn contains_ignoring_case(text: &str, lowercase: &str) -> bool {
    let (text, needle) = (text.as_bytes(), lowercase.as_bytes());
    text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sql: &str, role: Role) -> bool {
        check(sql, role, true).is_err()
    }

    #[test]
    fn comments_do_not_hide_a_verb() {
        for sql in [
            "PRAGMA locking_mode=EXCLUSIVE",
            "/* x */ pragma locking_mode = exclusive",
            "--x\n;;\u{feff}PrAgMa/**/main.locking_mode(1)",
            "/*/ SELECT */ PRAGMA locking_mode=1",
            "EXPLAIN PRAGMA locking_mode=1",
            "EXPLAIN QUERY PLAN PRAGMA locking_mode=1",
            "PRAGMA \"locking_mode\" = 1",
            "PRAGMA [main].[locking_mode] = 1",
            "PRAGMA `journal_mode` = delete",
            "ATTACH 'x' AS y",
            "vacuum INTO 'x'",
            "UPDATE \"SQLite_DBPage\" SET data = x''",
        ] {
            assert!(refused(sql, Role::Write), "{sql}");
            assert!(refused(sql, Role::Read), "{sql}");
        }
    }

    #[test]
    fn unknown_verbs_never_pass() {
        for sql in [
            "(SELECT 1)",
            "?",
            "'PRAGMA' x",
            "\"PRAGMA\" x",
            "PRAGMA",
            "EXPLAIN",
            "\0",
            "/*",
            "SELECT1",
            "PRAGMA 1.table_info",
            "PRAGMA :x.table_info",
            "PRAGMA \"table_info",
            "PRAGMA table_info x",
            "PRAGMA \"table_info\"\"\"",
        ] {
            assert!(refused(sql, Role::Owner), "{sql}");
        }
        assert!(refused("SELECT 1\0; PRAGMA locking_mode=1", Role::Owner));
    }

    #[test]
    fn common_statements_pass() {
        let kind = |is_explain, may_change_rows| Ok(Some(Kind { is_explain, may_change_rows }));
        for sql in ["SELECT 1", ";;VALUES(1)", "BEGIN"] {
            assert_eq!(check(sql, Role::Read, true), kind(false, false), "{sql}");
        }
        for sql in [" with x as (select 1) select * from x", ";/**/insert into t values(1)"] {
            assert_eq!(check(sql, Role::Write, true), kind(false, true), "{sql}");
        }
        assert_eq!(check("EXPLAIN DELETE FROM t", Role::Write, true), kind(true, false));
        assert_eq!(check(" -- nothing", Role::Read, true), Ok(None));
    }

    #[test]
    fn only_databases_in_memory_are_attached() {
        for sql in ["ATTACH ':memory:' AS x", "attach database /* a */ '' as [b c]"] {
            assert!(!refused(sql, Role::Owner), "{sql}");
        }
        for sql in [
            "ATTACH 'own.db' AS x",
            "ATTACH 'file::memory:?cache=shared' AS x",
            "ATTACH ? AS x",
            "ATTACH \":memory:\" AS x",
            "ATTACH ':memory:' || 'x' AS x",
            "ATTACH ':memory:''' AS x",
            "ATTACH ('own.db') AS x",
            "ATTACH own AS x",
            "ATTACH ':memory:'",
            "ATTACH",
        ] {
            assert!(refused(sql, Role::Owner), "{sql}");
        }
    }

    #[test]
    fn pragmas_are_allowed_by_role() {
        assert!(!refused("PRAGMA table_info('x')", Role::Read));
        assert!(!refused("PRAGMA user_version", Role::Read));
        assert!(refused("PRAGMA user_version = 3", Role::Read));
        assert!(!refused("PRAGMA user_version = 3", Role::Write));
        assert!(!refused("PRAGMA journal_mode;", Role::Read));
        for sql in ["PRAGMA journal_mode", " pragma main.\"Journal_Mode\" ; -- c"] {
            assert!(only_shows(sql), "{sql}");
        }
        for sql in ["PRAGMA journal_mode = wal", "PRAGMA journal_mode(wal)", "PRAGMA optimize"] {
            assert!(!only_shows(sql), "{sql}");
        }
        assert!(refused("PRAGMA journal_mode = delete", Role::Owner));
        assert!(refused("PRAGMA query_only = 0", Role::Owner));
        assert!(refused("PRAGMA temp_store(0)", Role::Owner));
        assert!(refused("PRAGMA main . max_page_count = 1", Role::Owner));
        assert!(!refused("PRAGMA wal_checkpoint(TRUNCATE)", Role::Owner));
        assert!(refused("PRAGMA 'journal_mode'(delete)", Role::Write));
    }

    #[test]
    fn checkpoints_can_be_left_to_another_program() {
        for sql in ["PRAGMA wal_checkpoint", "PRAGMA main.\"wal_checkpoint\"(TRUNCATE)"] {
            assert!(check(sql, Role::Owner, false).is_err(), "{sql}");
        }
        assert!(check("PRAGMA user_version", Role::Owner, false).is_ok());
    }

    #[test]
    fn any_text_is_looked_at() {
        const PARTS: [&str; 20] = [
            "'", "\"", "[", "]", "`", "/*", "*/", "/", "--", "\n", ";", "é", "PRAGMA", "EXPLAIN",
            "QUERY", " ", ".", "=", "x", "\u{feff}",
        ];
        let mut state = 1_u64;
        for _ in 0..50_000 {
            let mut sql = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                sql.push_str(PARTS[(state >> 33) as usize % PARTS.len()]);
            }
            // A PRAGMA that is not in the list never passes, whatever is around it.
            if let Ok(Some(_)) = check(&sql, Role::Owner, true) {
                panic!("{sql:?}");
            }
        }
    }
}
