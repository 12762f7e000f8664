//! A tree, as the rewriter knows it.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Array, BinaryOperator, Expr, Ident, Query, SelectItem, SetExpr, TableFactor,
    UnaryOperator, Value, VisitMut, VisitorMut,
};

use crate::translate::parse;

/// Bytes that the operands of `LIKE ANY` may take together, since each of its patterns has the value before it.
const MAX_PATTERNS: usize = 64 << 10;

/// Operators that `OPERATOR(pg_catalog.…)` may name, where they mean the same without it.
const OPERATORS: &[(&str, BinaryOperator)] = &[
    ("+", BinaryOperator::Plus),
    ("-", BinaryOperator::Minus),
    ("*", BinaryOperator::Multiply),
    ("/", BinaryOperator::Divide),
    ("%", BinaryOperator::Modulo),
    ("^", BinaryOperator::PGExp),
    ("=", BinaryOperator::Eq),
    ("<>", BinaryOperator::NotEq),
    ("!=", BinaryOperator::NotEq),
    ("<", BinaryOperator::Lt),
    ("<=", BinaryOperator::LtEq),
    (">", BinaryOperator::Gt),
    (">=", BinaryOperator::GtEq),
    ("||", BinaryOperator::StringConcat),
    ("&", BinaryOperator::BitwiseAnd),
    ("|", BinaryOperator::BitwiseOr),
    ("#", BinaryOperator::PGBitwiseXor),
    ("<<", BinaryOperator::PGBitwiseShiftLeft),
    (">>", BinaryOperator::PGBitwiseShiftRight),
    ("~", BinaryOperator::PGRegexMatch),
    ("~*", BinaryOperator::PGRegexIMatch),
    ("!~", BinaryOperator::PGRegexNotMatch),
    ("!~*", BinaryOperator::PGRegexNotIMatch),
    ("~~", BinaryOperator::PGLikeMatch),
    ("~~*", BinaryOperator::PGILikeMatch),
    ("!~~", BinaryOperator::PGNotLikeMatch),
    ("!~~*", BinaryOperator::PGNotILikeMatch),
    ("^@", BinaryOperator::PGStartsWith),
    ("@>", BinaryOperator::AtArrow),
    ("<@", BinaryOperator::ArrowAt),
    ("&&", BinaryOperator::PGOverlap),
    ("->", BinaryOperator::Arrow),
    ("->>", BinaryOperator::LongArrow),
];

/// Spell a tree as the rewriter does. Whether SQLite would not read it as it was.
pub fn tree(statement: &mut ast::Statement) -> bool {
    let mut spelling = Spelling { is_changed: false };
    let _ = statement.visit(&mut spelling);
    spelling.is_changed
}

struct Spelling {
    is_changed: bool,
}

impl VisitorMut for Spelling {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.is_changed |= order_values(query).is_some();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let is_changed = match expr {
            Expr::Exists { subquery, .. } => match &mut *subquery.body {
                SetExpr::Select(select) if select.projection.is_empty() => {
                    let any = Value::Number("1".to_owned(), false);
                    select.projection.push(SelectItem::UnnamedExpr(Expr::Value(any.into())));
                    true
                }
                _ => false,
            },
            Expr::Like { any: true, .. } | Expr::ILike { any: true, .. } => {
                any_pattern(expr).map(|with| *expr = with).is_some()
            }
            Expr::BinaryOp { left, op, right } => name_operator(left, op, right),
            Expr::UnaryOp { op: UnaryOperator::Minus, .. } => negate_base(expr),
            _ => false,
        };
        self.is_changed |= is_changed;
        ControlFlow::Continue(())
    }
}

/// `-2 ^ 2`: a sign binds tighter than a power, which the parser does not know.
fn negate_base(expr: &mut Expr) -> bool {
    let is_power = |expr: &Expr| matches!(expr, Expr::BinaryOp { op: BinaryOperator::PGExp, .. });
    let Expr::UnaryOp { expr: inner, .. } = expr else { return false };
    if !is_power(inner) {
        return false;
    }
    let none = || Expr::Value(Value::Null.into());
    let mut power = std::mem::replace(&mut **inner, none());
    let mut base = &mut power;
    while let Expr::BinaryOp { left, op: BinaryOperator::PGExp, .. } = base {
        base = left;
    }
    let negated = Box::new(std::mem::replace(base, none()));
    *base = Expr::UnaryOp { op: UnaryOperator::Minus, expr: negated };
    *expr = power;
    true
}

/// `VALUES … ORDER BY`, which SQLite has only as a query of them.
fn order_values(query: &mut Query) -> Option<()> {
    let is_alone =
        query.order_by.is_none() && query.limit_clause.is_none() && query.fetch.is_none();
    if is_alone || !matches!(*query.body, SetExpr::Values(_)) {
        return None;
    }
    let sql = "SELECT * FROM (VALUES (1)) AS \"*VALUES*\"";
    let Ok(Some(ast::Statement::Query(mut outer))) = parse(sql) else { return None };
    let SetExpr::Select(select) = &mut *outer.body else { return None };
    let TableFactor::Derived { subquery, .. } = &mut select.from.first_mut()?.relation else {
        return None;
    };
    std::mem::swap(&mut subquery.body, &mut query.body);
    query.body = outer.body;
    Some(())
}

/// `OPERATOR(pg_catalog.+)`, which binds as it was parsed.
fn name_operator(left: &mut Expr, op: &mut BinaryOperator, right: &mut Expr) -> bool {
    let BinaryOperator::PGCustomBinaryOperator(parts) = op else { return false };
    let name = match &parts[..] {
        [name] => name,
        [schema, name] if schema.eq_ignore_ascii_case("pg_catalog") => name,
        _ => return false,
    };
    let Some((_, named)) = OPERATORS.iter().find(|(text, _)| text == name) else { return false };
    *op = named.clone();
    for side in [left, right] {
        if matches!(side, Expr::BinaryOp { .. }) {
            let inner = std::mem::replace(side, Expr::Value(Value::Null.into()));
            *side = Expr::Nested(Box::new(inner));
        }
    }
    true
}

/// `x LIKE ANY (ARRAY[…])` by its elements, and by `unnest` for an array that is given as a whole; none for another one.
fn any_pattern(expr: &Expr) -> Option<Expr> {
    let (Expr::Like { pattern, .. } | Expr::ILike { pattern, .. }) = expr else { return None };
    let mut inner = &**pattern;
    while let Expr::Nested(nested) = inner {
        inner = nested;
    }
    let with = |pattern: Expr| {
        let mut one = expr.clone();
        if let Expr::Like { any, pattern: place, .. } | Expr::ILike { any, pattern: place, .. } =
            &mut one
        {
            *any = false;
            **place = pattern;
        }
        one
    };
    match inner {
        Expr::Array(Array { elem, .. }) if !elem.is_empty() => {
            if elem.len() * expr.to_string().len() > MAX_PATTERNS {
                return None;
            }
            let each = elem.iter().cloned().map(with);
            let any = each.reduce(|left, right| Expr::BinaryOp {
                left: Box::new(left),
                op: BinaryOperator::Or,
                right: Box::new(right),
            })?;
            Some(Expr::Nested(Box::new(any)))
        }
        Expr::Value(_) | Expr::Cast { .. } => {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM unnest(({inner})::text[]) AS \"pg patterns\"(\"pg pattern\") WHERE true)"
            );
            let Ok(Some(ast::Statement::Query(query))) = parse(&sql) else { return None };
            let SetExpr::Select(select) = *query.body else { return None };
            let Some(SelectItem::UnnamedExpr(mut exists)) = select.projection.into_iter().next()
            else {
                return None;
            };
            if let Expr::Exists { subquery, .. } = &mut exists
                && let SetExpr::Select(select) = &mut *subquery.body
            {
                select.selection =
                    Some(with(Expr::Identifier(Ident::with_quote('"', "pg pattern"))));
            }
            Some(exists)
        }
        _ => None,
    }
}
