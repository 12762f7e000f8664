//! PREPARE and EXECUTE of SQL, which share their names with the protocol's statements.

use std::rc::Rc;

use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::Action;
use sqlite_wasm_postgres::types::infer::Output;
use sqlite_wasm_postgres::values::{Format, encode};

use super::converse::Conversation;
use super::failure::Result;
use super::store::{Analysed, Statement, check_length};
use crate::session::error::Error as SessionError;

impl Conversation<'_> {
    /// Prepare a statement under a name, for PREPARE of this text.
    pub fn prepare(&mut self, name: &str, types: &[u32], sql: &str, text: &str) -> Result<()> {
        check_length(sql)?;
        let prepared = self.analysed(sql, types)?;
        let can_be = |one: &Rc<Analysed>| {
            let command = one.statement.command.as_str();
            matches!(one.statement.action, Action::Run)
                && matches!(command, "SELECT" | "INSERT" | "UPDATE" | "DELETE")
        };
        if !prepared.as_ref().is_some_and(can_be) {
            let message = "PREPARE of anything but SELECT, INSERT, UPDATE, DELETE and VALUES";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).into());
        }
        let statement = Statement::of_sql(prepared, text.to_owned(), self.begun);
        Ok(self.store.prepare(name, statement)?)
    }

    /// The statement that EXECUTE names, which must have as many parameters.
    pub fn prepared_for(&self, name: &str, arguments: &[String]) -> Result<Rc<Analysed>> {
        let none = || Error::new("26000", format!("prepared statement \"{name}\" does not exist"));
        let prepared = self.prepared(name)?.ok_or_else(none)?;
        let (given, expected) = (arguments.len(), prepared.parameters.len());
        if given != expected {
            let message = format!("wrong number of parameters for prepared statement \"{name}\"");
            let detail = format!("Expected {expected} parameters but got {given}.");
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).detail(detail).into());
        }
        Ok(prepared)
    }

    /// The statement that EXECUTE names, and the values of its arguments.
    pub fn executed(
        &mut self,
        name: &str,
        arguments: &[String],
    ) -> Result<(Rc<Analysed>, Vec<Value>)> {
        let prepared = self.prepared_for(name, arguments)?;
        self.prepared_to_run(name)?;
        if arguments.is_empty() {
            return Ok((prepared, Vec::new()));
        }
        let typed = prepared.parameters.iter().zip(arguments);
        let typed: Vec<_> =
            typed.map(|(one, argument)| format!("({argument})::{}", one.ty.name())).collect();
        let texts = self.texts(&format!("SELECT {}", typed.join(", ")), &[], &[])?;
        let texts = texts.unwrap_or_default();
        let values = prepared.parameters.iter().zip(texts);
        let values = values.map(|(one, text)| one.value(text.as_deref(), Format::Text));
        let values = values.map(|value| value.map(Value::from));
        let values = values.collect::<Result<Vec<_>, Error>>()?;
        Ok((prepared, values))
    }

    /// The first row of a query, as text; `None` if it has no row.
    pub fn texts(
        &mut self,
        sql: &str,
        given: &[u32],
        values: &[Value],
    ) -> Result<Option<Vec<Option<Vec<u8>>>>> {
        let Some(query) = self.analysed(sql, given)? else { return Ok(None) };
        let mut found = None;
        self.engine.run(
            &query.statement.sql,
            |prepared| super::execute::bind(prepared, values),
            |prepared| {
                if prepared.readonly() {
                    Ok(())
                } else {
                    Err(Error::new(sqlstate::SYNTAX_ERROR, "an argument writes").into())
                }
            },
            |row| {
                if found.is_none() {
                    let text = |(at, column): (usize, &Output)| {
                        let mut text = Vec::new();
                        let value = row.get_ref(at).map_err(SessionError::from)?;
                        let is_some = encode(value.into(), column.typed, Format::Text, &mut text)?;
                        Ok(is_some.then_some(text))
                    };
                    let all = query.columns.iter().enumerate().map(text);
                    found = Some(all.collect::<Result<Vec<_>, SessionError>>()?);
                }
                Ok(())
            },
        )?;
        Ok(found)
    }
}
