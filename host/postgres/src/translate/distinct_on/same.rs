//! Which expressions of a query are the same for DISTINCT ON: a column has one name with its table and one without.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, JoinConstraint, JoinOperator, Query, Select, TableFactor, VisitorMut,
};

use super::super::names::{folded, last};
use crate::walk::WalkMut;

/// The tables that names of columns are of.
pub struct Tables {
    /// The table, if it is the only one.
    only: Option<String>,
    /// Whether a name without a table may be a column of two tables (USING, NATURAL).
    is_merged: bool,
}

/// An expression in one spelling, without parentheses, which the tree does not need.
#[derive(Clone)]
pub struct Spelled {
    pub full: Expr,
    /// Without names of tables, where it has the same value then if it has one.
    bare: Expr,
}

impl Tables {
    pub fn of(select: &Select) -> Self {
        let only = match &select.from[..] {
            [one] if one.joins.is_empty() => own_name(&one.relation),
            _ => None,
        };
        let mut joins = select.from.iter().flat_map(|from| &from.joins);
        Self { only, is_merged: joins.any(|join| is_merging(&join.join_operator)) }
    }

    pub fn spelled(&self, expr: &Expr) -> Spelled {
        let mut full = expr.clone();
        let mut speller = Speller { depth: 0, has_query: false };
        let _ = full.walk_mut(&mut speller);
        if speller.has_query {
            // Names in it are of its own tables.
            return Spelled { bare: full.clone(), full };
        }
        if let Some(only) = &self.only {
            let _ = full.walk_mut(&mut Barer { only: Some(only) });
        }
        let mut bare = full.clone();
        if self.only.is_none() && !self.is_merged {
            let _ = bare.walk_mut(&mut Barer { only: None });
        }
        Spelled { full, bare }
    }
}

/// The name by which columns of a table are read.
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
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Takes the table from names of columns: this one, or any.
struct Barer<'a> {
    only: Option<&'a str>,
}

impl VisitorMut for Barer<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [table, column] = &parts[..]
            && self.only.is_none_or(|only| folded(table) == only)
        {
            *expr = Expr::Identifier(column.clone());
        }
        ControlFlow::Continue(())
    }
}

/// Expressions of a query.
#[derive(Default)]
pub struct Known {
    full: HashSet<Expr>,
    bare: HashSet<Expr>,
}

impl Known {
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Spelled>) -> Self {
        let mut known = Self::default();
        for spelled in all {
            known.full.insert(spelled.full.clone());
            known.bare.insert(spelled.bare.clone());
        }
        known
    }

    /// Whether it is one of them. Where one of the names has no table, SQLite finds it, or refuses it as ambiguous.
    pub fn has(&self, spelled: &Spelled) -> bool {
        let others = if spelled.full == spelled.bare { &self.bare } else { &self.full };
        self.full.contains(&spelled.full) || others.contains(&spelled.bare)
    }
}
