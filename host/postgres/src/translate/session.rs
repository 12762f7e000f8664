//! Statements about the session: transactions, settings, and what is done by doing nothing. They are
//! read by their words, with PostgreSQL's grammar.

mod set;
mod words;

use sqlparser::ast;

use super::{Action, Discarded, SequenceType, Statement};
use crate::error::{Error, Result, sqlstate};
use crate::lex::Piece;
pub use words::{Words, name};

/// The levels of isolation.
const LEVELS: [&str; 4] = ["serializable", "repeatable read", "read committed", "read uncommitted"];

/// The modes of a transaction, as far as a statement names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// `ISOLATION LEVEL`, which is only shown: each transaction is serializable.
    pub isolation: Option<&'static str>,
    /// `READ ONLY` or `READ WRITE`.
    pub is_read_only: Option<bool>,
    /// `DEFERRABLE` or `NOT DEFERRABLE`, which is only shown: nothing waits for it.
    pub is_deferrable: Option<bool>,
}

impl Modes {
    /// The level with this name.
    pub fn level(name: &str) -> Option<&'static str> {
        LEVELS.into_iter().find(|level| level.eq_ignore_ascii_case(name))
    }

    /// Isolation, reading, deferring: a mode as its setting shows it.
    pub(crate) fn shown(&self, place: usize) -> Option<&'static str> {
        let word = |is_on| if is_on { "on" } else { "off" };
        match place {
            0 => self.isolation,
            1 => self.is_read_only.map(word),
            _ => self.is_deferrable.map(word),
        }
    }

    /// Take what another statement names.
    pub(crate) fn take(&mut self, given: &Self) {
        self.isolation = given.isolation.or(self.isolation);
        self.is_read_only = given.is_read_only.or(self.is_read_only);
        self.is_deferrable = given.is_deferrable.or(self.is_deferrable);
    }
}

/// A statement about the session.
pub fn statement(piece: &Piece<'_>) -> Result<Option<Statement>> {
    let mut words = Words::of(piece);
    let verb = words.word();
    words.next();
    let words = &mut words;
    let (action, command) = match verb.as_str() {
        "begin" => match words.word().as_str() {
            // SQLite's own.
            "deferred" | "immediate" | "exclusive" => return Ok(None),
            _ => (begin(words, false)?, "BEGIN"),
        },
        "start" => (begin(words, true)?, "START TRANSACTION"),
        "commit" | "end" => (commit(words)?, "COMMIT"),
        "rollback" | "abort" => (rollback(words, verb == "rollback")?, "ROLLBACK"),
        "savepoint" => (Action::Savepoint(last_name(words)?), "SAVEPOINT"),
        "release" => {
            words.accept("savepoint");
            (Action::Release(last_name(words)?), "RELEASE")
        }
        "set" => {
            let action = set::set(words)?;
            let is_of_constraints = matches!(action, Action::SetConstraints { .. });
            (action, if is_of_constraints { "SET CONSTRAINTS" } else { "SET" })
        }
        "reset" => (set::reset(words)?, "RESET"),
        "show" => (set::show(words)?, "SHOW"),
        "discard" => discard(words)?,
        "deallocate" => deallocate(words)?,
        "listen" => (Action::Listen(last_name(words)?), "LISTEN"),
        "unlisten" => (unlisten(words)?, "UNLISTEN"),
        "notify" => (notify(words)?, "NOTIFY"),
        "lock" => (lock(words)?, "LOCK TABLE"),
        "alter" if words.accept("sequence") => match sequence_type(words) {
            Some(action) => (action, "ALTER SEQUENCE"),
            None => return Ok(None),
        },
        "checkpoint" => {
            words.end()?;
            let message = "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT";
            return Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message));
        }
        "prepare" if words.word() == "transaction" => {
            return Err(Error::unsupported("PREPARE TRANSACTION"));
        }
        _ => return Ok(None),
    };
    Ok(Some(of_action(piece, action, command)))
}

/// CREATE SCHEMA of the schema that there is.
pub fn schema(piece: &Piece<'_>, tree: &ast::Statement) -> Option<Statement> {
    let ast::Statement::CreateSchema { schema_name, if_not_exists: true, .. } = tree else {
        return None;
    };
    let is_public = schema_name.to_string().trim_matches('"') == "public";
    is_public.then(|| of_action(piece, Action::Nothing, "CREATE SCHEMA"))
}

fn of_action(piece: &Piece<'_>, action: Action, command: &str) -> Statement {
    let sql = match &action {
        Action::Begin(_) => "BEGIN".to_owned(),
        Action::Commit { .. } => "COMMIT".to_owned(),
        Action::Rollback { .. } => "ROLLBACK".to_owned(),
        // The session adds a name with the index: SQLite ignores the case of names.
        Action::Savepoint(_) => "SAVEPOINT".to_owned(),
        Action::RollbackTo(_) => "ROLLBACK TO".to_owned(),
        Action::Release(_) => "RELEASE".to_owned(),
        _ => String::new(),
    };
    Statement { action, command: command.to_owned(), ..Statement::new(piece, sql) }
}

fn begin(words: &mut Words<'_>, is_start: bool) -> Result<Action> {
    if is_start {
        words.expect("transaction")?;
    } else {
        let _ = words.one_of(&["work", "transaction"]);
    }
    let modes = modes(words)?;
    words.end()?;
    Ok(Action::Begin(modes))
}

/// The modes of a transaction, with or without commas; the last one of a kind holds.
fn modes(words: &mut Words<'_>) -> Result<Modes> {
    let mut modes = Modes::default();
    let mut is_first = true;
    while words.peek().is_some() {
        if !is_first {
            words.symbol(b',');
        }
        is_first = false;
        match words.one_of(&["isolation", "read", "not", "deferrable"]) {
            Some("isolation") => {
                words.expect("level")?;
                modes.isolation = Some(level(words)?);
            }
            Some("read") => {
                let mode = words.one_of(&["only", "write"]).ok_or_else(|| words.wrong())?;
                modes.is_read_only = Some(mode == "only");
            }
            Some("not") => {
                words.expect("deferrable")?;
                modes.is_deferrable = Some(false);
            }
            Some(_) => modes.is_deferrable = Some(true),
            None => return Err(words.wrong()),
        }
    }
    Ok(modes)
}

fn level(words: &mut Words<'_>) -> Result<&'static str> {
    let name = match words.one_of(&["serializable", "repeatable", "read"]) {
        Some("repeatable") => words.accept("read").then_some("repeatable read"),
        Some("read") => match words.one_of(&["committed", "uncommitted"]) {
            Some("committed") => Some("read committed"),
            Some(_) => Some("read uncommitted"),
            None => None,
        },
        other => other,
    };
    name.ok_or_else(|| words.wrong())
}

/// `AND CHAIN` or `AND NO CHAIN`, and nothing else.
fn chain(words: &mut Words<'_>) -> Result<bool> {
    let has_and = words.accept("and");
    let is_no = has_and && words.accept("no");
    if has_and {
        words.expect("chain")?;
    }
    words.end()?;
    Ok(has_and && !is_no)
}

fn commit(words: &mut Words<'_>) -> Result<Action> {
    if words.word() == "prepared" {
        return Err(Error::unsupported("COMMIT PREPARED"));
    }
    words.one_of(&["work", "transaction"]);
    Ok(Action::Commit { chain: chain(words)? })
}

fn rollback(words: &mut Words<'_>, may_name: bool) -> Result<Action> {
    if words.word() == "prepared" {
        return Err(Error::unsupported("ROLLBACK PREPARED"));
    }
    words.one_of(&["work", "transaction"]);
    if may_name && words.accept("to") {
        words.accept("savepoint");
        return Ok(Action::RollbackTo(last_name(words)?));
    }
    Ok(Action::Rollback { chain: chain(words)? })
}

fn last_name(words: &mut Words<'_>) -> Result<String> {
    let name = words.name()?;
    words.end()?;
    Ok(name)
}

fn unlisten(words: &mut Words<'_>) -> Result<Action> {
    if words.symbol(b'*') {
        words.end()?;
        return Ok(Action::Unlisten(None));
    }
    Ok(Action::Unlisten(Some(last_name(words)?)))
}

fn notify(words: &mut Words<'_>) -> Result<Action> {
    let channel = words.name()?;
    let mut payload = String::new();
    if words.symbol(b',') {
        let given = words.peek().and_then(|token| words::string(&token));
        payload = given.ok_or_else(|| words.wrong())?;
        words.next();
    }
    words.end()?;
    Ok(Action::Notify { channel, payload })
}

fn discard(words: &mut Words<'_>) -> Result<(Action, &'static str)> {
    let what = words.one_of(&["all", "plans", "sequences", "temp", "temporary"]);
    let what = match what.ok_or_else(|| words.wrong())? {
        "all" => (Discarded::All, "DISCARD ALL"),
        "plans" => (Discarded::Plans, "DISCARD PLANS"),
        "sequences" => (Discarded::Sequences, "DISCARD SEQUENCES"),
        _ => (Discarded::Temporary, "DISCARD TEMP"),
    };
    words.end()?;
    Ok((Action::Discard(what.0), what.1))
}

fn deallocate(words: &mut Words<'_>) -> Result<(Action, &'static str)> {
    words.accept("prepare");
    if words.accept("all") {
        words.end()?;
        return Ok((Action::Deallocate(None), "DEALLOCATE ALL"));
    }
    Ok((Action::Deallocate(Some(last_name(words)?)), "DEALLOCATE"))
}

/// `ALTER SEQUENCE … AS`; `None` for other changes.
fn sequence_type(words: &mut Words<'_>) -> Option<Action> {
    let if_exists = words.accept("if") && words.accept("exists");
    let mut name = words.name().ok()?;
    if name == "public" && words.symbol(b'.') {
        name = words.name().ok()?;
    }
    let is_as = words.accept("as");
    let ty = words.one_of(&["smallint", "int2", "integer", "int", "int4", "bigint", "int8"])?;
    let bytes = match ty {
        "smallint" | "int2" => 2,
        "bigint" | "int8" => 8,
        _ => 4,
    };
    let ty = SequenceType { name, bytes, if_exists };
    (is_as && words.end().is_ok()).then_some(Action::AlterSequence(ty))
}

/// No other transaction changes what this one reads, so the locks of readers are nothing.
fn lock(words: &mut Words<'_>) -> Result<Action> {
    let mut last = [String::new(), String::new(), String::new()];
    while words.peek().is_some() {
        last.rotate_left(1);
        last[2] = words.word();
        words.next();
    }
    let last = last.each_ref().map(String::as_str);
    match last {
        ["access" | "row", "share", "mode"] => Ok(Action::Nothing),
        _ => Err(Error::unsupported("LOCK TABLE")),
    }
}
