//! The columns of queries: computed numerics compare as numbers wherever SQLite compares rows.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr,
    JoinConstraint, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, SetOperator, SetQuantifier,
};

use super::super::infer::{branches, is_wildcard};
use super::super::parameters::{Finder, is_given};
use super::super::placement::constraint;
use super::super::{Scalar, Type, Typed};
use super::compounds::{label, relabel};
use super::grouping::has_aggregate;
use super::numbers::{collated, collated_by, literal};
use super::{call, is_null, number, take};
use crate::error::{Error, sqlstate};
use crate::translate::{as_cast, folded, is_found_object, string_of, table_name};

pub(super) fn is_numeric(typed: Option<Typed>) -> bool {
    typed.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric))
}

/// The collation that compares values of a type whose equal values can have different texts.
pub(super) fn collation(typed: Option<Typed>) -> Option<&'static str> {
    Some(match typed?.ty {
        Type::One(Scalar::Numeric) => "pg_numeric",
        Type::One(Scalar::Jsonb) => "pg_jsonb",
        Type::One(Scalar::Interval) => "pg_interval",
        _ => return None,
    })
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
        for join in select.from.iter().flat_map(|table| &table.joins) {
            if let Some(JoinConstraint::On(condition)) = constraint(&join.join_operator) {
                self.check_condition(condition, "JOIN/ON");
            }
        }
        self.resolve_having(select);
        self.resolve_named_windows(select);
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
        let mut types = Some(Vec::new());
        for item in &mut select.projection {
            let label = label(item).filter(|_| !self.is_outermost());
            let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item
            else {
                // Where one is not known, neither are the positions of the others.
                types = types.zip(self.types_of_wildcard(item)).map(|(mut types, all)| {
                    types.extend(all);
                    types
                });
                continue;
            };
            if !self.is_source() && self.is_outermost() && is_found_object(expr) {
                // Its text is its name.
                self.replace(expr, |expr| as_cast(expr, Typed::plain(super::super::TEXT)));
            }
            let own = self.type_of(expr);
            types.iter_mut().for_each(|types: &mut Vec<_>| types.push(own));
            if select.distinct.is_some() {
                self.check_equality(self.type_of(expr));
            }
            if select.distinct.is_some() {
                self.compared(expr);
            }
            if !self.is_source() {
                self.check_character(expr);
                if let (Some(own), Some((_, parts))) = (own, branches(expr)) {
                    let parts: Vec<_> =
                        parts.iter().filter_map(|part| self.type_of(part)).collect();
                    self.check_length(own, &parts);
                }
                self.shown(expr);
            }
            relabel(item, label);
        }
        self.projections.push(types.unwrap_or_default());
    }

    /// HAVING makes groups of a query, for which SQLite wants an aggregate.
    fn resolve_having(&mut self, select: &mut Select) {
        let has_keys =
            !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
        if has_keys || self.is_view || has_aggregate(select) {
            return;
        }
        if let Some(having) = &mut select.having {
            let mut count = call("count", Vec::new());
            if let Expr::Function(function) = &mut count
                && let FunctionArguments::List(list) = &mut function.args
            {
                list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
            }
            let has_group = Expr::BinaryOp {
                left: Box::new(count),
                op: BinaryOperator::GtEq,
                right: Box::new(number(0)),
            };
            self.replace(having, |having| call("iif", vec![has_group, having, number(0)]));
        }
    }

    fn types_of_wildcard(&self, item: &SelectItem) -> Option<Vec<Option<Typed>>> {
        let table = match item {
            SelectItem::Wildcard(_) => None,
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(table),
                _,
            ) => Some(table_name(table)),
            _ => return None,
        };
        self.own_scope()?.types(table.as_deref())
    }

    /// `json` has no equality operator, which combining rows requires.
    pub(super) fn check_equality(&mut self, own: Option<Typed>) {
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
        if let Some(collation) = collation(own)
            && !is_numeric(own)
            && !matches!(expr, Expr::Collate { .. })
        {
            let with = collated_by(take(expr), collation);
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
    pub(super) fn shown(&mut self, expr: &mut Expr) {
        if literal(expr).is_some() && is_numeric(self.type_of(expr)) {
            let own = Typed::plain(Type::One(Scalar::Numeric));
            let with = collated(self.computed(take(expr), own));
            return self.replace(expr, |_| with);
        }
        if !self.is_stored(expr) {
            self.compared(expr);
        }
    }

    /// What rows are ordered by, which may be a column of the result by its position or its name.
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
            self.check_values(values);
            let types = self.types_of_values(values);
            self.unify_values(values, &types);
            if self.is_statement() {
                self.columns = types;
            }
        } else if self.is_statement() {
            self.columns = leaves.first().cloned().unwrap_or_default();
        }
        let is_compound = matches!(&*query.body, SetExpr::SetOperation { .. });
        let mut unified = match &*query.body {
            SetExpr::Select(select) if select.projection.iter().any(is_wildcard) => {
                leaves.first().cloned().unwrap_or_default()
            }
            _ => Vec::new(),
        };
        if is_compound {
            let types = self.unify_compound(&mut query.body, leaves);
            self.check_compound_order(query, &types);
            unified.clone_from(&types);
            if self.is_statement() {
                self.columns = types;
            }
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
            for (index, (own, column)) in unified.iter().zip(&targets).enumerate() {
                let own = own.or_else(|| has_text(&query.body, index).then_some(TYPED_TEXT));
                if let (Some(own), Some(column)) = (own, column) {
                    self.check_assignment(own, *column);
                }
            }
            self.assign_source(&mut query.body, &targets);
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
                for (index, item) in select.projection.iter_mut().enumerate() {
                    match item {
                        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                            if let Some(column) = targets.get(index).copied().flatten() {
                                self.assigned(expr, column);
                            }
                        }
                        // The positions of what follows are not known.
                        _ => return self.refuse_unchecked(&targets[index.min(targets.len())..]),
                    }
                }
            }
            // The rows of other compounds are compared as they are.
            SetExpr::SetOperation {
                op: SetOperator::Union,
                set_quantifier: SetQuantifier::All,
                left,
                right,
            } => {
                self.assign_source(left, targets);
                self.assign_source(right, targets);
            }
            _ => {}
        }
    }
}

impl Finder<'_> {
    /// Refuse values whose lengths nobody would compare with those of their columns.
    fn refuse_unchecked(&mut self, targets: &[Option<Typed>]) {
        if targets.iter().flatten().any(|column| column.modifier >= 0) {
            let what = "INSERT of * into columns with a length or a precision from these tables";
            self.refuse(Error::unsupported(what).hint("name the columns"));
        }
    }
}

/// The type of a string in a compound query.
const TYPED_TEXT: Typed = Typed::plain(Type::One(Scalar::Text));

/// Whether a column of a compound query is a string in one of its SELECTs.
fn has_text(body: &SetExpr, column: usize) -> bool {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            has_text(left, column) || has_text(right, column)
        }
        SetExpr::Select(select) => matches!(
            select.projection.get(column),
            Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. })
                if string_of(expr).is_some()
        ),
        _ => false,
    }
}
