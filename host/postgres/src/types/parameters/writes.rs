//! What INSERT and UPDATE leave to the table: defaults, generated columns, and columns without a value.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    Insert, ObjectName, Query, SetExpr, TableObject, Values,
};

use super::super::infer::{Column, Scope, is_wildcard};
use super::Finder;
use super::contexts::width;
use crate::error::{Error, sqlstate};
use crate::translate::{Overriding, is_default, piece, table_name};

/// The SQLSTATE for values of columns that are always generated.
const GENERATED_ALWAYS: &str = "428C9";

fn syntax(message: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, message)
}

fn no_table(name: &str) -> Error {
    Error::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
}

fn not_default(verb: &str, column: &Column) -> Error {
    let message = format!("{verb} \"{}\"", column.name);
    let kind = if column.is_identity { "an identity column defined as" } else { "a generated" };
    let detail = if column.is_identity {
        format!("Column \"{}\" is {kind} GENERATED ALWAYS.", column.name)
    } else {
        format!("Column \"{}\" is {kind} column.", column.name)
    };
    Error::new(GENERATED_ALWAYS, message).detail(detail)
}

/// A default as a value: SQLite's own text.
fn default_value(column: &Column) -> Expr {
    match &column.default {
        Some(text) => piece(format!("({text})")),
        None => piece("NULL"),
    }
}

fn named(column: &Column) -> ObjectName {
    Ident::with_quote('"', &column.name).into()
}

impl Finder<'_> {
    /// Give an INSERT its columns and values.
    pub(super) fn complete_insert(&mut self, insert: &mut Insert) {
        if let Err(error) = self.completed(insert) {
            self.refuse(error);
        }
    }

    fn completed(&mut self, insert: &mut Insert) -> Result<(), Error> {
        let TableObject::TableName(name) = &insert.table else { return Ok(()) };
        let Some(columns) = self.schema.columns(&table_name(name)) else {
            let values = insert.source.as_deref_mut().and_then(values_of);
            let mut rows = values.iter().flat_map(|values| &values.rows);
            return if rows.any(|row| row.content.iter().any(is_default)) {
                Err(no_table(&table_name(name)))
            } else {
                Ok(())
            };
        };
        let is_listed = !insert.columns.is_empty();
        let Some(mut targets) = targets(insert, &columns)? else { return Ok(()) };
        let Some(source) = insert.source.as_deref_mut() else { return Ok(()) };
        self.prepare_source(source);
        let Some(given) = self.given_values(source)? else { return Ok(()) };
        if given > targets.len() {
            return Err(syntax("INSERT has more expressions than target columns"));
        }
        if is_listed && given < targets.len() {
            return Err(syntax("INSERT has more target columns than expressions"));
        }
        targets.truncate(given);
        let stored = columns.iter().filter(|column| !column.is_generated).count();
        let mut is_changed = !is_listed && targets.len() < stored;
        match values_of(source) {
            Some(values) => is_changed |= self.fill(values, &mut targets)?,
            None => {
                let refused = |column: &&Column| self.refuses(column);
                if let Some(column) = targets.iter().find(refused) {
                    return Err(not_default(
                        "cannot insert a non-DEFAULT value into column",
                        column,
                    ));
                }
            }
        }
        if is_changed {
            self.is_changed = true;
            if targets.is_empty() {
                return all_defaults(insert, &columns);
            }
            insert.columns = targets.iter().map(named).collect();
        }
        Ok(())
    }

    /// How many values a row of the source has; `None` if that is not known.
    fn given_values(&mut self, source: &mut Query) -> Result<Option<usize>, Error> {
        if let Some(values) = values_of(source) {
            let width = values.rows.first().map_or(0, |row| row.content.len());
            if values.rows.iter().any(|row| row.content.len() != width) {
                return Err(syntax("VALUES lists must all be the same length"));
            }
            return Ok(Some(width));
        }
        let outer = self.around();
        let with = Scope::of_with(source, self.schema, &outer);
        let SetExpr::Select(select) = &mut *source.body else { return Ok(None) };
        let scope = Scope::of_select(select, self.schema, &with);
        self.expand(select, &scope);
        let width = (!scope.is_unknown()).then(|| width(select, &scope));
        if !select.projection.iter().any(is_wildcard) {
            return Ok(width);
        }
        // Names that are there twice, such as those of `unnest(a, b)`.
        Ok(self.name_source(source).or(width))
    }

    /// Whether a column takes only its own value.
    fn refuses(&self, column: &Column) -> bool {
        column.is_generated || (column.is_identity && self.overriding.is_none())
    }

    /// Put defaults into VALUES; a column that has its default in each row is left out.
    fn fill(&self, values: &mut Values, targets: &mut Vec<Column>) -> Result<bool, Error> {
        let mut is_changed = false;
        for place in (0..targets.len()).rev() {
            let column = &targets[place];
            let is_ignored = column.is_identity && self.overriding == Some(Overriding::User);
            let is_own = |row: &Vec<Expr>| is_ignored || row.get(place).is_some_and(is_default);
            let all = values.rows.iter().filter(|row| is_own(&row.content)).count();
            if all < values.rows.len() && self.refuses(column) {
                return Err(not_default("cannot insert a non-DEFAULT value into column", column));
            }
            if all == 0 {
                continue;
            }
            is_changed = true;
            if all == values.rows.len() {
                targets.remove(place);
                for row in &mut values.rows {
                    row.content.remove(place);
                }
                continue;
            }
            let column = &targets[place];
            for row in &mut values.rows {
                if let Some(value) = row.content.get_mut(place).filter(|value| is_default(value)) {
                    *value = default_value(column);
                }
            }
        }
        Ok(is_changed)
    }

    /// Put defaults into the assignments of an UPDATE of this table.
    pub(super) fn complete_assignments(
        &mut self,
        table: &ObjectName,
        assignments: &mut Vec<Assignment>,
    ) {
        let Some(columns) = self.schema.columns(&table_name(table)) else {
            if assignments.iter().any(|one| is_default(&one.value)) {
                self.refuse(no_table(&table_name(table)));
            }
            return;
        };
        if let Err(error) = self.filled(&columns, assignments) {
            self.refuse(error);
        }
    }

    fn filled(
        &mut self,
        columns: &[Column],
        assignments: &mut Vec<Assignment>,
    ) -> Result<(), Error> {
        let mut seen: Vec<&str> = Vec::new();
        let mut dropped = Vec::new();
        for (index, assignment) in assignments.iter_mut().enumerate() {
            if matches!(assignment.target, AssignmentTarget::Tuple(_)) {
                self.is_changed |= without_row(&mut assignment.value);
            }
            let pairs: Vec<(&ObjectName, Option<&mut Expr>)> = match (
                &assignment.target,
                &mut assignment.value,
            ) {
                (AssignmentTarget::ColumnName(name), value) => vec![(name, Some(value))],
                (AssignmentTarget::Tuple(names), Expr::Tuple(values)) => {
                    if names.len() != values.len() {
                        return Err(syntax("number of columns does not match number of values"));
                    }
                    names.iter().zip(values.iter_mut().map(Some)).collect()
                }
                (AssignmentTarget::Tuple(names), Expr::Subquery(_)) => {
                    names.iter().map(|name| (name, None)).collect()
                }
                (AssignmentTarget::Tuple(_), _) => {
                    let message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
                    return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
                }
            };
            for (name, value) in pairs {
                let Some(column) = find(columns, &table_name(name)) else {
                    if value.as_deref().is_some_and(is_default) {
                        let message = format!("column \"{}\" does not exist", table_name(name));
                        return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
                    }
                    continue;
                };
                if seen.contains(&column.name.as_str()) {
                    let message =
                        format!("multiple assignments to same column \"{}\"", column.name);
                    return Err(syntax(&message));
                }
                seen.push(&column.name);
                let has_default = value.as_deref().is_some_and(is_default);
                if !has_default && (column.is_generated || column.is_identity) {
                    let message =
                        format!("column \"{}\" can only be updated to DEFAULT", column.name);
                    return Err(Error::new(GENERATED_ALWAYS, message));
                }
                let Some(value) = value.filter(|_| has_default) else { continue };
                self.is_changed = true;
                if column.is_generated {
                    dropped.push(index);
                    continue;
                }
                if column.is_numbered() {
                    let hint = "SQLite numbers rows when they are inserted";
                    return Err(Error::unsupported("DEFAULT for a key that exists").hint(hint));
                }
                *value = default_value(column);
            }
        }
        // One that is left alone computes the column again, as PostgreSQL does.
        for index in dropped.into_iter().rev() {
            if assignments.len() > 1 {
                assignments.remove(index);
            }
        }
        Ok(())
    }
}

/// The columns that get values; `None` if one of them does not exist, which SQLite reports.
fn targets(insert: &Insert, columns: &[Column]) -> Result<Option<Vec<Column>>, Error> {
    if insert.columns.is_empty() {
        return Ok(Some(columns.to_vec()));
    }
    let mut found: Vec<Column> = Vec::new();
    for name in &insert.columns {
        let Some(column) = find(columns, &table_name(name)) else { return Ok(None) };
        if found.iter().any(|other| other.name == column.name) {
            let message = format!("column \"{}\" specified more than once", column.name);
            return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
        }
        found.push(column.clone());
    }
    Ok(Some(found))
}

fn find<'a>(columns: &'a [Column], name: &str) -> Option<&'a Column> {
    columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
}

fn values_of(query: &mut Query) -> Option<&mut Values> {
    if query.with.is_some() {
        return None;
    }
    match &mut *query.body {
        SetExpr::Values(values) => Some(values),
        SetExpr::Query(inner) => values_of(inner),
        _ => None,
    }
}

/// Rows of nothing but defaults. SQLite has a form for one such row.
fn all_defaults(insert: &mut Insert, columns: &[Column]) -> Result<(), Error> {
    let rows = insert.source.as_deref_mut().and_then(values_of).map_or(0, |all| all.rows.len());
    if rows == 1 {
        (insert.source, insert.columns) = (None, Vec::new());
        return Ok(());
    }
    let Some(column) = columns.iter().find(|column| !column.is_generated) else {
        return Err(Error::unsupported("rows of generated columns"));
    };
    insert.columns = vec![named(column)];
    if let Some(values) = insert.source.as_deref_mut().and_then(values_of) {
        values.rows.iter_mut().for_each(|row| row.content = vec![default_value(column)]);
    }
    Ok(())
}

/// `ROW(a, b)` as `(a, b)`: whether it was one.
fn without_row(value: &mut Expr) -> bool {
    let Expr::Function(function) = &*value else { return false };
    let FunctionArguments::List(list) = &function.args else { return false };
    if table_name(&function.name) != "row" {
        return false;
    }
    let expression = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    };
    let Some(all) = list.args.iter().map(expression).collect() else { return false };
    *value = Expr::Tuple(all);
    true
}
