//! What the tables around an expression say of it.

use sqlparser::ast::{Expr, Query, Select};

use super::super::Typed;
use super::super::infer::Scope;
use super::Finder;

impl Finder<'_> {
    /// The tables of the query that is looked at.
    pub(in super::super) fn own_scope(&self) -> Option<&Scope> {
        self.scopes.last()
    }

    /// Whether an expression is a column of the query that is looked at.
    pub(in super::super) fn is_column(&self, expr: &Expr) -> bool {
        self.scopes.last().is_some_and(|scope| scope.origin(expr).is_some())
    }

    /// The columns of a table that is named as a value.
    pub(in super::super) fn row_of(&self, table: &str) -> Option<Vec<(String, Typed)>> {
        self.scopes.iter().rev().find_map(|scope| scope.row(table))
    }

    /// The type of the first column of a query.
    pub(in super::super) fn first_type(&self, query: &Query) -> Option<Typed> {
        Scope::first_type(query, self.schema, &self.around())
    }

    /// The tables of a SELECT within the query that is looked at.
    pub(in super::super) fn scope_of(&self, select: &Select) -> Scope {
        Scope::of_select(select, self.schema, &self.around())
    }

    /// The queries of WITH, and the tables of the queries around.
    pub(in super::super) fn around(&self) -> Scope {
        let with = self.with.last().cloned().unwrap_or_default();
        Scope::with_outer(&with, self.scopes.last())
    }
}
