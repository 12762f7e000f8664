//! Statements about the session: transactions, settings, and what is done by doing nothing.

use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem, Set, SetExpr,
    TransactionAccessMode, TransactionMode,
};

use super::definitions::first_words;
use super::names::{folded, last, quoted_name, string_of};
use super::{Action, Statement};
use crate::error::{Error, Result};
use crate::lex::{Kind, Piece, Tokens};

/// Statements that are read by their words, as the parser has no or other trees for them.
pub fn unparsed(piece: &Piece<'_>) -> Result<Option<Statement>> {
    let words = words(piece.text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (action, command) = match &words[..] {
        ["begin", "work" | "transaction"] | ["begin"] => {
            (Action::Begin { is_read_only: None }, "BEGIN")
        }
        ["end" | "commit", ..] if !words.contains(&"prepared") => {
            chained(&words)?;
            (Action::Commit, "COMMIT")
        }
        ["abort"] | ["abort", "work" | "transaction"] => (Action::Rollback, "ROLLBACK"),
        ["reset", "all"] => (Action::ResetAll, "RESET"),
        ["reset", "session", "authorization"] | ["reset", "role"] => (Action::Nothing, "RESET"),
        ["reset", name] => (set(name, None, false), "RESET"),
        ["discard", "all"] => (Action::Discard, "DISCARD ALL"),
        ["discard", "temp" | "temporary" | "plans" | "sequences"] => (Action::Nothing, "DISCARD"),
        ["deallocate", "all"] | ["deallocate", "prepare", "all"] => {
            (Action::Deallocate(None), "DEALLOCATE ALL")
        }
        ["unlisten", ..] => (Action::Nothing, "UNLISTEN"),
        // No other transaction changes what this one reads.
        ["lock", .., "in", "access" | "row", "share", "mode"] => (Action::Nothing, "LOCK TABLE"),
        ["lock", ..] => return Err(Error::unsupported("LOCK TABLE")),
        ["show", "transaction", "isolation", "level"] => {
            (Action::Show("transaction_isolation".into()), "SHOW")
        }
        ["show", "time", "zone"] => (Action::Show("timezone".into()), "SHOW"),
        ["show", "session", "authorization"] => {
            (Action::Show("session_authorization".into()), "SHOW")
        }
        ["set", "session", "authorization", ..] | ["set", "constraints", ..] => {
            (Action::Nothing, "SET")
        }
        ["set", "time", "zone", ..] => return Ok(Some(time_zone(piece))),
        ["set", "session", "characteristics", ..] | ["set", "transaction", ..] => {
            (set("transaction_read_only", read_only(&words), words[1] == "transaction"), "SET")
        }
        ["listen", ..] => return Err(Error::unsupported("LISTEN")),
        ["prepare", "transaction", ..] => return Err(Error::unsupported("PREPARE TRANSACTION")),
        _ => return Ok(None),
    };
    Ok(Some(of_action(piece, action, command)))
}

/// At most this many words say what a statement of the session is.
const MAX_WORDS: usize = 16;

fn words(sql: &str) -> Vec<String> {
    let tokens = Tokens::of(sql).filter(|token| token.kind != Kind::Space).take(MAX_WORDS);
    tokens.map(|token| token.text.to_ascii_lowercase()).collect()
}

fn chained(words: &[&str]) -> Result<()> {
    match words.windows(2).any(|pair| pair == ["and", "chain"]) {
        true => Err(Error::unsupported("AND CHAIN")),
        false => Ok(()),
    }
}

fn read_only(words: &[&str]) -> Option<String> {
    let mode = words
        .windows(2)
        .rev()
        .find(|pair| pair[0] == "read" && matches!(pair[1], "only" | "write"));
    mode.map(|pair| if pair[1] == "only" { "on" } else { "off" }.to_owned())
}

fn set(name: &str, value: Option<String>, is_local: bool) -> Action {
    Action::Set { name: name.to_ascii_lowercase(), value, is_local }
}

fn time_zone(piece: &Piece<'_>) -> Statement {
    let mut words = Tokens::of(piece.text).filter(|token| token.kind != Kind::Space);
    let zone = words.nth(3).map(|zone| zone.text.trim_matches('\'').to_owned());
    let is_default =
        |zone: &String| ["local", "default"].iter().any(|word| zone.eq_ignore_ascii_case(word));
    let zone = zone.filter(|zone| !is_default(zone));
    of_action(piece, set("timezone", zone, false), "SET")
}

fn of_action(piece: &Piece<'_>, action: Action, command: &str) -> Statement {
    let sql = match action {
        Action::Begin { .. } => "BEGIN",
        Action::Commit => "COMMIT",
        Action::Rollback => "ROLLBACK",
        _ => "",
    };
    Statement { action, command: command.to_owned(), ..Statement::new(piece, sql.to_owned()) }
}

/// Statements of the session that are parsed.
pub fn statement(piece: &Piece<'_>, tree: &ast::Statement) -> Result<Option<Statement>> {
    use ast::Statement as S;
    let simple = |action, command: &str| Ok(Some(of_action(piece, action, command)));
    let run = |action, command: &str, sql: String| {
        let statement = of_action(piece, action, command);
        Ok(Some(Statement { sql, ..statement }))
    };
    match tree {
        S::StartTransaction { modes, .. } => {
            let words = words(piece.text);
            let command = if words.first().is_some_and(|word| word == "start") {
                "START TRANSACTION"
            } else {
                "BEGIN"
            };
            simple(Action::Begin { is_read_only: access(modes) }, command)
        }
        S::Rollback { chain: true, .. } => Err(Error::unsupported("AND CHAIN")),
        S::Rollback { savepoint: None, .. } => simple(Action::Rollback, "ROLLBACK"),
        S::Rollback { savepoint: Some(name), .. } => run(
            Action::RollbackTo,
            "ROLLBACK",
            format!("ROLLBACK TO {}", quoted_name(&folded(name))),
        ),
        S::Savepoint { name } => {
            run(Action::Savepoint, "SAVEPOINT", format!("SAVEPOINT {}", quoted_name(&folded(name))))
        }
        S::ReleaseSavepoint { name } => {
            run(Action::Release, "RELEASE", format!("RELEASE {}", quoted_name(&folded(name))))
        }
        S::Query(query) => Ok(configured(query).map(|action| of_action(piece, action, "SELECT"))),
        S::Set(set) => setting(set).map(|action| Some(of_action(piece, action, "SET"))),
        S::ShowVariable { variable } => {
            let name: Vec<_> = variable.iter().map(|part| part.value.to_lowercase()).collect();
            simple(Action::Show(name.join(".")), "SHOW")
        }
        S::Deallocate { name, .. } => simple(Action::Deallocate(Some(folded(name))), "DEALLOCATE"),
        S::CreateSchema { schema_name, if_not_exists: true, .. }
            if schema_name.to_string().trim_matches('"') == "public" =>
        {
            simple(Action::Nothing, "CREATE SCHEMA")
        }
        S::Prepare { .. } | S::Execute { .. } => {
            Err(Error::unsupported(first_words(piece.text, 1)).hint("prepare it by the protocol"))
        }
        _ => Ok(None),
    }
}

/// `SELECT set_config('name', 'value', false)`, and nothing else.
fn configured(query: &Query) -> Option<Action> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let [SelectItem::UnnamedExpr(Expr::Function(function))] = &select.projection[..] else {
        return None;
    };
    let is_alone = query.with.is_none() && query.limit_clause.is_none() && query.fetch.is_none();
    if !is_alone || !select.from.is_empty() || select.selection.is_some() {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    let [name, value, is_local] = &list.args[..] else { return None };
    let constant = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => string_of(expr),
        _ => None,
    };
    let is_local = match is_local.to_string().to_ascii_lowercase().as_str() {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    let is_it = last(&function.name) == "set_config";
    let name = constant(name).filter(|_| is_it)?.to_ascii_lowercase();
    Some(Action::Configure { name, value: constant(value)?, is_local })
}

fn access(modes: &[TransactionMode]) -> Option<bool> {
    modes.iter().rev().find_map(|mode| match mode {
        TransactionMode::AccessMode(mode) => Some(*mode == TransactionAccessMode::ReadOnly),
        TransactionMode::IsolationLevel(_) => None,
    })
}

fn setting(set_statement: &Set) -> Result<Action> {
    match set_statement {
        Set::SingleAssignment { scope, variable, values, .. } => {
            let is_local = matches!(scope, Some(ast::ContextModifier::Local));
            let text: Vec<_> = values.iter().map(value_text).collect();
            let text = text.join(", ");
            let value = (!text.eq_ignore_ascii_case("default")).then_some(text);
            Ok(set(&full_name(variable), value, is_local))
        }
        Set::SetTimeZone { value, .. } => Ok(set("timezone", Some(value_text(value)), false)),
        Set::SetNames { charset_name, .. } => {
            Ok(set("client_encoding", Some(charset_name.to_string()), false))
        }
        Set::SetNamesDefault {} => Ok(set("client_encoding", None, false)),
        Set::SetRole { .. } | Set::SetSessionAuthorization(_) => Ok(Action::Nothing),
        Set::SetTransaction { modes, session, .. } => {
            let value = access(modes)
                .map(|is_read_only| if is_read_only { "on" } else { "off" }.to_owned());
            Ok(set("transaction_read_only", value, !session))
        }
        other => Err(Error::unsupported(first_words(&other.to_string(), 2))),
    }
}

/// A setting's name: an extension's has a point.
fn full_name(name: &ast::ObjectName) -> String {
    if name.0.len() == 1 { last(name) } else { name.to_string().to_lowercase() }
}

fn value_text(expr: &Expr) -> String {
    string_of(expr).unwrap_or_else(|| match expr {
        Expr::Identifier(name) => name.value.clone(),
        other => other.to_string(),
    })
}
