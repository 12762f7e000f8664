//! Names: schemas, and pieces of SQL that are put into a tree.

pub use sql_tokens::{quoted_name, quoted_text as quoted};
use sqlparser::ast::{Expr, Ident, ObjectName, ObjectNamePart, Value};

use super::Rewriter;
use super::schemas::TEMPORARY;
use crate::error::{Error, Result, sqlstate};

/// A piece of SQL as an expression: it is written as it is.
pub fn raw(sql: impl Into<String>) -> Expr {
    Expr::Identifier(Ident::new(sql))
}

/// `sql` over values that it names more than once. Each is written once: what is nested would grow
/// without bound otherwise.
pub fn once(sql: &str, values: &[(&str, &Expr)]) -> Expr {
    let values: Vec<_> = values.iter().map(|(name, value)| format!("{value} AS {name}")).collect();
    raw(format!("(SELECT {sql} FROM (SELECT {}))", values.join(", ")))
}

/// A string as an expression.
pub fn literal(text: &str) -> Expr {
    Expr::Value(Value::Number(quoted(text), false).into())
}

/// The text of a string, as the rewriter left it.
pub fn string_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => {
                let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
                Some(inner.replace("''", "'"))
            }
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::UnicodeStringLiteral(text) => Some(text.clone()),
            Value::DollarQuotedString(text) => Some(text.value.clone()),
            _ => None,
        },
        Expr::Nested(inner) => string_of(inner),
        _ => None,
    }
}

/// The parts of a name.
pub fn parts(name: &ObjectName) -> Vec<&Ident> {
    name.0.iter().filter_map(ObjectNamePart::as_ident).collect()
}

/// The last part of a name, in lower case where it is not quoted.
pub fn last(name: &ObjectName) -> String {
    parts(name).last().map(|part| folded(part)).unwrap_or_default()
}

/// A name as Postgres has it.
pub fn folded(name: &Ident) -> String {
    match name.quote_style {
        None => name.value.to_lowercase(),
        Some(_) => name.value.clone(),
    }
}

/// Where a table of a schema is: `public` is SQLite's own, and the catalogue's tables are found by
/// their names alone.
enum Place {
    Plain,
    /// `information_schema.tables` is `information_schema_tables`.
    Prefixed,
    /// Those of the session.
    Temporary,
}

fn place(schema: &str) -> Result<Place> {
    match schema {
        "public" | "pg_catalog" => Ok(Place::Plain),
        // SQLite's own words, for programs that know them.
        "main" | "temp" => Ok(Place::Plain),
        "pg_temp" => Ok(Place::Temporary),
        "information_schema" => Ok(Place::Prefixed),
        other => {
            let message = format!("schema \"{other}\" does not exist");
            Err(Error::new(sqlstate::INVALID_SCHEMA, message))
        }
    }
}

/// Whether a name has the schema of temporary tables.
pub(super) fn is_temporary(name: &ObjectName) -> bool {
    let parts = parts(name);
    parts.iter().rev().nth(1).is_some_and(|schema| TEMPORARY.contains(&folded(schema).as_str()))
}

impl Rewriter<'_> {
    /// The name of a table, without its schema.
    pub(super) fn relation(&mut self, name: &mut ObjectName) -> Result<()> {
        let parts = parts(name);
        let [.., schema, table] = &parts[..] else { return Ok(()) };
        let mut table = (*table).clone();
        let schema = folded(schema);
        if matches!(schema.as_str(), "main" | "temp") && parts.len() == 2 {
            return Ok(());
        }
        let mut parts = Vec::new();
        match place(&schema)? {
            Place::Plain => {}
            Place::Prefixed => table.value = format!("information_schema_{}", table.value),
            Place::Temporary => parts.push(ObjectNamePart::Identifier(Ident::new("temp"))),
        }
        parts.push(ObjectNamePart::Identifier(table));
        self.replace(name, ObjectName(parts));
        Ok(())
    }

    /// `public.t.a` and `information_schema.tables.a`, without the schema.
    pub(super) fn column_name(&mut self, parts: &mut Vec<Ident>) -> Result<()> {
        while parts.len() > 2 {
            if matches!(place(&folded(&parts[parts.len() - 3]))?, Place::Prefixed) {
                let table = parts.len() - 2;
                parts[table].value = format!("information_schema_{}", parts[table].value);
            }
            parts.drain(..parts.len() - 2);
            self.is_changed = true;
        }
        Ok(())
    }
}
