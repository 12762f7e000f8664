//! The tables of FROM, and the queries of WITH.

use std::collections::HashSet;
use std::rc::Rc;

use sqlparser::ast::{
    Cte, Join, JoinConstraint, JoinOperator, ObjectName, Query, SetExpr, TableAlias, TableFactor,
    TableWithJoins,
};

use super::columns::{columns_of, columns_of_body, series};
use super::scope::{Columns, Known, MAX_WITH, Scope};
use super::{Body, Schema, budget, first_select};
use crate::translate::table_name;

impl Scope {
    /// The tables of FROM, with queries in each other up to a depth.
    pub(super) fn from(
        tables: &[TableWithJoins],
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) -> Self {
        let mut scope = Self { outer: with.outer.clone(), ..Self::default() };
        scope.add_tables(tables, schema, with, depth);
        scope
    }

    pub(super) fn of_nested(query: &Query, schema: &dyn Schema, outer: &Self, depth: u32) -> Self {
        let Some(depth) = depth.checked_sub(1) else { return Self::default() };
        let with = Self::with(query, schema, outer, depth);
        match first_select(&query.body) {
            Some(Body::Select(select)) => Self::from(&select.from, schema, &with, depth),
            _ => Self { outer: with.outer, ..Self::default() },
        }
    }

    pub(super) fn with(query: &Query, schema: &dyn Schema, outer: &Self, depth: u32) -> Self {
        let mut with = outer.clone();
        let is_recursive = query.with.as_ref().is_some_and(|with| with.recursive);
        for cte in query.with.iter().flat_map(|with| &with.cte_tables).take(MAX_WITH) {
            let name = &cte.alias.name.value;
            if is_recursive && let SetExpr::SetOperation { left, .. } = &*cte.query.body {
                // Its first branch has the types for the others, which name it.
                let inner = Self::with(&cte.query, schema, &with, depth);
                let first = columns_of_body(left, schema, &inner, depth);
                with.tables.push((name.clone(), derived(first, Some(&cte.alias))));
                let all = of_cte(cte, schema, &with, depth);
                with.tables.pop();
                with.tables.push((name.clone(), all));
            } else {
                let all = of_cte(cte, schema, &with, depth);
                with.tables.push((name.clone(), all));
            }
        }
        with
    }

    fn add_tables(
        &mut self,
        tables: &[TableWithJoins],
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) {
        for table in tables {
            let first = self.tables.len();
            self.add_factor(&table.relation, schema, with, depth);
            for join in &table.joins {
                let right = self.tables.len();
                self.add_factor(&join.relation, schema, with, depth);
                self.merge(join, first, right);
            }
        }
    }

    /// Merge columns of the tables from `right` on with those from `first` on.
    fn merge(&mut self, join: &Join, first: usize, right: usize) {
        let names: HashSet<String> = match constraint(&join.join_operator) {
            Some(JoinConstraint::Using(names)) => names.iter().map(table_name).collect(),
            Some(JoinConstraint::Natural) => {
                let left = self.tables[first..right].iter().flat_map(|(_, columns)| columns.iter());
                left.map(|column| column.name.to_lowercase()).collect()
            }
            _ => return,
        };
        for (at, (_, columns)) in self.tables.iter().enumerate().skip(right) {
            for (place, column) in columns.iter().enumerate() {
                if names.contains(&column.name.to_lowercase()) {
                    self.merged.insert((at, place));
                }
            }
        }
    }

    fn add_factor(&mut self, factor: &TableFactor, schema: &dyn Schema, with: &Self, depth: u32) {
        match factor {
            TableFactor::Table { name, alias, args: Some(args), .. }
                if table_name(name) == "generate_series" =>
            {
                let (name, columns) = series(alias.as_ref(), &args.args);
                self.tables.push((name, Rc::new(columns)));
            }
            factor if let Some((name, columns)) = self.of_set(factor) => {
                self.tables.push((name, Rc::new(columns)));
            }
            TableFactor::Table { name, alias, .. } => {
                let own = alias.as_ref().map(|alias| alias.name.value.as_str());
                self.add_table(name, own, schema, with);
                if let (Some(alias), Some((_, columns))) = (alias, self.tables.last_mut())
                    && !alias.columns.is_empty()
                {
                    rename(Rc::make_mut(columns), alias);
                }
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let columns = columns_of(subquery, schema, with, depth);
                let alias = alias.as_ref();
                let name = alias.map(|alias| alias.name.value.clone()).unwrap_or_default();
                self.has_unknown |= columns.iter().any(Known::is_rest);
                self.tables.push((name, derived(columns, alias)));
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.add_tables(std::slice::from_ref(table_with_joins), schema, with, depth);
            }
            _ => self.has_unknown = true,
        }
    }

    pub(super) fn add_table(
        &mut self,
        name: &ObjectName,
        alias: Option<&str>,
        schema: &dyn Schema,
        with: &Self,
    ) {
        let table = table_name(name);
        let of_with = with.tables.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(&table));
        let columns = match of_with {
            Some((_, columns)) => {
                self.has_unknown |= columns.iter().any(Known::is_rest);
                columns.clone()
            }
            None => {
                let columns = schema.columns(&table).unwrap_or_default();
                budget::spend(columns.len());
                let known = |column: &super::Column| Known {
                    name: column.name.clone(),
                    typed: column.typed(),
                    is_key: column.is_key,
                    is_stored: column.computed.is_none(),
                    is_open: false,
                };
                Rc::new(columns.iter().map(known).collect())
            }
        };
        self.tables.push((alias.map_or(table, str::to_owned), columns));
    }
}

fn of_cte(cte: &Cte, schema: &dyn Schema, with: &Scope, depth: u32) -> Rc<Columns> {
    derived(columns_of(&cte.query, schema, with, depth), Some(&cte.alias))
}

/// The columns of a query, by the names that its alias gives them.
fn derived(mut columns: Columns, alias: Option<&TableAlias>) -> Rc<Columns> {
    if let Some(alias) = alias {
        rename(&mut columns, alias);
    }
    for column in &mut columns {
        (column.is_stored, column.is_open) = (false, false);
    }
    Rc::new(columns)
}

fn rename(columns: &mut Columns, alias: &TableAlias) {
    for (column, alias) in columns.iter_mut().zip(&alias.columns) {
        column.name.clone_from(&alias.name.value);
    }
}

fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint)
        | J::Right(constraint)
        | J::RightOuter(constraint)
        | J::FullOuter(constraint) => Some(constraint),
        _ => None,
    }
}
