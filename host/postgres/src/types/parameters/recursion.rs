//! Queries of WITH that name themselves, or each other.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Cte, Expr, JoinOperator, ObjectName, Query, Select, SetExpr, SetOperator, TableFactor, Visit,
    Visitor, With,
};

use super::super::infer::{budget, family, wider};
use super::super::made::declaration;
use super::super::resolve::family::Family;
use super::super::resolve::has_aggregate;
use super::super::{Scalar, Type, Typed};
use super::{Finder, Scope};
use crate::error::{Error, Result, sqlstate};
use crate::translate::{folded, table_name};
use crate::walk::{Walk, visit_expressions};

/// How often a part names a table, but for queries whose own WITH has the name.
fn references(part: &impl Visit, table: &str) -> usize {
    let mut search = References { table, count: 0, hidden: 0 };
    let _ = part.walk(&mut search);
    search.count
}

struct References<'a> {
    table: &'a str,
    count: usize,
    /// Queries around that have the name in their own WITH.
    hidden: usize,
}

impl References<'_> {
    fn hides(&self, query: &Query) -> bool {
        let mut own = query.with.iter().flat_map(|with| &with.cte_tables);
        own.any(|cte| folded(&cte.alias.name) == self.table)
    }
}

impl Visitor for References<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.hidden += usize::from(self.hides(query));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.hidden -= usize::from(self.hides(query));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        if budget::step() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        let is_own = self.hidden == 0 && name.0.len() == 1 && table_name(name) == self.table;
        self.count += usize::from(is_own);
        ControlFlow::Continue(())
    }
}

fn invalid(name: &str, what: &str) -> Result<()> {
    let message = format!("recursive {what}").replace("{}", &format!("\"{name}\""));
    Err(Error::new(sqlstate::INVALID_RECURSION, message))
}

impl Finder<'_> {
    /// The queries of WITH, of which `before` are those around.
    pub(super) fn check_with(&mut self, query: &Query, before: &Scope) {
        let Some(with) = &query.with else { return };
        if let Err(error) = self.checked_with(with, before) {
            self.refuse(error);
        }
    }

    fn checked_with(&self, with: &With, before: &Scope) -> Result<()> {
        let names: Vec<_> = with.cte_tables.iter().map(|cte| folded(&cte.alias.name)).collect();
        for (at, (cte, name)) in with.cte_tables.iter().zip(&names).enumerate() {
            if names[..at].contains(name) {
                let message = format!("WITH query name \"{name}\" specified more than once");
                return Err(Error::new(sqlstate::DUPLICATE_ALIAS, message));
            }
            if with.recursive {
                checked_recursion(cte, name)?;
                self.check_types(cte, name, before)?;
                let is_mutual = |other: &usize| {
                    references(&cte.query, &names[*other]) > 0
                        && references(&with.cte_tables[*other].query, name) > 0
                };
                if (0..at).rev().take(MAX_MUTUAL).any(|other| is_mutual(&other)) {
                    return Err(Error::unsupported("mutual recursion between queries of WITH"));
                }
            } else if let Some(later) =
                names[at..].iter().take(MAX_MUTUAL).find(|later| references(&cte.query, later) > 0)
            {
                self.check_later(later, before)?;
            }
        }
        Ok(())
    }

    /// A name that the query does not see yet: SQLite would take the query of WITH for it.
    fn check_later(&self, name: &str, before: &Scope) -> Result<()> {
        if before.columns_named(name).is_empty() && self.schema.columns(name).is_none() {
            let message = format!("relation \"{name}\" does not exist");
            return Err(Error::new(sqlstate::UNDEFINED_TABLE, message));
        }
        let what = format!("a query of WITH beside the table {name} that it has the name of");
        Err(Error::unsupported(what).hint("give the query of WITH another name"))
    }

    /// The first branch has the types of the whole.
    fn check_types(&self, cte: &Cte, name: &str, before: &Scope) -> Result<()> {
        let SetExpr::SetOperation { left, right, .. } = &*cte.query.body else { return Ok(()) };
        if references(right, name) == 0 {
            return Ok(());
        }
        let with = Scope::with_first(cte, left, self.schema, before);
        let types = |body| Scope::types_of_body(body, self.schema, &with);
        for (at, (one, other)) in types(left).into_iter().zip(types(right)).enumerate() {
            let (Some(one), Some(other)) = (one, other) else { continue };
            if one.modifier >= 0 && one != other {
                return Err(other_overall(name, at, &shown(one), plain_name(one.ty)));
            }
            let is_of = |family| [one, other].iter().all(|own| family::of(*own) == Some(family));
            if !is_of(Family::Number) && !is_of(Family::Moment) {
                continue;
            }
            let whole = if one == other { one } else { wider(one, other) };
            if whole != one {
                return Err(other_overall(name, at, &one.ty.name(), whole.ty.name()));
            }
        }
        Ok(())
    }
}

fn other_overall(name: &str, at: usize, own: &str, whole: String) -> Error {
    let message = format!(
        "recursive query \"{name}\" column {} has type {own} in non-recursive term but type {whole} overall",
        at + 1
    );
    let hint = "Cast the output of the non-recursive term to the correct type.";
    Error::new(sqlstate::DATATYPE_MISMATCH, message).hint(hint)
}

/// A type without its modifier.
fn plain_name(ty: Type) -> String {
    if ty == Type::One(Scalar::Bpchar) { "bpchar".to_owned() } else { ty.name() }
}

/// A type with its modifier: `timestamp(3) without time zone`.
fn shown(typed: Typed) -> String {
    let name = typed.ty.scalar().name();
    let declared = declaration(typed);
    match (declared.split_once('('), name.split_once(' ')) {
        (Some((_, modifier)), Some((first, rest))) if rest.ends_with("time zone") => {
            format!("{first}({modifier} {rest}")
        }
        (Some((_, modifier)), _) => format!("{name}({modifier}"),
        (None, _) => declared,
    }
}

/// Queries of WITH that one may be in a circle with, as far as it is looked for.
const MAX_MUTUAL: usize = 16;

/// A query that names itself is a first part, UNION, and a part that does it once.
fn checked_recursion(cte: &Cte, name: &str) -> Result<()> {
    if references(&cte.query, name) == 0 {
        return Ok(());
    }
    let SetExpr::SetOperation { op: SetOperator::Union, left, right, .. } = &*cte.query.body else {
        return invalid(
            name,
            "query {} does not have the form non-recursive-term UNION [ALL] recursive-term",
        );
    };
    if references(left, name) > 0 {
        return invalid(
            name,
            "reference to query {} must not appear within its non-recursive term",
        );
    }
    if cte.query.order_by.is_some() || cte.query.limit_clause.is_some() {
        return Err(Error::unsupported("ORDER BY or LIMIT in a recursive query"));
    }
    let SetExpr::Select(select) = &**right else { return Ok(()) };
    if references(right, name) > 1 {
        return invalid(name, "reference to query {} must not appear more than once");
    }
    if in_expressions(select, name) {
        return invalid(name, "reference to query {} must not appear within a subquery");
    }
    if is_outer(select, name) {
        return invalid(name, "reference to query {} must not appear within an outer join");
    }
    if has_aggregate(select) {
        let message = "aggregate functions are not allowed in a recursive query's recursive term";
        return Err(Error::new(sqlstate::INVALID_RECURSION, message));
    }
    Ok(())
}

/// Whether a query in an expression names the table.
fn in_expressions(select: &Select, name: &str) -> bool {
    visit_expressions(select, |expr| match expr {
        Expr::Subquery(query)
        | Expr::Exists { subquery: query, .. }
        | Expr::InSubquery { subquery: query, .. }
            if references(query, name) > 0 =>
        {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Whether a join may leave out the rows of the table.
fn is_outer(select: &Select, name: &str) -> bool {
    use JoinOperator as J;
    let is_own = |factor: &TableFactor| references(factor, name) > 0;
    select.from.iter().any(|table| {
        table.joins.iter().any(|join| match &join.join_operator {
            J::Left(_) | J::LeftOuter(_) => is_own(&join.relation),
            J::Right(_) | J::RightOuter(_) => is_own(&table.relation),
            J::FullOuter(_) => is_own(&join.relation) || is_own(&table.relation),
            _ => false,
        })
    })
}
