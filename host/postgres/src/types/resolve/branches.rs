//! The columns of `*` and of queries in parentheses, by their names: only what has a name is converted.

use sqlparser::ast::{
    Expr, Ident, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement,
    TableAlias, TableAliasColumnDef, TableFactor,
};

use super::super::infer::{Scope, columns_of_query};
use super::super::parameters::Finder;
use crate::error::Error;
use crate::translate::{parse, table_name};

/// The name of a query whose columns are named here.
const BRANCH: &str = "pg branch";

impl Finder<'_> {
    /// The branches of a compound before they are visited.
    pub(in super::super) fn prepare_branches(&mut self, body: &mut SetExpr) {
        if matches!(body, SetExpr::SetOperation { .. }) {
            self.prepare(body);
        }
    }

    fn prepare(&mut self, body: &mut SetExpr) {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.prepare(left);
                self.prepare(right);
            }
            SetExpr::Select(select) => {
                let scope = self.scope_of(select);
                self.expand(select, &scope);
            }
            SetExpr::Query(query) => {
                let names = self.names_of(query);
                if let Some(with) = names.and_then(|names| named(query, &names)) {
                    *body = with;
                    self.is_changed = true;
                }
            }
            _ => {}
        }
    }

    fn names_of(&self, query: &Query) -> Option<Vec<String>> {
        let columns = columns_of_query(query, self.schema(), &self.around());
        (!columns.is_empty()).then(|| columns.into_iter().map(|(name, ..)| name).collect())
    }

    /// A compound that is inserted: its columns are converted when they have one type.
    pub(in super::super) fn prepare_source(&mut self, source: &mut Query) {
        if !matches!(&*source.body, SetExpr::SetOperation { .. }) {
            return;
        }
        self.name_source(source);
    }

    /// Name the columns of a query that is inserted by their positions, if they are known. Returns their count.
    pub(in super::super) fn name_source(&mut self, source: &mut Query) -> Option<usize> {
        let names = self.names_of(source)?;
        let with = named(source, &names)?;
        let Ok(Some(Statement::Query(mut outer))) = parse("SELECT 1") else { return None };
        *outer.body = with;
        *source = *outer;
        self.is_changed = true;
        Some(names.len())
    }

    /// `*` of a join whose merged columns SQLite leaves in their tables' positions.
    pub(in super::super) fn reorder(&mut self, select: &mut Select, scope: &Scope) {
        let has_all = |select: &Select| {
            select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)))
        };
        if !has_all(select) {
            return;
        }
        self.expand(select, scope);
        if has_all(select) {
            let hint = "name the columns";
            self.refuse(Error::unsupported("* of these tables with USING or NATURAL").hint(hint));
        }
    }

    /// The columns of each `*` by their names, where all of them are known.
    pub(in super::super) fn expand(&mut self, select: &mut Select, scope: &Scope) {
        let is_plain = |item: &SelectItem| {
            matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
        };
        if select.projection.iter().all(is_plain) {
            return;
        }
        let mut items = Vec::new();
        for item in &select.projection {
            let table = match item {
                SelectItem::Wildcard(_) => None,
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(table),
                    _,
                ) => Some(table_name(table)),
                SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => {
                    items.push(item.clone());
                    continue;
                }
                _ => return,
            };
            let Some(all) = scope.expanded(table.as_deref()) else { return };
            items.extend(all.into_iter().map(SelectItem::UnnamedExpr));
        }
        select.projection = items;
        self.is_changed = true;
    }
}

/// `SELECT b."1" AS name, … FROM (query) AS b("1", …)`.
fn named(query: &Query, names: &[String]) -> Option<SetExpr> {
    let sql = "SELECT 1 FROM (SELECT 1) AS a";
    let Ok(Some(Statement::Query(mut outer))) = parse(sql) else { return None };
    let SetExpr::Select(select) = &mut *outer.body else { return None };
    let place = |at: usize| Ident::with_quote('"', (at + 1).to_string());
    let table = Ident::with_quote('"', BRANCH);
    select.projection = names
        .iter()
        .enumerate()
        .map(|(at, name)| SelectItem::ExprWithAlias {
            expr: Expr::CompoundIdentifier(vec![table.clone(), place(at)]),
            alias: Ident::with_quote('"', name.clone()),
        })
        .collect();
    let columns = (0..names.len())
        .map(|at| TableAliasColumnDef { name: place(at), data_type: None })
        .collect();
    if let Some(TableFactor::Derived { subquery, alias, .. }) =
        select.from.first_mut().map(|table| &mut table.relation)
    {
        **subquery = query.clone();
        *alias = Some(TableAlias { explicit: true, name: table, columns, at: None });
    }
    Some(*outer.body)
}
