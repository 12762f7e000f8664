//! The tables of FROM, and the queries of WITH.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use sqlparser::ast::{
    Cte, Join, JoinConstraint, ObjectName, Query, SetExpr, TableAlias, TableFactor, TableWithJoins,
};

use super::super::Typed;
use super::super::placement::constraint;
use super::columns::{columns_of, columns_of_body, series};
use super::scope::{Columns, Known, MAX_DEPTH, MAX_WITH, Scope};
use super::{Body, Schema, budget, first_select};
use crate::translate::table_name;
use crate::walk::visit_relations;

/// A column by its table and its position there.
type Place = (usize, usize);

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
                let first = Self::first_of(cte, left, (schema, &with), depth);
                let mut all = of_cte(cte, schema, &first, depth);
                if names(&cte.query, name) {
                    Rc::make_mut(&mut all).iter_mut().for_each(|column| column.is_kept = true);
                }
                with.tables.push((name.clone(), all));
            } else {
                let all = of_cte(cte, schema, &with, depth);
                with.tables.push((name.clone(), all));
            }
        }
        with
    }

    /// With a recursive query, whose first branch has the types for the others, which name it.
    pub fn with_first(cte: &Cte, first: &SetExpr, schema: &dyn Schema, before: &Self) -> Self {
        Self::first_of(cte, first, (schema, before), MAX_DEPTH)
    }

    fn first_of(
        cte: &Cte,
        first: &SetExpr,
        (schema, before): (&dyn Schema, &Self),
        depth: u32,
    ) -> Self {
        let mut with = before.clone();
        let inner = Self::with(&cte.query, schema, &with, depth);
        let columns = columns_of_body(first, schema, &inner, depth);
        with.tables.push((cte.alias.name.value.clone(), derived(columns, Some(&cte.alias))));
        with
    }

    /// The types of the columns of a query's body.
    pub fn types_of_body(body: &SetExpr, schema: &dyn Schema, with: &Self) -> Vec<Option<Typed>> {
        let columns = columns_of_body(body, schema, with, MAX_DEPTH);
        let is_known = !columns.iter().any(Known::is_rest);
        columns.into_iter().filter(|_| is_known).map(|column| column.typed).collect()
    }

    fn add_tables(
        &mut self,
        tables: &[TableWithJoins],
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) {
        for table in tables {
            let shown = self.add_joined(table, schema, with, depth);
            self.shown.extend(shown);
        }
    }

    /// The tables of a join; its columns.
    fn add_joined(
        &mut self,
        table: &TableWithJoins,
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) -> Vec<Place> {
        let mut left = self.add_factor(&table.relation, schema, with, depth);
        for join in &table.joins {
            let right = self.add_factor(&join.relation, schema, with, depth);
            left = self.merge(join, left, right);
        }
        left
    }

    fn name_at(&self, (table, place): Place) -> String {
        self.tables[table].1[place].name.to_lowercase()
    }

    /// The columns of a join: those that USING or NATURAL merges, those of the left side, and those of the right.
    fn merge(&mut self, join: &Join, mut left: Vec<Place>, right: Vec<Place>) -> Vec<Place> {
        budget::spend(left.len() + right.len());
        let using = match constraint(&join.join_operator) {
            Some(JoinConstraint::Using(names)) => Some(names),
            Some(JoinConstraint::Natural) => None,
            _ => {
                left.extend(right);
                return left;
            }
        };
        let named = |places: Vec<Place>| -> Vec<(String, Place)> {
            places.into_iter().map(|place| (self.name_at(place), place)).collect()
        };
        let (left, right) = (named(left), named(right));
        // Of columns with one name the first.
        let first_of: HashMap<&str, Place> =
            left.iter().rev().map(|(name, place)| (&**name, *place)).collect();
        let names: Vec<String> = if let Some(names) = using {
            names.iter().map(|name| table_name(name).to_lowercase()).collect()
        } else {
            let of_right: HashSet<&str> = right.iter().map(|(name, _)| &**name).collect();
            let both = left.iter().filter(|(name, _)| of_right.contains(&**name));
            both.map(|(name, _)| name.clone()).collect()
        };
        let is_merged: HashSet<&str> = names.iter().map(String::as_str).collect();
        let first = names.iter().filter_map(|name| first_of.get(&**name).copied());
        let rest = left.iter().chain(&right).filter(|(name, _)| !is_merged.contains(&**name));
        let shown = first.chain(rest.map(|(_, place)| *place)).collect();
        let merged = right.iter().filter(|(name, _)| is_merged.contains(&**name));
        let pairs = merged.filter_map(|(name, place)| Some((*place, *first_of.get(&**name)?)));
        self.merged.extend(pairs.collect::<Vec<_>>());
        shown
    }

    /// The table that was added last; its columns.
    fn add_factor(
        &mut self,
        factor: &TableFactor,
        schema: &dyn Schema,
        with: &Self,
        depth: u32,
    ) -> Vec<Place> {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
            return self.add_joined(table_with_joins, schema, with, depth);
        }
        let at = self.tables.len();
        self.add_single(factor, schema, with, depth);
        let columns = self.tables.get(at).map_or(0, |(_, columns)| columns.len());
        (0..columns).map(|place| (at, place)).collect()
    }

    fn add_single(&mut self, factor: &TableFactor, schema: &dyn Schema, with: &Self, depth: u32) {
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
                    is_kept: false,
                };
                Rc::new(columns.iter().map(known).collect())
            }
        };
        self.tables.push((alias.map_or(table, str::to_owned), columns));
    }
}

/// Whether a query names a table.
fn names(query: &Query, table: &str) -> bool {
    visit_relations(query, |name| {
        budget::spend(1);
        if table_name(name).eq_ignore_ascii_case(table) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .is_break()
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
