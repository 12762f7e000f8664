//! Functions of the session: the server has their values, and registers one function for all.

use sqlparser::ast::Expr;

use super::names::raw;
use crate::error::{Error, Result};

/// The function that the server registers: its first argument is the name of the other one.
pub const NAME: &str = "pg_session";

/// The functions, with the least and the most arguments.
const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("current_setting", 1, 2),
    ("set_config", 3, 3),
    ("current_schemas", 1, 1),
    ("lastval", 0, 0),
    ("currval", 1, 1),
    ("pg_notify", 2, 2),
    ("pg_advisory_lock", 1, 2),
    ("pg_advisory_lock_shared", 1, 2),
    ("pg_advisory_unlock", 1, 2),
    ("pg_advisory_unlock_all", 0, 0),
    ("pg_advisory_unlock_shared", 1, 2),
    ("pg_advisory_xact_lock", 1, 2),
    ("pg_advisory_xact_lock_shared", 1, 2),
    ("pg_try_advisory_lock", 1, 2),
    ("pg_try_advisory_lock_shared", 1, 2),
    ("pg_try_advisory_xact_lock", 1, 2),
    ("pg_try_advisory_xact_lock_shared", 1, 2),
    ("pg_sleep", 1, 1),
];

/// What fails where a relation does not exist.
pub fn no_relation(name: &Expr) -> String {
    format!("{NAME}('no_relation', {name})")
}

/// Whether a function is one of them.
pub fn is_one(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, ..)| *known == name)
}

/// A call of one of them, as SQLite has it; `None` for another function.
///
/// # Errors
///
/// 0A000 in a definition: other programs that read the file have no session.
pub fn call(name: &str, arguments: &[Expr], is_definition: bool) -> Result<Option<Expr>> {
    let fits = |(known, least, most): &&(&str, usize, usize)| {
        *known == name && (*least..=*most).contains(&arguments.len())
    };
    if !FUNCTIONS.iter().any(|function| fits(&function)) {
        return Ok(None);
    }
    if is_definition {
        return Err(Error::unsupported(format_args!("{name} in a definition")));
    }
    let mut sql = format!("{NAME}('{name}'");
    for argument in arguments {
        sql.push_str(", ");
        sql.push_str(&argument.to_string());
    }
    sql.push(')');
    Ok(Some(raw(sql)))
}
