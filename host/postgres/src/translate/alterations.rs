//! The changes of a table that SQLite has no statement for, as steps: constraints, defaults and types.
//!
//! What a step writes into the schema is translated as a part of a CREATE TABLE, so it means the same as
//! where it is written there. [`crate::table_text`] puts it into the text of the table.

mod added;
mod changes;
mod comments;
mod step;
mod written;

use sqlparser::ast::{
    self, AlterColumnOperation as ColumnOperation, AlterTable, AlterTableOperation as Operation,
    ColumnOption, GeneratedAs, IndexColumn, TableConstraint,
};

use super::constraints::check_unique;
use super::definitions::column_part;
use super::names::{folded, last, quoted_name};
use super::numbering::check_options;
use super::{Context, Statement, Tree};
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::Schema;
pub use changes::{Identity, check_collation};
pub use step::{Name, Step};
use written::Written;

/// Changes of a statement at most: each is translated with all columns of the table.
const MAX_OPERATIONS: usize = 200;

/// Whether SQLite's own statements do not do all of it.
pub fn is_more_than_sqlite(table: &AlterTable) -> bool {
    table.operations.iter().any(|operation| match operation {
        Operation::AddColumn { column_def, .. } => {
            column_def.options.iter().any(|option| is_unique(option) || added::is_computed(option))
        }
        other => matches!(
            other,
            Operation::DropColumn { .. }
                | Operation::RenameColumn { .. }
                | Operation::RenameTable { .. }
                | Operation::AddConstraint { .. }
                | Operation::DropConstraint { .. }
                | Operation::RenameConstraint { .. }
                | Operation::ValidateConstraint { .. }
                | Operation::AlterColumn { .. }
        ),
    })
}

/// The steps of a statement whose action is to alter a table.
///
/// # Errors
///
/// 0A000 for what cannot be done, 42703 for a column that is not there, and those of expressions.
pub fn steps(statement: &Statement, schema: &dyn Schema, context: &Context) -> Result<Vec<Step>> {
    let Some(tree) = statement.parsed.as_ref() else { return Ok(Vec::new()) };
    tree.read(schema, |tree, schema| {
        if let Some(commented) = comments::Commented::of(tree) {
            return commented.steps(schema, context);
        }
        if let ast::Statement::AlterIndex { name, operation } = tree {
            let ast::AlterIndexOperation::RenameIndex { index_name } = operation;
            return Ok(vec![Step::RenameIndex { name: last(name), to: last(index_name) }]);
        }
        let ast::Statement::AlterTable(table) = tree else { return Ok(Vec::new()) };
        if table.operations.len() > MAX_OPERATIONS {
            let message = format!("ALTER TABLE has more than {MAX_OPERATIONS} changes");
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
        }
        let is_renamed = |operation| renamed(&table.name, operation).is_some();
        if statement.has_odd_names && !table.operations.iter().all(is_renamed) {
            let what = "a quote inside a quoted name of a rewritten statement";
            return Err(Error::unsupported(what));
        }
        let written = Written::new(&table.name, schema, context)?.retyped(&table.operations)?;
        let steps = table.operations.iter().map(|operation| written.steps(table, operation));
        let mut steps = changes::with_collations(steps.collect::<Result<Vec<_>>>()?.concat());
        steps.sort_by_key(Step::pass);
        Ok(steps)
    })
}

/// The table that a statement alters.
pub fn altered(statement: &Statement) -> Option<String> {
    match statement.parsed.as_ref().and_then(Tree::top)? {
        ast::Statement::AlterTable(table) => Some(last(&table.name)),
        tree => comments::Commented::of(tree).map(|commented| last(&commented.table)),
    }
}

/// Whether a statement is a comment that the text of a table can have.
pub fn is_comment(tree: &ast::Statement) -> bool {
    comments::Commented::of(tree).is_some()
}

/// The step of a RENAME of a table or column; `None` for others.
fn renamed(table: &ast::ObjectName, operation: &Operation) -> Option<Step> {
    let table = quoted_name(&last(table));
    Some(match operation {
        Operation::RenameColumn { old_column_name: old, new_column_name: new } => {
            let (column, new) = (folded(old), quoted_name(&folded(new)));
            let sql =
                format!("ALTER TABLE {table} RENAME COLUMN {} TO {new}", quoted_name(&column));
            Step::Renamed { sql, column: Some(column) }
        }
        Operation::RenameTable {
            table_name: ast::RenameTableNameKind::To(new) | ast::RenameTableNameKind::As(new),
        } => {
            let sql = format!("ALTER TABLE {table} RENAME TO {}", quoted_name(&last(new)));
            Step::Renamed { sql, column: None }
        }
        _ => return None,
    })
}

fn is_unique(option: &ast::ColumnOptionDef) -> bool {
    matches!(option.option, ColumnOption::Unique(_))
}

impl Written<'_> {
    fn steps(&self, table: &AlterTable, operation: &Operation) -> Result<Vec<Step>> {
        Ok(vec![match operation {
            Operation::AddConstraint { constraint, .. } => self.added(constraint)?,
            Operation::DropConstraint { if_exists, name, .. } => {
                Step::Drop { name: folded(name), if_exists: *if_exists }
            }
            Operation::RenameConstraint { .. }
            | Operation::RenameColumn { .. }
            | Operation::RenameTable { .. }
                if table.operations.len() > 1 =>
            {
                let message = "RENAME stands alone in ALTER TABLE";
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
            }
            Operation::RenameConstraint { old_name, new_name } => {
                Step::Rename { name: folded(old_name), to: folded(new_name) }
            }
            Operation::ValidateConstraint { name } => Step::Validate { name: folded(name) },
            Operation::AlterColumn { column_name, op } => self.changed(&folded(column_name), op)?,
            Operation::AddColumn { if_not_exists: true, .. }
            | Operation::DropColumn { if_exists: true, .. }
                if table.operations.len() > 1 =>
            {
                let what = "IF EXISTS of a column, or IF NOT EXISTS, beside other changes";
                return Err(Error::unsupported(what).hint("use ALTER TABLE for each of them"));
            }
            Operation::DropColumn { column_names, drop_behavior, .. } => {
                let cascades = matches!(drop_behavior, Some(ast::DropBehavior::Cascade));
                let drop = |column| Step::DropColumn { column: folded(column), cascades };
                return Ok(column_names.iter().map(drop).collect());
            }
            Operation::AddColumn { .. } => return self.added_column(operation),
            other => match renamed(&table.name, other) {
                Some(step) => step,
                None => self.own(other)?,
            },
        }])
    }

    fn added(&self, constraint: &TableConstraint) -> Result<Step> {
        match constraint {
            TableConstraint::Check(_) => self.check(constraint),
            TableConstraint::ForeignKey(_) => self.reference(constraint),
            TableConstraint::Unique(unique) => {
                check_unique(unique)?;
                let columns = unique.columns.iter().map(|column| self.key_column(column));
                let columns: Vec<_> = columns.collect::<Result<_>>()?;
                let base = || format!("{}_{}_key", self.table(), columns.join("_"));
                let name = Name::of(unique.name.as_ref(), base);
                Ok(Step::Unique { name, columns })
            }
            TableConstraint::PrimaryKey(_) => {
                let hint = "write PRIMARY KEY in CREATE TABLE, or add a UNIQUE constraint";
                Err(Error::unsupported("ALTER TABLE … ADD PRIMARY KEY").hint(hint))
            }
            other => {
                let words = super::definitions::first_words(&other.to_string(), 1);
                Err(Error::unsupported(format_args!("ALTER TABLE … ADD {words}")))
            }
        }
    }

    fn key_column(&self, column: &IndexColumn) -> Result<String> {
        let name = column_part(column);
        if self.has(&name) {
            return Ok(name);
        }
        let message = format!("column \"{name}\" named in key does not exist");
        Err(Error::new(sqlstate::UNDEFINED_COLUMN, message))
    }

    fn changed(&self, column: &str, operation: &ColumnOperation) -> Result<Step> {
        if !self.has(column) {
            let message =
                format!("column \"{column}\" of relation \"{}\" does not exist", self.table());
            return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
        }
        let column = column.to_owned();
        Ok(match operation {
            ColumnOperation::SetNotNull => Step::NotNull { column, is_set: true },
            ColumnOperation::DropNotNull => Step::NotNull { column, is_set: false },
            ColumnOperation::DropDefault => Step::Default { column, expression: None },
            ColumnOperation::SetDefault { value } => {
                if let Some(change) = changes::of_default(&column, value) {
                    return change;
                }
                let expression = self.default_of(&column, &self.type_of(&column), value)?;
                Step::Default { column, expression }
            }
            ColumnOperation::SetDataType { data_type, using, .. } => {
                let declared = self.data_type(&column, data_type)?;
                let using = using.as_ref().map(ToString::to_string);
                let wanted = data_type.to_string();
                Step::Type { column, declared, wanted, using, collation: None }
            }
            ColumnOperation::AddGenerated { generated_as, sequence_options } => {
                check_options(sequence_options.as_deref().unwrap_or_default())?;
                let is_always = matches!(generated_as, Some(GeneratedAs::Always));
                Step::Identity { column, change: Identity::Add { is_always } }
            }
        })
    }
}

#[cfg(test)]
mod tests;
