//! The PRAGMAs that clients may run: those that `sql_tokens::pragmas` lets their role run.

use sql_tokens::pragmas::{CHECKPOINT, Clients, find};
use sql_tokens::{Token, Tokens};

use super::{Refusal, Role, named, shown, syntax};

/// Check what follows the word PRAGMA: `[schema.]name`, and a value behind `=` or `(`.
pub fn check(mut words: Tokens, role: Role, has_checkpoints: bool) -> Result<(), Refusal> {
    let mut word = next(&mut words)?;
    let mut after = words.next_word();
    if after.is_some_and(|word| word.is(".")) {
        named(&word)?;
        word = next(&mut words)?;
        after = words.next_word();
    }
    let name = named(&word)?;
    if name.eq_ignore_ascii_case(CHECKPOINT) && !has_checkpoints {
        let why = "is left to another program (`--no-checkpoints`)";
        return Err(Refusal(format!("PRAGMA {CHECKPOINT} {why}")));
    }
    let has_value = match after {
        Some(after) if after.is("=") || after.is("(") => true,
        Some(after) if !after.is(";") => return Err(syntax(&after)),
        _ => false,
    };
    match needed(&name, has_value) {
        Some(needed) if needed <= role => Ok(()),
        Some(needed) => Err(Refusal(format!(
            "PRAGMA {} needs the role `{}`",
            shown(&word),
            if needed == Role::Write { "write" } else { "owner" }
        ))),
        None => Err(Refusal(format!("PRAGMA {} is not available on this server", shown(&word)))),
    }
}

/// Whether a statement is the PRAGMA whose value SQLite takes for a change even where none is given.
pub fn only_shows(sql: &str) -> bool {
    let mut words = super::first_words(sql);
    if !words.next_word().is_some_and(|word| word.is("PRAGMA")) {
        return false;
    }
    let mut name = words.next_word();
    let mut after = words.next_word();
    if after.is_some_and(|word| word.is(".")) {
        name = words.next_word();
        after = words.next_word();
    }
    name.is_some_and(|word| {
        word.name().is_some_and(|name| name.eq_ignore_ascii_case("journal_mode"))
    }) && after.is_none_or(|word| word.is(";"))
}

fn next<'a>(words: &mut Tokens<'a>) -> Result<Token<'a>, Refusal> {
    words.next_word().ok_or_else(|| Refusal(super::INCOMPLETE.to_owned()))
}

/// The least role that may run a PRAGMA; none if no role may.
fn needed(name: &str, has_value: bool) -> Option<Role> {
    match find(name)?.clients(has_value) {
        Clients::Everybody => Some(Role::Read),
        Clients::Writers => Some(Role::Write),
        Clients::Owners => Some(Role::Owner),
        Clients::Nobody => None,
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
    needed(name, has_value)
}
