//! The columns of queries: computed numerics compare as numbers wherever SQLite compares rows.

use sqlparser::ast::{
    Expr, GroupByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier,
    Statement, TableFactor,
};

use super::super::infer::wider;
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::compounds::place_of;
use super::numbers::{collated, collated_by, literal};
use super::{call, is_null, take};
use crate::error::{Error, sqlstate};
use crate::translate::{as_cast, folded, is_object, parse};

fn is_numeric(typed: Option<Typed>) -> bool {
    typed.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric))
}

/// The column of the result that an expression names.
fn shown_as<'a>(expr: &Expr, select: &'a Select) -> Option<&'a Expr> {
    if let Some(place) = literal(expr).and_then(|text| text.parse::<usize>().ok()) {
        return match select.projection.get(place.checked_sub(1)?)? {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
            _ => None,
        };
    }
    let Expr::Identifier(name) = expr else { return None };
    select.projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if folded(alias) == folded(name) => Some(expr),
        _ => None,
    })
}

impl Finder<'_> {
    /// The columns of a SELECT that has been resolved.
    pub(in super::super) fn resolve_select(&mut self, select: &mut Select) {
        for (clause, name) in [(&select.selection, "WHERE"), (&select.having, "HAVING")] {
            if let Some(condition) = clause {
                self.check_condition(condition, name);
            }
        }
        let mut keys = match &mut select.group_by {
            GroupByExpr::Expressions(keys, _) => std::mem::take(keys),
            GroupByExpr::All(_) => Vec::new(),
        };
        for key in &mut keys {
            let meant = shown_as(key, select).unwrap_or(key);
            let own = self.type_of(meant);
            self.check_equality(own);
            self.compared(key);
        }
        if let GroupByExpr::Expressions(all, _) = &mut select.group_by {
            *all = keys;
        }
        let mut types = Vec::new();
        for item in &mut select.projection {
            let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item
            else {
                // From here on the places are not known.
                types.clear();
                break;
            };
            if !self.is_source() && self.is_outermost() && is_found_object(expr) {
                // Its text is its name.
                self.replace(expr, |expr| as_cast(expr, Typed::plain(super::super::TEXT)));
            }
            types.push(self.type_of(expr));
            if select.distinct.is_some() {
                self.check_equality(self.type_of(expr));
            }
            if !self.is_source() {
                self.shown(expr);
            }
        }
        self.projections.push(types);
    }

    /// `json` has no equality, by which rows are put together.
    fn check_equality(&mut self, own: Option<Typed>) {
        if own.is_some_and(|own| own.ty == Type::One(Scalar::Json)) {
            let message = "could not identify an equality operator for type json";
            self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
        }
    }

    pub(super) fn check_condition(&mut self, condition: &Expr, clause: &str) {
        let Some(own) =
            self.type_of(condition).filter(|_| !is_given(condition) && !is_null(condition))
        else {
            return;
        };
        if own.ty != Type::One(Scalar::Bool) && super::family::of(own).is_some() {
            let message =
                format!("argument of {clause} must be type boolean, not type {}", own.ty.name());
            self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
        }
    }

    /// A numeric that SQLite compares with others of its column.
    pub(super) fn compared(&mut self, expr: &mut Expr) {
        let own = self.type_of(expr);
        if own.is_some_and(|own| own.ty == Type::One(Scalar::Jsonb))
            && !matches!(expr, Expr::Collate { .. })
        {
            let with = collated_by(take(expr), "pg_jsonb");
            return self.replace(expr, |_| with);
        }
        if is_numeric(own)
            && !self.is_stored(expr)
            && literal(expr).is_none()
            && !matches!(expr, Expr::Collate { .. })
        {
            let with = collated(
                self.computed(take(expr), own.unwrap_or(Typed::plain(super::super::TEXT))),
            );
            self.replace(expr, |_| with);
        }
    }

    /// A column of a result: a literal has its digits.
    fn shown(&mut self, expr: &mut Expr) {
        if literal(expr).is_some() && is_numeric(self.type_of(expr)) {
            let own = Typed::plain(Type::One(Scalar::Numeric));
            let with = collated(self.computed(take(expr), own));
            return self.replace(expr, |_| with);
        }
        if !self.is_stored(expr) {
            self.compared(expr);
        }
    }

    /// What rows are ordered by, which may be a column of the result by its place or its name.
    pub(super) fn ordered(&mut self, expr: &mut Expr, select: Option<&Select>) {
        let meant = select.and_then(|select| shown_as(expr, select)).unwrap_or(expr).clone();
        match self.type_of(&meant).map(|own| own.ty) {
            Some(Type::One(Scalar::Interval)) => {
                self.replace(expr, |_| call("pg_int8_interval_key", vec![meant]));
            }
            Some(Type::Array(_)) => self.refuse(Error::unsupported("the order of arrays")),
            Some(Type::One(Scalar::Json)) => {
                let message = "could not identify an ordering operator for type json";
                self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
            }
            _ => self.compared(expr),
        }
    }

    /// A query whose parts have been resolved; `first` is where its SELECTs begin in `projections`.
    pub(in super::super) fn resolve_query(&mut self, query: &mut Query, first: usize) {
        let leaves = self.projections.split_off(first.min(self.projections.len()));
        if let SetExpr::Values(values) = &mut *query.body
            && !self.is_source()
        {
            for row in &mut values.rows {
                row.content.iter_mut().for_each(|expr| self.shown(expr));
            }
        }
        if first == 0 && !self.is_source() {
            self.columns = leaves.first().cloned().unwrap_or_default();
        }
        let is_compound = matches!(&*query.body, SetExpr::SetOperation { .. });
        if is_compound {
            self.unify_compound(&mut query.body, &leaves, first);
            let types = leaves.first().map(|types| &types[..]).unwrap_or_default();
            self.check_compound_order(query, types);
        } else if let Some(order) = &mut query.order_by
            && let OrderByKind::Expressions(terms) = &mut order.kind
        {
            let select = match &*query.body {
                SetExpr::Select(select) => Some(&**select),
                _ => None,
            };
            terms.iter_mut().for_each(|term| self.ordered(&mut term.expr, select));
        }
        if let Some(targets) = self.take_targets() {
            self.assign_source(&mut query.body, &targets);
        }
    }

    /// The branches of UNION, INTERSECT and EXCEPT have columns of one type.
    fn unify_compound(&mut self, body: &mut SetExpr, leaves: &[Vec<Option<Typed>>], first: usize) {
        let width = leaves.first().map_or(0, Vec::len);
        let mut has_numeric = false;
        for place in 0..width {
            self.check_compound(body, leaves, place);
            let types: Option<Vec<Typed>> =
                leaves.iter().map(|leaf| leaf.get(place).copied().flatten()).collect();
            let Some(types) = types else { continue };
            let Some(common) = types.iter().copied().reduce(wider) else { continue };
            if common.ty == super::super::TEXT {
                continue;
            }
            if let (0, Some(column)) = (first, self.columns.get_mut(place)) {
                *column = Some(common);
            }
            self.unify_place(body, place, &types, common, &mut 0);
            has_numeric |= is_numeric(Some(common));
        }
        if has_numeric {
            self.keep_first(body);
        }
    }

    /// What a compound is ordered by is a column of it, which cannot be written in another way.
    fn check_compound_order(&mut self, query: &Query, types: &[Option<Typed>]) {
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

    /// Of equal numerics UNION shows the first, and SQLite's the last.
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
        let known = types.filter(|(expr, _)| !is_given(expr) && !is_null(expr));
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
        types: &[Typed],
        common: Typed,
        at: &mut usize,
    ) {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.unify_place(left, place, types, common, at);
                self.unify_place(right, place, types, common, at);
            }
            SetExpr::Select(select) => {
                let own = types.get(*at).copied();
                *at += 1;
                let Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) =
                    select.projection.get_mut(place)
                else {
                    return;
                };
                let Some(own) = own.filter(|_| !is_null(expr)) else { return };
                self.widened(expr, own, common);
                if is_numeric(Some(common)) {
                    self.replace(expr, collated);
                }
            }
            _ => {}
        }
    }

    /// The values or columns that are inserted.
    fn assign_source(&mut self, body: &mut SetExpr, targets: &[Option<Typed>]) {
        match body {
            SetExpr::Values(values) => {
                for row in &mut values.rows {
                    for (expr, column) in row.content.iter_mut().zip(targets) {
                        if let Some(column) = column {
                            self.assigned(expr, *column);
                        }
                    }
                }
            }
            SetExpr::Select(select) => {
                for (item, column) in select.projection.iter_mut().zip(targets) {
                    match (item, column) {
                        (
                            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. },
                            Some(column),
                        ) => {
                            self.assigned(expr, *column);
                        }
                        (SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }, None) => {}
                        _ => break,
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether an expression is an object by its name: `'t'::regclass`.
fn is_found_object(expr: &Expr) -> bool {
    matches!(expr, Expr::Cast { expr, data_type, .. } if is_object(data_type) && is_given(expr))
}

/// The expressions at a place of the branches of a compound.
fn columns_at<'a>(body: &'a SetExpr, place: usize, found: &mut Vec<&'a Expr>) {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            columns_at(left, place, found);
            columns_at(right, place, found);
        }
        SetExpr::Select(select) => found.extend(match select.projection.get(place) {
            Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => {
                Some(expr)
            }
            _ => None,
        }),
        _ => {}
    }
}
