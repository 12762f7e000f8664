//! The types of parameters that the client leaves open: those of the columns that they are
//! compared with or inserted into, or of their casts. And what these types forbid, since SQLite,
//! which has no such types, would silently take something else for it.

use sqlparser::ast::{
    self, AssignmentTarget, BinaryOperator, Expr, Insert, LimitClause, Query, SetExpr, TableObject,
    Value, Visit, Visitor,
};
use std::ops::ControlFlow;

use super::infer::{Schema, Scope};
use super::{Scalar, TEXT, Type};
use crate::error::{Error, Result};
use crate::translate::{Statement, is_object, string_of};

/// A statement's parameters at most; more of them could not be sent in one message.
const MAX_PARAMETERS: usize = 65_535;

/// The types of all parameters; `given` are those of the client, 0 for an open one.
///
/// # Errors
///
/// 0A000 for sums of dates without a constant interval, and for booleans in quotes.
pub fn infer(statement: &Statement, given: &[u32], schema: &dyn Schema) -> Result<Vec<Type>> {
    let mut finder = Finder { found: Vec::new(), schema, scopes: Vec::new(), problem: None };
    if let Some(tree) = &statement.parsed {
        let _ = tree.visit(&mut finder);
    }
    if let Some(problem) = finder.problem {
        return Err(problem);
    }
    let count = statement.parameters.min(MAX_PARAMETERS);
    let of_client = |index: usize| given.get(index).and_then(|oid| Type::of_oid(*oid));
    let inferred = |index: usize| finder.found.get(index).copied().flatten();
    let ty = |index: usize| of_client(index).or_else(|| inferred(index)).unwrap_or(TEXT);
    Ok((0..count).map(ty).collect())
}

struct Finder<'a> {
    found: Vec<Option<Type>>,
    schema: &'a dyn Schema,
    scopes: Vec<Scope>,
    /// The first that was found.
    problem: Option<Error>,
}

impl Finder<'_> {
    /// `expr` is compared with, or stored as, something of a type; the first of these counts.
    fn note(&mut self, expr: &Expr, ty: impl FnOnce(&Self) -> Option<Type>) {
        let Some(index) = parameter(expr) else {
            if let Some(text) = string_of(expr)
                && ty(self) == Some(Type::One(Scalar::Bool))
            {
                let what = format_args!("the string '{text:.20}' as a boolean");
                let error = Error::unsupported(what).hint("write true or false, or a parameter");
                self.problem.get_or_insert(error);
            }
            return;
        };
        if index >= MAX_PARAMETERS || self.found.get(index).is_some_and(Option::is_some) {
            return;
        }
        if let Some(ty) = ty(self) {
            let length = self.found.len().max(index + 1);
            self.found.resize(length, None);
            self.found[index] = Some(ty);
        }
    }

    fn type_of(&self, expr: &Expr) -> Option<Type> {
        let known = |scope: &Scope| scope.type_of(expr).map(|typed| typed.ty);
        self.scopes.iter().rev().find_map(known)
    }

    fn same(&mut self, one: &Expr, other: &Expr) {
        self.note(one, |finder| finder.type_of(other));
        self.note(other, |finder| finder.type_of(one));
    }

    /// SQLite would add the numbers that the texts of dates begin with.
    fn check_dates(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) {
        let is_moved = match op {
            BinaryOperator::Plus => is_span(left) || is_span(right),
            BinaryOperator::Minus => is_span(right),
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo => false,
            _ => return,
        };
        let (one, other) = (self.type_of(left), self.type_of(right));
        if !is_moved && [one, other].into_iter().flatten().any(is_time) {
            let name = |ty: Option<Type>| ty.map_or("a value", |ty| ty.scalar().name());
            let what = format!("{} {op} {}", name(one), name(other));
            let hint = "add a constant interval: d + interval '1 day'";
            self.problem.get_or_insert(Error::unsupported(what).hint(hint));
        }
    }

    fn insert(&mut self, insert: &Insert) {
        let TableObject::TableName(name) = &insert.table else { return };
        let columns = self.schema.columns(&crate::translate::table_name(name)).unwrap_or_default();
        let named: Vec<_> = insert.columns.iter().map(crate::translate::table_name).collect();
        let type_of = |index: usize| {
            let column = match named.get(index) {
                Some(name) => columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)),
                None => columns.get(index),
            };
            column.and_then(|column| column.typed()).map(|typed| typed.ty)
        };
        let Some(source) = &insert.source else { return };
        match &*source.body {
            SetExpr::Values(values) => {
                for row in &values.rows {
                    for (index, expr) in row.content.iter().enumerate() {
                        self.note(expr, |_| type_of(index));
                    }
                }
            }
            SetExpr::Select(select) => {
                for (index, item) in select.projection.iter().enumerate() {
                    if let ast::SelectItem::UnnamedExpr(expr) = item {
                        self.note(expr, |_| type_of(index));
                    }
                }
            }
            _ => {}
        }
    }

    fn assignments(&mut self, assignments: &[ast::Assignment]) {
        for assignment in assignments {
            if let AssignmentTarget::ColumnName(name) = &assignment.target {
                let column = Expr::Identifier(ast::Ident::new(crate::translate::table_name(name)));
                self.note(&assignment.value, |finder| finder.type_of(&column));
            }
        }
    }
}

/// The index of a parameter, from 0.
fn parameter(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => {
                name.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
            }
            _ => None,
        },
        Expr::Nested(inner) => parameter(inner),
        _ => None,
    }
}

fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator as O;
    matches!(
        op,
        O::Eq
            | O::NotEq
            | O::Lt
            | O::LtEq
            | O::Gt
            | O::GtEq
            | O::Plus
            | O::Minus
            | O::Multiply
            | O::Divide
            | O::Modulo
    )
}

fn is_span(expr: &Expr) -> bool {
    crate::translate::span(expr).is_some()
}

fn is_time(ty: Type) -> bool {
    use Scalar as S;
    let times = [S::Date, S::Time, S::Timestamp, S::Timestamptz, S::Interval];
    times.iter().any(|scalar| ty == Type::One(*scalar))
}

const fn one(scalar: Scalar) -> Option<Type> {
    Some(Type::One(scalar))
}

impl Visitor for Finder<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &ast::Statement) -> ControlFlow<()> {
        match statement {
            ast::Statement::Insert(insert) => {
                self.insert(insert);
                if let TableObject::TableName(name) = &insert.table {
                    self.scopes.push(Scope::of_table(name, None, self.schema));
                }
                if let Some(ast::OnInsert::OnConflict(conflict)) = &insert.on
                    && let ast::OnConflictAction::DoUpdate(update) = &conflict.action
                {
                    self.assignments(&update.assignments);
                }
            }
            ast::Statement::Update(update) => {
                self.scopes
                    .push(Scope::of_tables(std::slice::from_ref(&update.table), self.schema));
                self.assignments(&update.assignments);
            }
            ast::Statement::Delete(delete) => {
                let (ast::FromTable::WithFromKeyword(tables)
                | ast::FromTable::WithoutKeyword(tables)) = &delete.from;
                self.scopes.push(Scope::of_tables(tables, self.schema));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.scopes.push(Scope::of_query(query, self.schema));
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            let offset = offset.as_ref().map(|offset| &offset.value);
            limit.iter().chain(offset).for_each(|expr| self.note(expr, |_| one(Scalar::Int8)));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::BinaryOp { left, op, right } if compares(op) => {
                self.same(left, right);
                self.check_dates(left, op, right);
            }
            Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
                self.note(left, |_| one(Scalar::Bool));
                self.note(right, |_| one(Scalar::Bool));
            }
            Expr::Between { expr, low, high, .. } => {
                self.same(expr, low);
                self.same(expr, high);
            }
            Expr::InList { expr, list, .. } => list.iter().for_each(|item| self.same(expr, item)),
            Expr::IsDistinctFrom(one, other) | Expr::IsNotDistinctFrom(one, other) => {
                self.same(one, other);
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                self.note(right, |finder| {
                    let element = finder.type_of(left).unwrap_or(TEXT);
                    Some(Type::Array(element.scalar()))
                });
            }
            Expr::Cast { expr, data_type, .. } => {
                let typed = crate::translate::typed(data_type).map(|typed| typed.ty);
                // An object is given by its name as well as by its OID.
                let typed = if is_object(data_type) { Some(TEXT) } else { typed };
                self.note(expr, |_| typed);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
