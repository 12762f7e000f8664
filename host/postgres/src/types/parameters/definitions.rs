//! Definitions that PostgreSQL refuses when they are made, and SQLite when they are used.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, CreateIndex, CreateTable, CreateView, Expr,
    ForeignKeyConstraint, Ident, IndexColumn, Query, TableConstraint, ViewColumnDef, Visitor,
};

use super::super::infer::{Scope, columns_of_query, function_type};
use super::super::resolve::{family, is_aggregate_name};
use super::super::{Scalar, Type, Typed};
use super::{Finder, is_given};
use crate::error::{Error, sqlstate};
use crate::translate::{check_modifier, folded, table_name, typed};
use crate::walk::Walk;

/// What an expression of a definition contains.
#[derive(Default)]
struct Parts {
    has_query: bool,
    has_aggregate: bool,
    /// Whether its value is another one at another time.
    is_volatile: bool,
    /// Names of columns.
    columns: Vec<String>,
}

impl Parts {
    fn of(expr: &Expr) -> Self {
        let mut parts = Self::default();
        // It never breaks.
        let _ = expr.walk(&mut parts);
        parts
    }
}

impl Visitor for Parts {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.has_query = true;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) if !is_keyword(name) => self.columns.push(folded(name)),
            Expr::CompoundIdentifier(parts) => self.columns.extend(parts.last().map(folded)),
            Expr::Function(function) => {
                self.is_volatile |= VOLATILE.contains(&table_name(&function.name).as_str());
                self.has_aggregate |= is_aggregate_name(&table_name(&function.name));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Functions whose values an index cannot keep.
const VOLATILE: &[&str] = &[
    "clock_timestamp",
    "current_date",
    "current_time",
    "current_timestamp",
    "gen_random_uuid",
    "localtime",
    "localtimestamp",
    "now",
    "random",
    "statement_timestamp",
    "timeofday",
    "transaction_timestamp",
];

fn is_keyword(name: &Ident) -> bool {
    name.quote_style.is_none()
        && (function_type(&name.value.to_ascii_lowercase()).is_some()
            || name.value.eq_ignore_ascii_case("current_role"))
}

fn refused(code: &'static str, message: impl Into<String>) -> Result<(), Error> {
    Err(Error::new(code, message))
}

/// A key of values whose texts differ where they are equal: SQLite compares texts.
fn unique(own: Typed) -> Result<(), Error> {
    if !matches!(own.ty, Type::One(Scalar::Interval | Scalar::Jsonb)) {
        return Ok(());
    }
    let hint = "make a key of an expression of it, as extract(epoch from …) or a text";
    Err(Error::unsupported(format_args!("a key of {}", own.ty.name())).hint(hint))
}

fn checked_unique(columns: &[IndexColumn], table: &CreateTable) -> Result<(), Error> {
    let scope = Scope::of_definition(table);
    columns.iter().filter_map(|column| scope.type_of(&column.column.expr)).try_for_each(unique)
}

/// Whether numbers of a type become those of another one by themselves: others are compared with no key of it.
fn is_implicit(own: Typed, other: Typed) -> bool {
    let rank = |typed: Typed| match typed.ty {
        Type::One(Scalar::Int2 | Scalar::Int4 | Scalar::Int8) => Some(0),
        Type::One(Scalar::Numeric) => Some(1),
        Type::One(Scalar::Float4 | Scalar::Float8) => Some(2),
        _ => None,
    };
    rank(own).zip(rank(other)).is_none_or(|(own, other)| own <= other)
}

impl Finder<'_> {
    pub(super) fn check_table(&mut self, table: &CreateTable) {
        if table.query.is_none()
            && let Err(error) = self.checked_table(table)
        {
            self.refuse(error);
        }
    }

    pub(super) fn check_operations(&mut self, operations: &[AlterTableOperation]) {
        for operation in operations {
            if let AlterTableOperation::AddColumn { column_def, .. } = operation
                && let Err(error) = self.checked_column(column_def, None)
            {
                self.refuse(error);
            }
        }
    }

    pub(super) fn check_index(&mut self, index: &CreateIndex) {
        let columns = index.columns.iter().map(|column| &column.column.expr);
        if index.unique {
            let scope = Scope::of_table(&index.table_name, None, self.schema);
            let types: Vec<_> = index
                .columns
                .iter()
                .filter_map(|column| scope.type_of(&column.column.expr))
                .collect();
            let checked = types.into_iter().try_for_each(unique);
            checked.unwrap_or_else(|error| self.refuse(error));
        }
        if columns.chain(&index.predicate).any(|expr| Parts::of(expr).is_volatile) {
            let message = "functions in index expression must be marked IMMUTABLE";
            self.refuse(Error::new("42P17", message));
        }
    }

    fn checked_table(&mut self, table: &CreateTable) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for column in &table.columns {
            if !seen.insert(folded(&column.name)) {
                let message =
                    format!("column \"{}\" specified more than once", folded(&column.name));
                return refused(sqlstate::DUPLICATE_COLUMN, message);
            }
        }
        for column in &table.columns {
            self.checked_column(column, Some(table))?;
        }
        let mut names = HashSet::new();
        let given = table.constraints.iter().filter_map(|constraint| match constraint {
            TableConstraint::Check(check) => check.name.as_ref(),
            TableConstraint::ForeignKey(key) => key.name.as_ref(),
            TableConstraint::Unique(key) => key.name.as_ref(),
            TableConstraint::PrimaryKey(key) => key.name.as_ref(),
            _ => None,
        });
        for name in given {
            if !names.insert(folded(name)) {
                let message = format!("constraint \"{}\" already exists", folded(name));
                return refused("42710", message);
            }
        }
        for constraint in &table.constraints {
            match constraint {
                TableConstraint::Check(check) => self.checked_condition(&check.expr)?,
                TableConstraint::Unique(key) => checked_unique(&key.columns, table)?,
                TableConstraint::PrimaryKey(key) => checked_unique(&key.columns, table)?,
                TableConstraint::ForeignKey(key) => {
                    self.checked_key(key, &key.columns, Some(table))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn checked_column(
        &mut self,
        column: &ColumnDef,
        table: Option<&CreateTable>,
    ) -> Result<(), Error> {
        check_modifier(&column.data_type)?;
        for option in &column.options {
            match &option.option {
                ColumnOption::Unique(_) | ColumnOption::PrimaryKey(_) => {
                    typed(&column.data_type).map_or(Ok(()), unique)?;
                }
                ColumnOption::Default(expr) => self.checked_default(expr, column)?,
                ColumnOption::Check(check) => self.checked_condition(&check.expr)?,
                ColumnOption::ForeignKey(key) => {
                    self.checked_key(key, std::slice::from_ref(&column.name), table)?;
                }
                ColumnOption::Generated { generation_expr: Some(expr), .. } => {
                    self.checked_generation(expr, table)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn checked_default(&mut self, expr: &Expr, column: &ColumnDef) -> Result<(), Error> {
        let parts = Parts::of(expr);
        if parts.has_query {
            return refused(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot use subquery in DEFAULT expression",
            );
        }
        if !parts.columns.is_empty() {
            let message = "cannot use column reference in DEFAULT expression";
            return refused(sqlstate::FEATURE_NOT_SUPPORTED, message);
        }
        if parts.has_aggregate {
            let message = "aggregate functions are not allowed in DEFAULT expressions";
            return refused(sqlstate::GROUPING_ERROR, message);
        }
        if let (Some(own), Some(target)) = (self.type_of(expr), typed(&column.data_type))
            && !is_given(expr)
        {
            self.check_assignment(own, target);
        }
        Ok(())
    }

    fn checked_condition(&mut self, expr: &Expr) -> Result<(), Error> {
        let parts = Parts::of(expr);
        if parts.has_query {
            return refused(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot use subquery in check constraint",
            );
        }
        if parts.has_aggregate {
            let message = "aggregate functions are not allowed in check constraints";
            return refused(sqlstate::GROUPING_ERROR, message);
        }
        let own = self.type_of(expr).filter(|_| !is_given(expr));
        if let Some(own) = own.filter(|own| own.ty != Type::One(Scalar::Bool))
            && family::of(own).is_some()
        {
            let message =
                format!("argument of CHECK must be type boolean, not type {}", own.ty.name());
            return refused(sqlstate::DATATYPE_MISMATCH, message);
        }
        Ok(())
    }

    fn checked_generation(
        &mut self,
        expr: &Expr,
        table: Option<&CreateTable>,
    ) -> Result<(), Error> {
        let parts = Parts::of(expr);
        if parts.is_volatile {
            return refused("42P17", "generation expression is not immutable");
        }
        let columns = table.map(|table| &table.columns[..]).unwrap_or_default();
        let is_generated = |column: &&ColumnDef| {
            column.options.iter().any(|option| {
                matches!(&option.option, ColumnOption::Generated { generation_expr: Some(_), .. })
            })
        };
        let used = columns.iter().filter(|column| parts.columns.contains(&folded(&column.name)));
        if let Some(column) = used.into_iter().find(is_generated) {
            let message = format!(
                "cannot use generated column \"{}\" in column generation expression",
                folded(&column.name)
            );
            return refused("42P17", message);
        }
        Ok(())
    }

    fn checked_key(
        &mut self,
        key: &ForeignKeyConstraint,
        columns: &[Ident],
        table: Option<&CreateTable>,
    ) -> Result<(), Error> {
        let parent = table_name(&key.foreign_table);
        let is_own = table.is_some_and(|table| table_name(&table.name) == parent);
        let own_types: Vec<_> = columns
            .iter()
            .map(|name| {
                let column = table.and_then(|table| {
                    table.columns.iter().find(|column| folded(&column.name) == folded(name))
                });
                column.and_then(|column| typed(&column.data_type))
            })
            .collect();
        if is_own {
            return Ok(());
        }
        let Some(known) = self.schema.columns(&parent) else {
            let message = format!("relation \"{parent}\" does not exist");
            return refused(sqlstate::UNDEFINED_TABLE, message);
        };
        let mut referred = Vec::new();
        for name in &key.referred_columns {
            let name = folded(name);
            let Some(found) = known.iter().find(|known| known.name.eq_ignore_ascii_case(&name))
            else {
                let message = format!(
                    "column \"{name}\" referenced in foreign key constraint does not exist"
                );
                return refused(sqlstate::UNDEFINED_COLUMN, message);
            };
            referred.push(found);
        }
        if referred.is_empty() {
            referred = known.iter().filter(|column| column.is_key).collect();
        }
        if referred.len() != columns.len() {
            let message = "number of referencing and referenced columns for foreign key disagree";
            return refused(sqlstate::INVALID_FOREIGN_KEY, message);
        }
        let types = own_types.into_iter().zip(referred);
        let families = |(own, other): (Option<Typed>, &super::super::infer::Column)| {
            Some((family::of(own?)?, family::of(other.typed()?)?))
        };
        let fits = |(own, other): (Option<Typed>, &super::super::infer::Column)| {
            own.zip(other.typed()).is_none_or(|(own, other)| is_implicit(own, other))
        };
        let fit = types.clone().all(fits);
        if !fit || types.filter_map(families).any(|(own, other)| own != other) {
            let message = "foreign key constraint cannot be implemented";
            return refused(sqlstate::DATATYPE_MISMATCH, message);
        }
        Ok(())
    }

    /// A view with fewer names than columns.
    pub(super) fn complete_view(&mut self, view: &mut CreateView) {
        if view.columns.is_empty() {
            return;
        }
        let names = columns_of_query(&view.query, self.schema, &Scope::default());
        if names.len() <= view.columns.len() {
            return;
        }
        let rest = names.into_iter().skip(view.columns.len());
        view.columns.extend(rest.map(|(name, ..)| ViewColumnDef {
            name: Ident::with_quote('"', name),
            data_type: None,
            options: None,
        }));
        self.is_changed = true;
    }
}
