//! PREPARE and EXECUTE, which are read by their words.

use sql_tokens::{Kind, Token};

use super::session::name;
use super::{Action, Statement};
use crate::error::{Error, Result, sqlstate};
use crate::lex::{Piece, tokens};
use crate::types::Typed;

/// Arguments of EXECUTE, and types of PREPARE, at most.
const MAX_ARGUMENTS: usize = 1000;

fn syntax(near: &str) -> Error {
    let near: String = near.chars().take(64).collect();
    Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{near}\""))
}

/// A statement that prepares another one, or executes it.
pub fn statement(piece: &Piece<'_>) -> Result<Option<Statement>> {
    let mut words = tokens(piece.text);
    let Some(verb) = words.next_word() else { return Ok(None) };
    let is_prepare = verb.text.eq_ignore_ascii_case("prepare");
    if verb.kind != Kind::Word || !(is_prepare || verb.text.eq_ignore_ascii_case("execute")) {
        return Ok(None);
    }
    let own = words.next_word().ok_or_else(|| syntax(verb.text))?;
    let statement_name = name(&own).ok_or_else(|| syntax(own.text))?;
    let rest = &piece.text[own.start + own.text.len()..];
    let (list, after) = parenthesized(rest)?;
    let (action, command) = if is_prepare {
        let sql = after.trim_start();
        let word = sql.get(..2).filter(|word| word.eq_ignore_ascii_case("as"));
        let sql = word.map(|_| &sql[2..]).ok_or_else(|| syntax(sql))?;
        if !sql.starts_with(|c: char| c.is_whitespace() || c == '(') {
            return Err(syntax(sql));
        }
        let types = list.into_iter().map(oid).collect::<Result<_>>()?;
        let sql = sql.trim().to_owned();
        (Action::Prepare { name: statement_name, types, sql }, "PREPARE")
    } else if after.trim().is_empty() {
        let arguments = list.into_iter().map(str::to_owned).collect();
        (Action::Execute { name: statement_name, arguments }, "EXECUTE")
    } else {
        return Err(syntax(after.trim()));
    };
    let statement = Statement::new(piece, String::new());
    // Those of the text are the prepared statement's own.
    let parameters = if is_prepare { 0 } else { statement.parameters };
    if parameters > 0 {
        return Err(Error::new(sqlstate::UNDEFINED_PARAMETER, "there is no parameter $1"));
    }
    Ok(Some(Statement { action, command: command.to_owned(), parameters, ..statement }))
}

/// What is between parentheses, by its commas, and what follows; nothing without them.
fn parenthesized(text: &str) -> Result<(Vec<&str>, &str)> {
    let text = text.trim_start();
    if !text.starts_with('(') {
        return Ok((Vec::new(), text));
    }
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 1);
    for Token { kind, start: at, .. } in tokens(text) {
        match kind {
            Kind::Symbol(b'(' | b'[') => depth += 1,
            Kind::Symbol(b',') if depth == 1 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            Kind::Symbol(b')' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    parts.push(text[start..at].trim());
                    if parts.len() > MAX_ARGUMENTS || parts.iter().any(|part| part.is_empty()) {
                        return Err(syntax(")"));
                    }
                    return Ok((parts, &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    Err(Error::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input"))
}

fn oid(name: &str) -> Result<u32> {
    if name.eq_ignore_ascii_case("unknown") {
        return Ok(0);
    }
    Typed::declared(name).map(|typed| typed.ty.oid()).ok_or_else(|| {
        Error::new(sqlstate::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};
    use super::*;

    fn action(sql: &str) -> Result<Action> {
        Ok(translate(sql, &Context::default())?.remove(0).action)
    }

    #[test]
    fn statements_are_prepared_and_executed_by_their_names() {
        let types = vec![23, 1700];
        let sql = "SELECT $1, ')' || $2".to_owned();
        assert_eq!(
            action("PREPARE P (int, numeric(5, 2)) AS SELECT $1, ')' || $2").unwrap(),
            Action::Prepare { name: "p".into(), types, sql }
        );
        let arguments = vec!["f(1, 2)".to_owned(), "'a,)'".to_owned()];
        assert_eq!(
            action("execute \"P\"(f(1, 2), 'a,)')").unwrap(),
            Action::Execute { name: "P".into(), arguments }
        );
        for wrong in ["PREPARE p", "EXECUTE p(1", "EXECUTE p(1,)", "PREPARE p(int) SELECT 1"] {
            assert_eq!(action(wrong).unwrap_err().code, "42601", "{wrong}");
        }
        assert_eq!(action("PREPARE p(foo) AS SELECT 1").unwrap_err().code, "42704");
        let prepare = translate("PREPARE p(int) AS SELECT $1", &Context::default()).unwrap();
        assert_eq!(prepare[0].parameters, 0);
        assert_eq!(action("EXECUTE p($1)").unwrap_err().code, "42P02");
    }
}
