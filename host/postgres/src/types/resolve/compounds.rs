//! The branches of UNION, INTERSECT and EXCEPT.

use sqlparser::ast::{
    Expr, Ident, OrderByKind, Query, SelectItem, SetExpr, SetOperator, SetQuantifier, Statement,
    TableFactor, Values,
};

use super::super::infer::{is_open, wider};
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, TEXT, Type, Typed};
use super::is_null;
use super::numbers::{collated_by, literal};
use super::queries::collation;
use crate::error::{Error, sqlstate};
use crate::translate::{folded, is_found_object, is_name_of_object, parse, string_of};

/// The position of a column that the first SELECT of a compound names.
pub fn place_of(expr: &Expr, body: &SetExpr) -> Option<usize> {
    let Expr::Identifier(wanted) = expr else { return None };
    match body {
        SetExpr::SetOperation { left, .. } => place_of(expr, left),
        SetExpr::Query(query) => place_of(expr, &query.body),
        SetExpr::Select(select) => select.projection.iter().position(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => folded(alias) == folded(wanted),
            SelectItem::UnnamedExpr(expr) => crate::types::infer::name(expr) == folded(wanted),
            _ => false,
        }),
        _ => None,
    }
}

/// The branches of a compound are a part of its own query, also in parentheses.
pub fn without_parentheses(body: &mut SetExpr) {
    if let SetExpr::SetOperation { left, right, .. } = body {
        for branch in [left, right] {
            let is_plain = |inner: &Query| {
                inner.with.is_none()
                    && inner.order_by.is_none()
                    && inner.limit_clause.is_none()
                    && inner.fetch.is_none()
                    && inner.locks.is_empty()
            };
            while let SetExpr::Query(inner) = &mut **branch
                && is_plain(inner)
            {
                let none = SetExpr::Values(Values {
                    explicit_row: false,
                    value_keyword: false,
                    rows: Vec::new(),
                });
                let inner = std::mem::replace(&mut *inner.body, none);
                **branch = inner;
            }
            without_parentheses(branch);
        }
    }
}

/// Whether equal rows of a compound are one.
fn compares_rows(body: &SetExpr) -> bool {
    match body {
        SetExpr::SetOperation { set_quantifier, left, right, .. } => {
            *set_quantifier != SetQuantifier::All || compares_rows(left) || compares_rows(right)
        }
        _ => false,
    }
}

/// The name that a column without an alias has from its expression.
pub fn label(item: &SelectItem) -> Option<Ident> {
    match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().cloned(),
        _ => None,
    }
}

/// Keep this name, if the expression has been replaced by another one.
pub fn relabel(item: &mut SelectItem, name: Option<Ident>) {
    let (SelectItem::UnnamedExpr(expr), Some(name)) = (&*item, name) else { return };
    if label(item).is_none() {
        let alias = Ident::with_quote('"', folded(&name));
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
    }
}

impl Finder<'_> {
    /// The branches of UNION, INTERSECT and EXCEPT have columns of one type: those of the compound.
    pub(super) fn unify_compound(
        &mut self,
        body: &mut SetExpr,
        leaves: Vec<Vec<Option<Typed>>>,
    ) -> Vec<Option<Typed>> {
        let mut all = Vec::new();
        self.types_of_branches(body, &mut leaves.into_iter(), &mut all);
        let mut types = all.first().cloned().unwrap_or_default();
        for place in 0..types.len() {
            let mut own: Vec<_> =
                all.iter().map(|leaf| leaf.get(place).copied().flatten()).collect();
            if own.contains(&Some(Typed::plain(Type::One(Scalar::Oid)))) {
                self.number_objects(body, place, &mut own.iter_mut());
            }
            self.settle_compound(body, place, &mut own);
            for (leaf, own) in all.iter_mut().zip(own) {
                leaf.get_mut(place).into_iter().for_each(|typed| *typed = own);
            }
        }
        let mut has_texts = false;
        for (place, result) in types.iter_mut().enumerate() {
            self.check_compound(body, &all, place);
            let mut found = Vec::new();
            columns_at(body, place, &mut found);
            let own: Vec<_> = all.iter().map(|leaf| leaf.get(place).copied().flatten()).collect();
            // NULL has the type of the others.
            let has_own = found.iter().any(|all| !all.iter().all(|expr| is_open(expr)));
            let is_none = |expr: &&Expr| is_null(expr) || (has_own && is_open(expr));
            let known = own.iter().zip(&found).filter(|(_, all)| !all.iter().all(is_none));
            let known: Option<Vec<Typed>> = known.map(|(own, _)| *own).collect();
            let Some(known) = known.filter(|_| found.len() == own.len()) else { continue };
            let common = |one, other| if one == other { one } else { wider(one, other) };
            let is_all = known.len() == own.len();
            let Some(common) = known.iter().copied().reduce(common) else { continue };
            let has_string = found.iter().flatten().any(|expr| string_of(expr).is_some());
            let common = if is_all || (common.ty == Type::One(Scalar::Bpchar) && !has_string) {
                common
            } else {
                Typed::plain(common.ty)
            };
            self.check_length(common, &known);
            *result = Some(common);
            if compares_rows(body) {
                self.check_equality(Some(common));
            }
            if common.ty != TEXT {
                self.unify_place(body, place, &own, common, &mut 0);
                has_texts |= collation(Some(common)).is_some();
            }
        }
        if has_texts {
            self.keep_first(body);
        }
        types
    }

    /// The names of objects in the same column as an OID are OIDs: `SELECT oid … UNION SELECT 't'::regclass`.
    fn number_objects(
        &mut self,
        body: &mut SetExpr,
        place: usize,
        types: &mut std::slice::IterMut<'_, Option<Typed>>,
    ) {
        if let SetExpr::SetOperation { left, right, .. } = body {
            self.number_objects(left, place, types);
            return self.number_objects(right, place, types);
        }
        let (Some(own), SetExpr::Select(select)) = (types.next(), body) else { return };
        let Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) =
            select.projection.get_mut(place)
        else {
            return;
        };
        let Expr::Cast { expr: inner, data_type, .. } = &*expr else { return };
        if is_found_object(inner) || is_name_of_object(inner, data_type) {
            let oid = (**inner).clone();
            self.replace(expr, |_| oid);
            *own = Some(Typed::plain(Type::One(Scalar::Oid)));
        }
    }

    /// The types of the columns of each branch, of which `leaves` has those of SELECT.
    fn types_of_branches(
        &self,
        body: &SetExpr,
        leaves: &mut std::vec::IntoIter<Vec<Option<Typed>>>,
        all: &mut Vec<Vec<Option<Typed>>>,
    ) {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.types_of_branches(left, leaves, all);
                self.types_of_branches(right, leaves, all);
            }
            SetExpr::Select(_) => all.push(leaves.next().unwrap_or_default()),
            SetExpr::Values(values) => all.push(self.types_of_values(values)),
            _ => all.push(Vec::new()),
        }
    }

    /// The types of the columns of VALUES.
    pub(super) fn types_of_values(&self, values: &Values) -> Vec<Option<Typed>> {
        let width = values.rows.first().map_or(0, |row| row.content.len());
        let of_place = |place: usize| {
            let cells = values.rows.iter().filter_map(|row| row.content.get(place));
            let types = cells.filter(|expr| !self.is_untyped(expr));
            let mut types = types.map(|expr| self.type_of(expr)).peekable();
            if types.peek().is_none() {
                return Some(Typed::plain(TEXT));
            }
            let types: Option<Vec<_>> = types.collect();
            types?
                .into_iter()
                .reduce(|one, other| if one == other { one } else { wider(one, other) })
        };
        (0..width).map(of_place).collect()
    }

    /// The cells of a column of VALUES have types that become one.
    pub(super) fn check_values(&mut self, values: &Values) {
        let width = values.rows.first().map_or(0, |row| row.content.len());
        for place in 0..width {
            let cells = values.rows.iter().filter_map(|row| row.content.get(place));
            let known = cells.filter(|expr| !self.is_untyped(expr));
            let known: Vec<_> = known.filter_map(|expr| self.type_of(expr)).collect();
            let family = |own: &Typed| super::family::of(*own);
            let Some(first) = known.first() else { continue };
            let is_other = |own: &&Typed| matches!((family(first), family(own)), (Some(one), Some(other)) if one != other);
            if let Some(other) = known.iter().find(is_other) {
                let names = (first.ty.name(), other.ty.name());
                let message = format!("VALUES types {} and {} cannot be matched", names.0, names.1);
                self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
            }
        }
    }

    /// The cells of VALUES have the types of their columns.
    pub(super) fn unify_values(&mut self, values: &mut Values, types: &[Option<Typed>]) {
        for row in &mut values.rows {
            for (expr, common) in row.content.iter_mut().zip(types) {
                match common {
                    Some(common) => self.unify_cell(expr, *common),
                    None => self.shown(expr),
                }
            }
        }
    }

    fn unify_cell(&mut self, expr: &mut Expr, common: Typed) {
        self.settled(expr, common.ty);
        let is_given = is_given(expr);
        let own = self.type_of(expr).filter(|_| !is_null(expr) && !is_given);
        if let Some(own) = own {
            self.widened(expr, own, common);
        }
        if let Some(collation) = collation(Some(common)).filter(|_| !is_given) {
            return self.replace(expr, |expr| collated_by(expr, collation));
        }
        self.shown(expr);
    }

    /// What a compound is ordered by is a column of it, which cannot be written in another way.
    pub(super) fn check_compound_order(&mut self, query: &Query, types: &[Option<Typed>]) {
        let Some(OrderByKind::Expressions(terms)) =
            query.order_by.as_ref().map(|order| &order.kind)
        else {
            return;
        };
        for term in terms {
            let place = match literal(&term.expr) {
                Some(text) => text.parse::<usize>().ok().and_then(|place| place.checked_sub(1)),
                None => place_of(&term.expr, &query.body),
            };
            let own = place.and_then(|place| types.get(place).copied().flatten());
            let has_own_order = |own: &Typed| {
                matches!(
                    own.ty,
                    Type::Array(_) | Type::One(Scalar::Interval | Scalar::Jsonb | Scalar::Json)
                )
            };
            if let Some(own) = own.filter(has_own_order) {
                let what = format!("the order of {} in a compound", own.ty.name());
                self.refuse(Error::unsupported(what));
            }
        }
    }

    /// Of equal values with other texts UNION shows the first, and SQLite's the last.
    fn keep_first(&mut self, body: &mut SetExpr) {
        let SetExpr::SetOperation { left, right, op, set_quantifier } = body else { return };
        self.keep_first(left);
        self.keep_first(right);
        if *op != SetOperator::Union || *set_quantifier == SetQuantifier::All {
            return;
        }
        *set_quantifier = SetQuantifier::All;
        let sql = "SELECT DISTINCT * FROM (SELECT 1)";
        let Ok(Some(Statement::Query(mut query))) = parse(sql) else { return };
        if let SetExpr::Select(select) = &mut *query.body
            && let Some(TableFactor::Derived { subquery, .. }) =
                select.from.first_mut().map(|table| &mut table.relation)
        {
            std::mem::swap(&mut *subquery.body, body);
        }
        *body = *query.body;
        self.is_changed = true;
    }

    /// The branches have values that PostgreSQL can compare.
    fn check_compound(&mut self, body: &SetExpr, leaves: &[Vec<Option<Typed>>], place: usize) {
        let mut found = Vec::new();
        columns_at(body, place, &mut found);
        if found.len() != leaves.len() {
            return;
        }
        let types = leaves.iter().map(|leaf| leaf.get(place).copied().flatten());
        let types = found.iter().zip(types);
        let is_open = |all: &[&Expr]| all.iter().any(|expr| is_given(expr) || is_null(expr));
        let known = types.filter(|(all, _)| !is_open(all));
        let known: Vec<Typed> = known.filter_map(|(_, typed)| typed).collect();
        let families =
            |one: Typed, other: Typed| [super::family::of(one), super::family::of(other)];
        let refused = known.first().and_then(|first| {
            known.iter().find(
                |other| matches!(families(*first, **other), [Some(one), Some(two)] if one != two),
            )
        });
        if let (Some(first), Some(other)) = (known.first(), refused) {
            let message = format!(
                "UNION types {} and {} cannot be matched",
                first.ty.name(),
                other.ty.name()
            );
            self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
        }
    }

    fn unify_place(
        &mut self,
        body: &mut SetExpr,
        place: usize,
        types: &[Option<Typed>],
        common: Typed,
        at: &mut usize,
    ) {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.unify_place(left, place, types, common, at);
                self.unify_place(right, place, types, common, at);
            }
            SetExpr::Select(select) => {
                let own = types.get(*at).copied().flatten();
                *at += 1;
                let Some(item) = select.projection.get_mut(place) else { return };
                let label = label(item);
                let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) =
                    &mut *item
                else {
                    return;
                };
                if let Some(own) = own.filter(|_| !is_null(expr)) {
                    self.widened(expr, own, common);
                }
                if let Some(collation) = collation(Some(common)) {
                    self.replace(expr, |expr| collated_by(expr, collation));
                }
                relabel(item, label);
            }
            SetExpr::Values(values) => {
                *at += 1;
                for row in &mut values.rows {
                    if let Some(expr) = row.content.get_mut(place) {
                        self.unify_cell(expr, common);
                    }
                }
            }
            _ => *at += 1,
        }
    }
}

/// The expressions at a position of the branches of a compound.
fn columns_at<'a>(body: &'a SetExpr, place: usize, found: &mut Vec<Vec<&'a Expr>>) {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            columns_at(left, place, found);
            columns_at(right, place, found);
        }
        SetExpr::Select(select) => found.extend(match select.projection.get(place) {
            Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => {
                Some(vec![expr])
            }
            _ => None,
        }),
        SetExpr::Values(values) => {
            found.push(values.rows.iter().filter_map(|row| row.content.get(place)).collect());
        }
        _ => {}
    }
}
