//! A tree, as the rewriter knows it.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, BinaryOperator, CastKind, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query,
    SetExpr, TableFactor, UnaryOperator, Value, VisitorMut,
};

use crate::translate::casts::custom;
use crate::translate::names::{folded, parts};
use crate::translate::no_columns::fill_query;
use crate::translate::parse;
use crate::walk::WalkMut;

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
    // What a definition keeps is SQLite's.
    let has_casts = matches!(
        statement,
        ast::Statement::Query(_)
            | ast::Statement::Insert(_)
            | ast::Statement::Update(_)
            | ast::Statement::Delete(_)
    );
    let mut spelling = Spelling { is_changed: false, has_casts };
    let _ = statement.walk_mut(&mut spelling);
    spelling.is_changed
}

struct Spelling {
    is_changed: bool,
    /// Whether the name of a type that is called is a cast.
    has_casts: bool,
}

impl VisitorMut for Spelling {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.is_changed |= order_values(query).is_some();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let is_changed = match expr {
            Expr::Exists { subquery, .. } => fill_query(subquery),
            Expr::BinaryOp { left, op, right } => name_operator(left, op, right),
            Expr::UnaryOp { op: UnaryOperator::Minus, .. } => negate_base(expr),
            Expr::Function(function) if is_called(function, "coalesce") => complete(function),
            Expr::Function(function) if is_called(function, "currval") => unwrap_sequence(function),
            Expr::Function(_) if self.has_casts => {
                call_of_type(expr).map(|with| *expr = with).is_some()
            }
            _ => false,
        };
        self.is_changed |= is_changed;
        ControlFlow::Continue(())
    }
}

/// `currval('s'::regclass)`: sequences have no OIDs here, but names.
fn unwrap_sequence(function: &mut ast::Function) -> bool {
    let FunctionArguments::List(list) = &mut function.args else { return false };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = &mut list.args[..] else {
        return false;
    };
    let Expr::Cast { expr, data_type: ast::DataType::Regclass, .. } = &mut *argument else {
        return false;
    };
    if !matches!(&**expr, Expr::Value(_)) {
        return false;
    }
    let name = std::mem::replace(&mut **expr, Expr::Value(Value::Null.into()));
    *argument = name;
    true
}

fn is_called(function: &ast::Function, wanted: &str) -> bool {
    matches!(parts(&function.name)[..], [name] if folded(name) == wanted)
}

/// `coalesce(x)`, which SQLite has with two arguments.
fn complete(function: &mut ast::Function) -> bool {
    let FunctionArguments::List(list) = &mut function.args else { return false };
    if list.args.len() != 1 {
        return false;
    }
    let none = FunctionArgExpr::Expr(Expr::Value(Value::Null.into()));
    list.args.push(FunctionArg::Unnamed(none));
    true
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

/// Types that PostgreSQL's grammar takes for functions, too.
const CALLED: &[&str] = &[
    "bool",
    "bytea",
    "date",
    "float4",
    "float8",
    "int2",
    "int4",
    "int8",
    "jsonb",
    "name",
    "oid",
    "text",
    "timestamptz",
    "uuid",
];

/// Those that it takes in quotes or with the schema only.
const CALLED_QUOTED: &[&str] = &["interval", "numeric", "timestamp", "varchar"];

/// `int4(x)`: a cast.
fn call_of_type(expr: &mut Expr) -> Option<Expr> {
    let Expr::Function(function) = expr else { return None };
    let (name, is_qualified) = match parts(&function.name)[..] {
        [name] => (name, false),
        [schema, name] if folded(schema) == "pg_catalog" => (name, true),
        _ => return None,
    };
    let ty = folded(name);
    let is_quoted = is_qualified || name.quote_style.is_some();
    let is_type =
        CALLED.contains(&ty.as_str()) || (is_quoted && CALLED_QUOTED.contains(&ty.as_str()));
    let FunctionArguments::List(list) = &mut function.args else { return None };
    let is_plain = list.duplicate_treatment.is_none()
        && list.clauses.is_empty()
        && function.over.is_none()
        && function.filter.is_none();
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = &mut list.args[..] else {
        return None;
    };
    if !is_type || !is_plain {
        return None;
    }
    let inner = std::mem::replace(argument, Expr::Value(Value::Null.into()));
    Some(Expr::Cast {
        kind: CastKind::DoubleColon,
        expr: Box::new(Expr::Nested(Box::new(inner))),
        data_type: custom(&ty),
        format: None,
    })
}
