//! Arithmetic of stored integers without a call of an extension.
//!
//! `pg_int4_add(a, 1)` checks its operands and its sum, and the call takes as long as many steps of SQLite. Where SQLite
//! can check both itself, by `typeof` and a range, only what fails is left to the function: NULL, another type, a sum
//! beyond its own type.

use std::ops::ControlFlow;

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Statement, VisitorMut,
};

use super::super::Scalar;
use super::super::parameters::{Finder, parameter};
use super::numbers::literal;
use super::{call, family, number, string};
use crate::walk::WalkMut;

/// What begins the name of an operator that may be expanded.
const MARK: &str = "inline_";

/// Operators that a statement expands at most: each makes its text longer by about 150 bytes.
const MAX_EXPANDED: usize = 64;

/// The operators, by the names of their functions.
const OPERATORS: [(&str, BinaryOperator); 3] = [
    ("add", BinaryOperator::Plus),
    ("sub", BinaryOperator::Minus),
    ("mul", BinaryOperator::Multiply),
];

/// The types, by their names in functions, with their ranges. Beyond the range of `int8` SQLite's result is a real.
const TYPES: [(&str, Option<(i64, i64)>); 3] = [
    ("int2", Some((i16::MIN as i64, i16::MAX as i64))),
    ("int4", Some((i32::MIN as i64, i32::MAX as i64))),
    ("int8", None),
];

impl Finder<'_> {
    /// The mark of an operator whose operands cost nothing to read twice: columns of tables and of recursive queries,
    /// parameters, literals.
    pub(super) fn inline_mark(
        &self,
        target: Scalar,
        name: &str,
        operands: [&Expr; 2],
    ) -> &'static str {
        let is_known = OPERATORS.iter().any(|(known, _)| *known == name);
        let is_column = |expr: &Expr| self.is_stored(expr) || self.is_kept(expr);
        let is_cheap = |expr: &Expr| is_constant(expr) || is_column(expr);
        let has_column = operands.iter().any(|expr| is_column(expr));
        let is_inline = is_known
            && family::is_integer(target)
            && has_column
            && operands.into_iter().all(is_cheap);
        if is_inline { MARK } else { "" }
    }
}

/// Whether an operand is an integer, or NULL, whatever a file has.
fn is_constant(expr: &Expr) -> bool {
    parameter(expr).is_some() || literal(expr).is_some_and(|text| text.parse::<i64>().is_ok())
}

/// Expand the operators that are marked.
pub fn expand(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut Expander { expanded: 0 });
}

struct Expander {
    expanded: usize,
}

impl VisitorMut for Expander {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(marked) = Marked::of(expr) {
            self.expanded += 1;
            *expr = if self.expanded <= MAX_EXPANDED { marked.expanded() } else { marked.called() };
        }
        ControlFlow::Continue(())
    }
}

/// A call of `pg_int4_inline_add`, or one like it.
struct Marked {
    scalar: &'static str,
    range: Option<(i64, i64)>,
    name: &'static str,
    op: BinaryOperator,
    left: Expr,
    right: Expr,
}

impl Marked {
    fn of(expr: &Expr) -> Option<Self> {
        let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = expr
        else {
            return None;
        };
        let name = name.to_string();
        let (scalar, name) = name.strip_prefix("pg_")?.split_once('_')?;
        let name = name.strip_prefix(MARK)?;
        let (scalar, range) = TYPES.into_iter().find(|(known, _)| *known == scalar)?;
        let (name, op) = OPERATORS.into_iter().find(|(known, _)| *known == name)?;
        let [left, right] = &list.args[..] else { return None };
        let (left, right) = (operand(left)?, operand(right)?);
        Some(Self { scalar, range, name, op, left, right })
    }

    fn called(self) -> Expr {
        call(&format!("pg_{}_{}", self.scalar, self.name), vec![self.left, self.right])
    }

    /// `CASE WHEN typeof(a) = 'integer' AND a + 1 BETWEEN … AND … THEN a + 1 ELSE pg_int4_add(a, 1) END`.
    fn expanded(self) -> Expr {
        let both = |left: &Expr, op: &BinaryOperator, right: &Expr| Expr::BinaryOp {
            left: Box::new(left.clone()),
            op: op.clone(),
            right: Box::new(right.clone()),
        };
        let is_integer = |expr: &Expr| {
            both(&call("typeof", vec![expr.clone()]), &BinaryOperator::Eq, &string("integer"))
        };
        let result = both(&self.left, &self.op, &self.right);
        let fits = match self.range {
            Some((low, high)) => Expr::Between {
                expr: Box::new(result.clone()),
                negated: false,
                low: Box::new(number(low)),
                high: Box::new(number(high)),
            },
            None => is_integer(&result),
        };
        let columns = [&self.left, &self.right].into_iter().filter(|operand| !is_constant(operand));
        let condition = columns
            .map(is_integer)
            .fold(fits, |fits, column| both(&column, &BinaryOperator::And, &fits));
        Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![CaseWhen { condition, result }],
            else_result: Some(Box::new(self.called())),
        }
    }
}

fn operand(argument: &FunctionArg) -> Option<Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    }
}
