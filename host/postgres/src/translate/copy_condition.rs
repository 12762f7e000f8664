//! `COPY … FROM STDIN WHERE`, which the parser does not know. The condition is that of a query of the table, so that it has
//! the table's types; when a row is inserted, a query of WITH with the table's name has that row alone.

use std::ops::ControlFlow;

use sql_tokens::Kind;
use sqlparser::ast::{self, Expr, Ident};

use super::names::{folded, quoted_name};
use super::{Action, Context, Copy, Statement};
use crate::error::{Error, Result, sqlstate};
use crate::lex::{self, Piece, tokens};
use crate::types::infer::Column;
use crate::types::{Scalar, Type};
use crate::walk::visit_expressions;

/// COPY without its condition, and the condition; none without one.
pub fn divided(text: &str) -> Option<(&str, &str)> {
    let mut words = tokens(text).filter(|token| token.kind != Kind::Space);
    words.next().filter(|first| first.text.eq_ignore_ascii_case("copy"))?;
    let mut depth = 0_usize;
    for token in words {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.saturating_sub(1),
            Kind::Word if depth == 0 && token.text.eq_ignore_ascii_case("where") => {
                return Some((&text[..token.start], &text[token.start + token.text.len()..]));
            }
            _ => {}
        }
    }
    None
}

/// COPY with a condition; [`Statement::sql`] finds a row of the table where it holds.
pub fn statement(piece: &Piece<'_>, condition: &str, context: &Context) -> Result<Statement> {
    let Action::Copy(mut copy) = super::as_written(piece, context)?.action else {
        return Err(syntax("where"));
    };
    let Some(table) = copy.table.as_deref().map(quoted_name) else { return Err(syntax("where")) };
    if !copy.is_in {
        let message = "WHERE clause not allowed with COPY TO";
        return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
    }
    check_nesting(condition)?;
    // A comment may end it.
    let text = format!("SELECT 1 FROM {table} WHERE ({condition}\n)");
    let query = super::as_written(&Piece { text: &text, ..*piece }, context)?;
    let Some(condition) = condition_of(&query) else { return Err(syntax("where")) };
    if query.parameters > 0 {
        return Err(Error::new(sqlstate::UNDEFINED_PARAMETER, "there is no parameter $1"));
    }
    let has_query = visit_expressions(condition, |expr| match expr {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    if has_query.is_break() {
        let message = "cannot use subquery in COPY FROM WHERE condition";
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    copy.is_filtered = true;
    let action = Action::Copy(copy);
    // SQLite would take an unknown name in double quotes for a string.
    let sql = lex::without_double_quotes(&query.sql);
    Ok(Statement { sql, action, command: "COPY".to_owned(), is_untouched: false, ..query })
}

fn syntax(near: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{near}\""))
}

/// Nothing of the condition ends the parentheses around it.
fn check_nesting(condition: &str) -> Result<()> {
    let mut depth = 0_usize;
    for token in tokens(condition) {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.checked_sub(1).ok_or_else(|| syntax(")"))?,
            _ => {}
        }
    }
    if depth == 0 {
        Ok(())
    } else {
        Err(Error::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input"))
    }
}

/// The condition of a query.
fn condition_of(statement: &Statement) -> Option<&Expr> {
    let ast::Statement::Query(query) = statement.parsed.as_ref()?.top()? else { return None };
    query.body.as_select()?.selection.as_ref()
}

impl Copy {
    /// The statement that inserts one row of `copied` where the condition of `statement` holds for what it has in `all`
    /// columns of the table.
    ///
    /// # Errors
    ///
    /// 42P10 for a generated column in the condition, 0A000 for a key that SQLite assigns later.
    pub fn insert_where(
        &self,
        statement: &Statement,
        copied: &[Column],
        all: &[Column],
    ) -> Result<String> {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for column in all.iter().filter(|column| !column.is_generated) {
            let at = copied.iter().position(|one| one.name == column.name);
            let value = match (at, &column.default) {
                (Some(at), _) => bound(at + 1, column),
                (None, Some(default)) => format!("({default})"),
                (None, None) if column.is_numbered() => continue,
                (None, None) => "NULL".to_owned(),
            };
            names.push(quoted_name(&column.name));
            values.push(value);
        }
        check_columns(statement, copied, all)?;
        let table = quoted_name(self.table.as_deref().unwrap_or_default());
        let (names, values, sql) = (names.join(", "), values.join(", "), &statement.sql);
        Ok(format!(
            "INSERT INTO {table} ({names}) WITH {table} ({names}) AS MATERIALIZED (SELECT {values}) \
             SELECT {names} FROM {table} WHERE EXISTS ({sql})"
        ))
    }
}

/// A value as the column would have it.
fn bound(parameter: usize, column: &Column) -> String {
    let affinity = match column.typed().map(|typed| typed.ty) {
        Some(Type::One(Scalar::Int2 | Scalar::Int4 | Scalar::Int8)) => "INTEGER",
        Some(Type::One(Scalar::Float4 | Scalar::Float8)) => "REAL",
        Some(Type::One(Scalar::Numeric)) => "NUMERIC",
        _ => return format!("?{parameter}"),
    };
    format!("CAST(?{parameter} AS {affinity})")
}

/// Whether the condition names columns that have no value yet.
fn check_columns(statement: &Statement, copied: &[Column], all: &[Column]) -> Result<()> {
    let Some(condition) = condition_of(statement) else { return Ok(()) };
    let is_named = |column: &Column| {
        let is_it = |name: &Ident| folded(name) == column.name;
        visit_expressions(condition, |expr| match expr {
            Expr::Identifier(name) if is_it(name) => ControlFlow::Break(()),
            Expr::CompoundIdentifier(parts) if parts.last().is_some_and(is_it) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
        .is_break()
    };
    for column in all.iter().filter(|column| is_named(column)) {
        if column.is_generated {
            let message = "generated columns are not supported in COPY FROM WHERE conditions";
            let detail = format!("Column \"{}\" is a generated column.", column.name);
            return Err(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message).detail(detail));
        }
        let is_copied = copied.iter().any(|one| one.name == column.name);
        if column.is_numbered() && column.default.is_none() && !is_copied {
            let what = format!("the number of \"{}\" in a condition of COPY", column.name);
            return Err(Error::unsupported(what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::translate;
    use super::*;

    fn one(sql: &str) -> Result<Statement> {
        translate(sql, &Context::default()).map(|mut all| all.remove(0))
    }

    fn column(name: &str, declared: &str) -> Column {
        Column { name: name.into(), declared: declared.into(), ..Column::default() }
    }

    #[test]
    fn a_condition_is_that_of_the_row() {
        let statement = one("COPY public.t (a) FROM STDIN (FORMAT csv) WHERE a > 1 AND b").unwrap();
        let Action::Copy(copy) = &statement.action else { unreachable!() };
        assert!(one("COPY t FROM STDIN WHERE a > 1 -- the larger").is_ok());
        let a = column("a", "int");
        let b = Column { default: Some("1".into()), ..column("b", "boolean") };
        let sql = copy.insert_where(&statement, std::slice::from_ref(&a), &[a.clone(), b]).unwrap();
        assert_eq!(
            sql,
            "INSERT INTO \"t\" (\"a\", \"b\") WITH \"t\" (\"a\", \"b\") AS MATERIALIZED \
             (SELECT CAST(?1 AS INTEGER), (1)) SELECT \"a\", \"b\" FROM \"t\" \
             WHERE EXISTS (SELECT 1 FROM `t` WHERE ( a > 1 AND b\n))"
        );
        let generated = Column { is_generated: true, ..column("a", "int") };
        assert_eq!(copy.insert_where(&statement, &[], &[generated]).unwrap_err().code, "42P10");
        let key = Column { is_key: true, ..column("a", "integer") };
        assert_eq!(copy.insert_where(&statement, &[], &[key]).unwrap_err().code, "0A000");
    }

    #[test]
    fn other_conditions_are_refused() {
        for (sql, code) in [
            ("COPY t TO STDOUT WHERE a > 1", "42601"),
            ("COPY (SELECT 1) TO STDOUT WHERE 1 = 1", "42601"),
            ("COPY t FROM STDIN WHERE", "42601"),
            ("COPY t FROM STDIN WHERE a > 1) OR (a < 5", "42601"),
            ("COPY t FROM STDIN WHERE -- a > 1", "42601"),
            ("COPY t FROM STDIN WHERE (a > 1", "42601"),
            ("COPY t FROM STDIN WHERE a > 1 WITH (FORMAT csv)", "42601"),
            ("COPY t FROM STDIN WHERE a > 1 ORDER BY a", "42601"),
            ("COPY t FROM STDIN WHERE a = $1", "42P02"),
            ("COPY t FROM STDIN WHERE (SELECT true)", "0A000"),
        ] {
            assert_eq!(one(sql).unwrap_err().code, code, "{sql}");
        }
    }
}
