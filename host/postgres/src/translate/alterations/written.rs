//! What a step writes into a schema, as CREATE TABLE has it.

use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation as Operation, DataType, Expr, ObjectName,
    TableConstraint,
};

use super::super::names::{folded, last, quoted_name};
use super::super::{Context, translate};
use super::{Name, Step};
use crate::error::{Error, Result, sqlstate};
use crate::table_text::{Clause, ClauseKind, TableText};
use crate::types::infer::{Column, Schema};
use crate::types::parameters;

/// A table that is altered, with its columns as they are before that.
pub struct Written<'a> {
    table: String,
    columns: Vec<Column>,
    schema: &'a dyn Schema,
    context: &'a Context,
}

impl<'a> Written<'a> {
    /// # Errors
    ///
    /// 42P01 if the table does not exist.
    pub fn new(table: &ObjectName, schema: &'a dyn Schema, context: &'a Context) -> Result<Self> {
        let table = last(table);
        let columns = schema.columns(&table).ok_or_else(|| {
            let message = format!("relation \"{table}\" does not exist");
            Error::new(sqlstate::UNDEFINED_TABLE, message)
        })?;
        Ok(Self { table, columns, schema, context })
    }

    /// With the types that the statement itself changes: constraints and defaults come when columns have their types.
    ///
    /// # Errors
    ///
    /// 0A000 for a type that is not understood.
    pub fn retyped(mut self, operations: &[Operation]) -> Result<Self> {
        for operation in operations {
            let Operation::AlterColumn {
                column_name,
                op: AlterColumnOperation::SetDataType { data_type, .. },
            } = operation
            else {
                continue;
            };
            let name = folded(column_name);
            let declared = self.data_type(&name, data_type)?;
            let known = self.columns.iter_mut().find(|one| one.name.eq_ignore_ascii_case(&name));
            if let Some(column) = known {
                (column.declared, column.computed) = (declared, None);
            }
        }
        Ok(self)
    }

    /// The name of the table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Whether it has a column.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known.name.eq_ignore_ascii_case(column))
    }

    /// What SQLite runs itself.
    pub fn own(&self, operation: &Operation) -> Result<Step> {
        let sql = format!("ALTER TABLE {} {operation}", quoted_name(&self.table));
        let (sql, after) = self.translated(&sql)?;
        Ok(Step::Own { sql, after })
    }

    pub fn check(&self, constraint: &TableConstraint) -> Result<Step> {
        let sql = self.with_constraint(&self.table, constraint)?;
        let (clause, text) = last_constraint(&sql)?;
        let name = match (constraint, clause.name) {
            (TableConstraint::Check(check), _) if check.name.is_some() => {
                Name::of(check.name.as_ref(), String::new)
            }
            (_, Some((name, _))) => Name::Base(name),
            (_, None) => Name::Base(format!("{}_check", self.table)),
        };
        let condition =
            text.split_once('(').and_then(|(_, rest)| rest.trim_end().strip_suffix(')'));
        let condition = condition.unwrap_or_default().to_owned();
        Ok(Step::Check { name, condition })
    }

    pub fn reference(&self, constraint: &TableConstraint) -> Result<Step> {
        let TableConstraint::ForeignKey(key) = constraint else {
            return Err(not_understood());
        };
        for column in &key.columns {
            let column = folded(column);
            if !self.has(&column) {
                let message = format!(
                    "column \"{column}\" referenced in foreign key constraint does not exist"
                );
                return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
            }
        }
        // Under another name, it refers to the table itself as to one that is there.
        let sql = self.with_constraint(&format!("{} ", self.table), constraint)?;
        let (clause, text) = last_constraint(&sql)?;
        let base = || format!("{}_{}_fkey", self.table, clause.columns.join("_"));
        let name = Name::of(key.name.as_ref(), base);
        let table = clause.table.ok_or_else(not_understood)?;
        Ok(Step::Reference { name, columns: clause.columns, table, text })
    }

    /// The type of a column that is there, in PostgreSQL's words.
    pub fn type_of(&self, column: &str) -> String {
        type_name(self.columns.iter().find(|known| known.name.eq_ignore_ascii_case(column)))
    }

    /// The default that a column of this type gets; `None` for NULL.
    pub fn default_of(&self, column: &str, ty: &str, value: &Expr) -> Result<Option<String>> {
        let sql = format!("CREATE TABLE t ({} {ty} DEFAULT {value})", quoted_name(column));
        let (sql, _) = self.translated(&sql)?;
        let text = TableText::read(&sql)?;
        let clauses = text.columns.first().map(|column| &column.clauses[..]).unwrap_or_default();
        let default = clauses.iter().find(|clause| clause.kind == ClauseKind::Default);
        let written = default.map(|clause| text.written(clause)).ok_or_else(not_understood)?;
        let expression = written.get("DEFAULT".len()..).unwrap_or_default().trim();
        Ok((!expression.eq_ignore_ascii_case("null")).then(|| expression.to_owned()))
    }

    /// A type as SQLite has it.
    pub fn data_type(&self, column: &str, data_type: &DataType) -> Result<String> {
        let sql = format!("CREATE TABLE t ({} {data_type})", quoted_name(column));
        let (sql, _) = self.translated(&sql)?;
        let text = TableText::read(&sql)?;
        let span = text.columns.first().map(|column| column.data_type.clone());
        let found = span.and_then(|span| sql.get(span)).filter(|found| !found.is_empty());
        found.map(str::to_owned).ok_or_else(not_understood)
    }

    fn with_constraint(&self, table: &str, constraint: &TableConstraint) -> Result<String> {
        let columns = self.columns.iter();
        let columns = columns
            .map(|column| format!("{} {}, ", quoted_name(&column.name), type_name(Some(column))));
        let columns: String = columns.collect();
        let table = quoted_name(table);
        Ok(self.translated(&format!("CREATE TABLE {table} ({columns}{constraint})"))?.0)
    }

    /// SQLite's statement, and what it must be able to prepare after that.
    fn translated(&self, sql: &str) -> Result<(String, Vec<String>)> {
        let mut statements = translate(sql, self.context)?;
        let mut statement = statements.pop().filter(|_| statements.is_empty());
        let statement = statement.as_mut().ok_or_else(not_understood)?;
        parameters::infer(statement, &[], self.schema, self.context)?;
        let after = std::mem::take(&mut statement.after);
        Ok((std::mem::take(&mut statement.sql), after))
    }
}

/// The last constraint of a table, and its text without its name.
fn last_constraint(sql: &str) -> Result<(Clause, String)> {
    let text = TableText::read(sql)?;
    let clause = text.constraints.last().ok_or_else(not_understood)?;
    Ok((clause.clone(), text.written(clause).to_owned()))
}

/// The type of a column, in PostgreSQL's words.
fn type_name(column: Option<&Column>) -> String {
    let typed = column.and_then(Column::typed);
    typed.map_or_else(|| "text".to_owned(), |typed| typed.ty.name())
}

fn not_understood() -> Error {
    Error::unsupported("this change of a table")
}
