//! SET, RESET and SHOW.

use super::words::{Words, string};
use super::{Modes, modes};
use crate::error::{Error, Result, sqlstate};
use crate::state::zone_of_interval;
use crate::translate::{Action, ConstraintName};
use sql_tokens::Kind;

/// Settings that are lists of names, which are quoted where they need it.
const NAMES: &[&str] =
    &["search_path", "temp_tablespaces", "local_preload_libraries", "session_preload_libraries"];

/// Settings that are lists.
const LISTS: &[&str] = &["datestyle", "wal_consistency_checking", "log_destination"];

/// What follows SET.
pub fn set(words: &mut Words<'_>) -> Result<Action> {
    let scope = words.one_of(&["session", "local"]);
    let is_local = scope == Some("local");
    if words.accept("transaction") {
        return transaction(words);
    }
    if scope == Some("session") && words.accept("characteristics") {
        words.expect("as")?;
        words.expect("transaction")?;
        let modes = modes(words)?;
        words.end()?;
        return Ok(Action::SetModes { modes, is_session: true });
    }
    // `SET SESSION AUTHORIZATION` and `SET SESSION SESSION AUTHORIZATION`.
    if scope == Some("session") && words.accept("authorization") {
        return identity(words, "session_authorization", "default", is_local);
    }
    if scope.is_none() && words.accept("constraints") {
        return constraints(words);
    }
    special(words, is_local)
}

/// What has words of its own.
fn special(words: &mut Words<'_>, is_local: bool) -> Result<Action> {
    let name = words.name()?;
    let is_word = !matches!(words.peek().map(|token| token.kind), Some(Kind::Symbol(_)) | None)
        && !matches!(words.word().as_str(), "to");
    if !is_word {
        return setting(words, name, is_local);
    }
    match name.as_str() {
        "time" if words.accept("zone") => zone(words, is_local),
        "session" if words.accept("authorization") => {
            identity(words, "session_authorization", "default", is_local)
        }
        "role" => identity(words, "role", "none", is_local),
        "names" => {
            let value = value(words)?;
            finished(words, "client_encoding", value.filter(|value| value != "default"), is_local)
        }
        "schema" => {
            let schema = words.next().and_then(|token| string(&token));
            let schema = schema.ok_or_else(|| words.wrong())?;
            finished(words, "search_path", Some(quote_ident(&schema)), is_local)
        }
        "xml" if words.accept("option") => {
            let option = words.one_of(&["document", "content"]).ok_or_else(|| words.wrong())?;
            finished(words, "xmloption", Some(option.to_owned()), is_local)
        }
        "catalog" => Err(Error::unsupported("SET CATALOG")),
        _ => Err(words.wrong()),
    }
}

fn finished(
    words: &mut Words<'_>,
    name: &str,
    value: Option<String>,
    is_local: bool,
) -> Result<Action> {
    words.end()?;
    Ok(Action::Set { name: name.to_owned(), value, is_local })
}

fn transaction(words: &mut Words<'_>) -> Result<Action> {
    if words.accept("snapshot") {
        return Err(Error::unsupported("SET TRANSACTION SNAPSHOT"));
    }
    let modes = modes(words)?;
    words.end()?;
    if modes == Modes::default() {
        return Err(words.wrong());
    }
    Ok(Action::SetModes { modes, is_session: false })
}

fn identity(words: &mut Words<'_>, name: &str, own: &str, is_local: bool) -> Result<Action> {
    let token = words.peek();
    let given = match token.as_ref().and_then(string) {
        Some(text) => {
            words.next();
            text
        }
        None => words.name()?,
    };
    let is_own = given == own && token.is_some_and(|token| token.kind == Kind::Word);
    finished(words, name, (!is_own).then_some(given), is_local)
}

/// `SET CONSTRAINTS ALL DEFERRED` and `SET CONSTRAINTS a, public.b IMMEDIATE`.
fn constraints(words: &mut Words<'_>) -> Result<Action> {
    let names = if words.accept("all") { None } else { Some(constraint_names(words)?) };
    let when = words.one_of(&["deferred", "immediate"]).ok_or_else(|| words.wrong())?;
    words.end()?;
    Ok(Action::SetConstraints { names, is_immediate: when == "immediate" })
}

fn constraint_names(words: &mut Words<'_>) -> Result<Vec<ConstraintName>> {
    let mut names = Vec::new();
    loop {
        let (mut schema, mut name) = (None, words.name()?);
        while words.symbol(b'.') {
            schema = Some(std::mem::replace(&mut name, words.name()?));
        }
        names.push(ConstraintName { schema, name });
        if !words.symbol(b',') {
            return Ok(names);
        }
    }
}

fn zone(words: &mut Words<'_>, is_local: bool) -> Result<Action> {
    if words.one_of(&["local", "default"]).is_some() {
        return finished(words, "timezone", None, is_local);
    }
    if !words.accept("interval") {
        let value = value(words)?.ok_or_else(|| words.wrong())?;
        return finished(words, "timezone", Some(value), is_local);
    }
    if words.symbol(b'(') {
        words.next();
        if !words.symbol(b')') {
            return Err(words.wrong());
        }
    }
    let text = words.next().and_then(|token| string(&token)).ok_or_else(|| words.wrong())?;
    if let Some(field) = words.one_of(&["hour", "minute"])
        && field == "hour"
        && words.accept("to")
    {
        words.expect("minute")?;
    }
    let Some(zone) = zone_of_interval(&text) else {
        let shown: String = text.chars().take(32).collect();
        let error = Error::unsupported(format_args!("the time zone INTERVAL '{shown}'"));
        return Err(error.hint("the server's time zone is UTC"));
    };
    finished(words, "timezone", Some(zone.to_owned()), is_local)
}

/// `name = value, …`.
fn setting(words: &mut Words<'_>, mut name: String, is_local: bool) -> Result<Action> {
    while words.symbol(b'.') {
        name = format!("{name}.{}", words.name()?);
    }
    let name = name.to_lowercase();
    if !words.accept("to") && !words.symbol(b'=') {
        return Err(words.wrong());
    }
    if words.accept("default") {
        return finished(words, &name, None, is_local);
    }
    let is_names = NAMES.contains(&name.as_str());
    let mut values = Vec::new();
    loop {
        let one = value(words)?.ok_or_else(|| words.wrong())?;
        values.push(if is_names { quote_ident(&one) } else { one });
        if !words.symbol(b',') {
            break;
        }
    }
    if values.len() > 1 && !is_names && !LISTS.contains(&name.as_str()) {
        let message = format!("SET {name} takes only one argument");
        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    }
    finished(words, &name, Some(values.join(", ")), is_local)
}

/// A string, a word, or a number with its sign; `None` if nothing follows.
fn value(words: &mut Words<'_>) -> Result<Option<String>> {
    let sign = if words.symbol(b'-') { "-" } else { "" };
    let is_number = !sign.is_empty() || words.symbol(b'+');
    let Some(token) = words.peek() else { return Ok(None) };
    if let Some(text) = string(&token).filter(|_| !is_number) {
        words.next();
        return Ok(Some(text));
    }
    if !is_number && let Ok(name) = words.name() {
        return Ok(Some(name));
    }
    if token.kind != Kind::Number || token.text.parse::<f64>().is_err() {
        return Err(words.wrong());
    }
    words.next();
    Ok(Some(format!("{sign}{}", token.text)))
}

/// What follows RESET.
pub fn reset(words: &mut Words<'_>) -> Result<Action> {
    let name = name(words)?;
    words.end()?;
    Ok(match name.as_str() {
        "all" => Action::ResetAll,
        _ => Action::Set { name, value: None, is_local: false },
    })
}

/// What follows SHOW.
pub fn show(words: &mut Words<'_>) -> Result<Action> {
    let name = name(words)?;
    words.end()?;
    Ok(if name == "all" { Action::ShowAll } else { Action::Show(name) })
}

/// The name of a setting, or the words for it.
fn name(words: &mut Words<'_>) -> Result<String> {
    let mut name = words.name()?.to_lowercase();
    let known: Option<(&[&str], &str)> = match name.as_str() {
        "time" => Some((&["zone"], "timezone")),
        "session" => Some((&["authorization"], "session_authorization")),
        "transaction" => Some((&["isolation", "level"], "transaction_isolation")),
        _ => None,
    };
    if let Some((rest, setting)) = known {
        rest.iter().try_for_each(|word| words.expect(word))?;
        return Ok(setting.to_owned());
    }
    while words.symbol(b'.') {
        name = format!("{name}.{}", words.name()?.to_lowercase());
    }
    Ok(name)
}

/// A name in quotes where it needs them.
fn quote_ident(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_simple = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if is_simple && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        super::super::names::quoted_name(name)
    }
}
