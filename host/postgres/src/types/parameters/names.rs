//! Names in queries that PostgreSQL refuses, and SQLite finds elsewhere or reports otherwise.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, OrderByKind, Query, Select, SelectItem, SetExpr,
    TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins, Visitor,
};

use super::super::infer::{Scope, name};
use super::super::placement::address;
use super::Finder;
use super::contexts::width;
use crate::error::{Error, sqlstate};
use crate::translate::folded;
use crate::walk::Walk;

/// The names of a SELECT's columns that it may not use itself.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Aliases of expressions.
    aliases: Vec<String>,
    /// The addresses of names that stand alone in ORDER BY or GROUP BY.
    alone: Vec<usize>,
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn bare(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(folded(name)),
        _ => None,
    }
}

fn terms(query: &Query) -> Vec<&Expr> {
    match query.order_by.as_ref().map(|order| &order.kind) {
        Some(OrderByKind::Expressions(terms)) => terms.iter().map(|term| &term.expr).collect(),
        _ => Vec::new(),
    }
}

/// The position that an item of ORDER BY or GROUP BY is.
fn place(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(_) | Expr::UnaryOp { .. } => expr.to_string().parse().ok(),
        _ => None,
    }
}

/// The columns of an expression outside its queries.
#[derive(Default)]
struct Columns {
    found: Vec<Expr>,
    depth: u32,
}

impl Visitor for Columns {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.depth == 0 && matches!(expr, Expr::Identifier(_)) {
            self.found.push(expr.clone());
        }
        ControlFlow::Continue(())
    }
}

fn leaf(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::SetOperation { left, .. } => leaf(left),
        SetExpr::Query(query) => leaf(&query.body),
        _ => None,
    }
}

impl Finder<'_> {
    /// The names and positions in the clauses of a query; `scope` has the tables of its first SELECT.
    pub(super) fn check_query_names(&mut self, query: &Query, scope: &Scope) {
        let mut labels = Labels::default();
        if let Some(select) = leaf(&query.body) {
            self.check_places(&terms(query), select, scope, "ORDER BY");
            if let SetExpr::Select(select) = &*query.body {
                self.check_labels(&terms(query), select, scope);
            }
            labels.aliases.extend(select.projection.iter().filter_map(|item| match item {
                SelectItem::ExprWithAlias { expr, alias } => {
                    let own = folded(alias);
                    (bare(expr).as_ref() != Some(&own)).then_some(own)
                }
                _ => None,
            }));
            if let GroupByExpr::Expressions(keys, _) = &select.group_by {
                labels.alone.extend(keys.iter().map(address));
            }
        }
        labels.alone.extend(terms(query).into_iter().map(address));
        self.labels.push(labels);
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            let offset = offset.as_ref().map(|offset| &offset.value);
            let bounds = limit.iter().chain(offset);
            let is_column = |expr: &&Expr| {
                matches!(expr, Expr::Identifier(name) if is_name(&name.value))
                    || matches!(expr, Expr::CompoundIdentifier(_))
            };
            if bounds.into_iter().any(|expr| is_column(&expr)) {
                let message = "argument of LIMIT must not contain variables";
                self.refuse(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
            }
        }
    }

    fn check_places(&mut self, terms: &[&Expr], select: &Select, scope: &Scope, clause: &str) {
        let has_wildcard = select.projection.iter().any(|item| {
            !matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
        });
        if has_wildcard && (scope.is_unknown() || scope.width(None) == 0) {
            return;
        }
        let width = i64::try_from(width(select, scope)).unwrap_or(i64::MAX);
        let outside =
            terms.iter().filter_map(|expr| place(expr)).find(|at| !(1..=width).contains(at));
        if let Some(at) = outside {
            let message = format!("{clause} position {at} is not in select list");
            self.refuse(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
        }
    }

    /// A name in ORDER BY that two different columns of the result have.
    fn check_labels(&mut self, terms: &[&Expr], select: &Select, scope: &Scope) {
        let is_same = |one: &Expr, other: &Expr| {
            one == other || scope.origin(one).is_some_and(|own| scope.origin(other) == Some(own))
        };
        for wanted in terms.iter().filter_map(|expr| bare(expr)) {
            let mut found = select.projection.iter().filter_map(|item| match item {
                SelectItem::UnnamedExpr(expr) if name(expr) == wanted => Some(expr),
                SelectItem::ExprWithAlias { expr, alias } if folded(alias) == wanted => Some(expr),
                _ => None,
            });
            if let Some(first) = found.next()
                && found.any(|other| !is_same(first, other))
            {
                let message = format!("ORDER BY \"{wanted}\" is ambiguous");
                self.refuse(Error::new(sqlstate::AMBIGUOUS_COLUMN, message));
            }
        }
    }

    /// The tables of a SELECT.
    pub(super) fn check_select_names(&mut self, select: &Select, scope: &Scope) {
        if let Some(name) = scope.repeated() {
            let message = format!("table name \"{name}\" specified more than once");
            self.refuse(Error::new(sqlstate::DUPLICATE_ALIAS, message));
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            let keys: Vec<_> = keys.iter().collect();
            self.check_places(&keys, select, scope, "GROUP BY");
        }
    }

    /// The columns in HAVING and GROUP BY, which are looked at before groups are.
    pub(super) fn check_group_names(&mut self, select: &Select) {
        let keys = match &select.group_by {
            GroupByExpr::Expressions(keys, _) => &keys[..],
            GroupByExpr::All(_) => &[],
        };
        let mut columns = Columns::default();
        for part in select.having.iter().chain(keys.iter().filter(|key| bare(key).is_none())) {
            let _ = part.walk(&mut columns);
        }
        columns.found.iter().for_each(|column| self.check_column(column));
    }

    /// A column by its name.
    pub(super) fn check_column(&mut self, expr: &Expr) {
        let (table, column) = match expr {
            Expr::Identifier(name) if is_name(&name.value) => (None, name),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [table, column] => (Some(table), column),
                _ => return,
            },
            _ => return,
        };
        if self.is_trigger || self.scopes.is_empty() {
            return;
        }
        let wanted = table.map(|table| table.value.as_str());
        for scope in self.scopes.iter().rev() {
            match scope.count(wanted, &column.value) {
                0 => {}
                1 => return,
                _ => {
                    let message = format!("column reference \"{}\" is ambiguous", folded(column));
                    return self.refuse(Error::new(sqlstate::AMBIGUOUS_COLUMN, message));
                }
            }
        }
        let is_closed = self.scopes.iter().all(|scope| !scope.is_unknown());
        match table {
            Some(table) if self.scopes.iter().all(|scope| scope.lacks(&table.value)) => {
                let message = format!("missing FROM-clause entry for table \"{}\"", folded(table));
                self.refuse(Error::new(sqlstate::UNDEFINED_TABLE, message));
            }
            None if is_closed && self.is_label(expr, column) => {
                let message = format!("column \"{}\" does not exist", folded(column));
                self.refuse(Error::new(sqlstate::UNDEFINED_COLUMN, message));
            }
            _ => {}
        }
    }

    /// Whether a name is that of a column of the result, where PostgreSQL knows none of them.
    fn is_label(&self, expr: &Expr, column: &Ident) -> bool {
        let name = folded(column);
        let is_found =
            |own: &Labels| own.aliases.contains(&name) && !own.alone.contains(&address(expr));
        self.labels.last().is_some_and(is_found)
    }

    /// `AS s(a, b)` with fewer names than columns.
    pub(super) fn complete_alias(&mut self, factor: &mut TableFactor) {
        let given = match factor {
            TableFactor::Table { alias: Some(alias), args: None, .. }
            | TableFactor::Derived { alias: Some(alias), .. } => alias.columns.len(),
            _ => return,
        };
        if given == 0 {
            return;
        }
        let tables = [TableWithJoins { relation: factor.clone(), joins: Vec::new() }];
        let with = self.around();
        let names = Scope::of_from(&tables, self.schema, &with).names();
        if let TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. } = factor
        {
            self.complete_names(alias, names);
        }
    }

    /// The names of a query of WITH.
    pub(super) fn complete_with(&mut self, query: &mut Query) {
        let outer = self.around();
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            if !cte.alias.columns.is_empty() && matches!(&*cte.query.body, SetExpr::Select(_)) {
                let names = outer.columns_named(&folded(&cte.alias.name));
                self.complete_names(&mut cte.alias, names);
            }
        }
    }

    fn complete_names(&mut self, alias: &mut TableAlias, names: Vec<String>) {
        if names.is_empty() || alias.columns.len() == names.len() {
            return;
        }
        if alias.columns.len() > names.len() {
            let message = format!(
                "table \"{}\" has {} columns available but {} columns specified",
                folded(&alias.name),
                names.len(),
                alias.columns.len()
            );
            return self.refuse(Error::new(sqlstate::INVALID_COLUMN_REFERENCE, message));
        }
        let rest = names.into_iter().skip(alias.columns.len()).map(|name| TableAliasColumnDef {
            name: Ident::with_quote('"', name),
            data_type: None,
        });
        alias.columns.extend(rest);
        self.is_changed = true;
    }
}
