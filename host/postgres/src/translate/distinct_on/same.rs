//! Which expressions of a query are the same for DISTINCT ON: a column has one name with its table and one without.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    CastKind, Expr, Ident, JoinConstraint, JoinOperator, ObjectName, Query, Select, TableFactor,
    TableWithJoins, VisitorMut,
};

use super::super::names::{folded, last, parts};
use crate::walk::WalkMut;

/// The tables that names of columns are of.
pub struct Tables {
    names: HashSet<String>,
    /// Whether there is one, of which all names are.
    is_only: bool,
    /// Whether a name without a table may be a column of two tables (USING, NATURAL).
    is_merged: bool,
}

/// An expression in one spelling, without parentheses, which the tree does not need.
#[derive(Clone)]
pub struct Spelled {
    pub full: Expr,
    /// Without names of tables, if it has some and has the same value then.
    bare: Option<Expr>,
}

impl Tables {
    pub fn of(select: &Select) -> Self {
        let mut tables = Self { names: HashSet::new(), is_only: false, is_merged: false };
        select.from.iter().for_each(|from| tables.add(from));
        tables.is_only = matches!(&select.from[..], [one] if one.joins.is_empty())
            && tables.names.len() == 1
            && !tables.is_merged;
        tables
    }

    fn add(&mut self, from: &TableWithJoins) {
        let joins = from.joins.iter();
        self.is_merged |= joins.clone().any(|join| is_merging(&join.join_operator));
        for table in std::iter::once(&from.relation).chain(joins.map(|join| &join.relation)) {
            match table {
                TableFactor::NestedJoin { table_with_joins, alias: None } => {
                    self.add(table_with_joins);
                    // Its tables are several.
                    self.is_merged |= table_with_joins.joins.is_empty();
                }
                other => match own_name(other) {
                    Some(name) => self.is_merged |= !self.names.insert(name),
                    None => self.is_merged = true,
                },
            }
        }
    }

    pub fn spelled(&self, expr: &Expr) -> Spelled {
        let mut full = expr.clone();
        let mut speller = Speller { depth: 0, has_query: false };
        let _ = full.walk_mut(&mut speller);
        // Names in a query belong to the tables of that query.
        if speller.has_query || self.is_merged {
            return Spelled { bare: None, full };
        }
        let mut bare = full.clone();
        let _ = bare.walk_mut(&mut Barer(&self.names));
        if self.is_only {
            return Spelled { full: bare, bare: None };
        }
        Spelled { bare: Some(bare).filter(|bare| *bare != full), full }
    }
}

impl Spelled {
    fn bare(&self) -> &Expr {
        self.bare.as_ref().unwrap_or(&self.full)
    }

    /// Whether it is the same. Where one of the names has no table, SQLite finds it, or refuses it as ambiguous.
    pub fn is_same(&self, other: &Self) -> bool {
        self.full == other.full || self.full == *other.bare() || *self.bare() == other.full
    }
}

/// The name that qualifies the columns of a table.
fn own_name(table: &TableFactor) -> Option<String> {
    match table {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. } => Some(folded(&alias.name)),
        TableFactor::Table { name, args: None, .. } => Some(last(name)),
        _ => None,
    }
}

fn is_merging(operator: &JoinOperator) -> bool {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => {
            matches!(constraint, JoinConstraint::Using(_) | JoinConstraint::Natural)
        }
        JoinOperator::CrossJoin(_) => false,
        _ => true,
    }
}

struct Speller {
    depth: usize,
    has_query: bool,
}

impl VisitorMut for Speller {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.has_query = true;
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        // A query keeps its spelling.
        if self.depth > 0 {
            return ControlFlow::Continue(());
        }
        let quoted = |name: &mut Ident| *name = Ident::with_quote('"', folded(name));
        match expr {
            Expr::Nested(inner) => *expr = (**inner).clone(),
            Expr::Identifier(name) => quoted(name),
            Expr::CompoundIdentifier(parts) => parts.iter_mut().for_each(quoted),
            Expr::Cast { kind, .. } => *kind = CastKind::Cast,
            Expr::Function(function) => {
                function.name = ObjectName::from(
                    parts(&function.name)
                        .into_iter()
                        .map(|part| Ident::with_quote('"', folded(part)))
                        .collect::<Vec<_>>(),
                );
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Takes these tables from names of columns.
struct Barer<'a>(&'a HashSet<String>);

impl VisitorMut for Barer<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [table, column] = &parts[..]
            && self.0.contains(&folded(table))
        {
            *expr = Expr::Identifier(column.clone());
        }
        ControlFlow::Continue(())
    }
}

/// Expressions of a query.
#[derive(Default)]
pub struct Known<'a> {
    full: HashSet<&'a Expr>,
    bare: HashSet<&'a Expr>,
}

impl<'a> Known<'a> {
    pub fn add(&mut self, spelled: &'a Spelled) {
        self.full.insert(&spelled.full);
        self.bare.insert(spelled.bare());
    }

    /// Whether one of them is the same ([`Spelled::is_same`]).
    pub fn has(&self, spelled: &Spelled) -> bool {
        self.full.contains(&spelled.full)
            || self.bare.contains(&spelled.full)
            || self.full.contains(spelled.bare())
    }
}
