//! Joins and comparisons that SQLite reads and PostgreSQL does not.

use sqlparser::ast::{BinaryOperator, Expr, Join, JoinConstraint, JoinOperator};

use super::constraint;
use crate::error::{Error, Result, sqlstate};

/// PostgreSQL has no join without a condition but CROSS JOIN, and no full one that compares nothing.
///
/// # Errors
///
/// 42601, 0A000.
pub fn check_joins(joins: &[Join]) -> Result<()> {
    for join in joins {
        let is_full = matches!(join.join_operator, JoinOperator::FullOuter(_));
        match constraint(&join.join_operator) {
            Some(JoinConstraint::None) => {
                let message = "syntax error: a join has neither ON nor USING";
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message).hint("write CROSS JOIN"));
            }
            Some(JoinConstraint::On(condition)) if is_full && !has_equality(condition) => {
                let message = "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions";
                return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Comparisons are no operands of each other without parentheses.
///
/// # Errors
///
/// 42601.
pub fn check_chain(expr: &Expr) -> Result<()> {
    if let Expr::BinaryOp { left, op, .. } = expr
        && is_comparison(op)
        && matches!(&**left, Expr::BinaryOp { op, .. } if is_comparison(op))
    {
        let message = format!("syntax error at or near \"{op}\"");
        let hint = "put one of the comparisons in parentheses";
        return Err(Error::new(sqlstate::SYNTAX_ERROR, message).hint(hint));
    }
    Ok(())
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator as O;
    matches!(op, O::Eq | O::NotEq | O::Lt | O::LtEq | O::Gt | O::GtEq)
}

/// Whether a condition compares two values by `=`, or is a constant.
fn has_equality(condition: &Expr) -> bool {
    match condition {
        Expr::Nested(inner) => has_equality(inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            has_equality(left) || has_equality(right)
        }
        Expr::BinaryOp { op: BinaryOperator::Eq, .. } | Expr::Value(_) => true,
        _ => false,
    }
}
