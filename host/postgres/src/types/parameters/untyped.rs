//! Parameters whose type nothing says: PostgreSQL takes `text` for one that is a column of a query, and no type for others.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr};

use super::super::infer::given::declared;
use super::{Finder, MAX_PARAMETERS, parameter};
use crate::error::{Error, Result, sqlstate};
use crate::translate::string_of;
use crate::walk::visit_expressions;

/// Whether an expression is a parameter for which the client has declared no type.
pub fn is_free(expr: &Expr) -> bool {
    parameter(expr).is_some_and(|index| declared(index).is_none())
}

/// Whether an expression has the type of its context.
pub fn is_given(expr: &Expr) -> bool {
    is_free(expr) || string_of(expr).is_some()
}

impl Finder<'_> {
    /// Check the parameters of a statement that got no type, neither here nor from the client.
    ///
    /// # Errors
    ///
    /// 42P18 for one that is only compared with NULL, or that the statement does not have.
    pub(super) fn check_untyped(
        &self,
        tree: &ast::Statement,
        given: &[u32],
        count: usize,
    ) -> Result<()> {
        use ast::Statement as S;
        if !matches!(tree, S::Query(_) | S::Insert(_) | S::Update(_) | S::Delete(_)) {
            // PRAGMA and its like are SQLite's.
            return Ok(());
        }
        let is_typed = |index: &usize| {
            self.found.get(*index).is_some_and(Option::is_some)
                || given.get(*index).is_some_and(|oid| *oid != 0)
        };
        let mut untyped =
            (0..count.min(MAX_PARAMETERS)).filter(|index| !is_typed(index)).peekable();
        if untyped.peek().is_none() {
            return Ok(());
        }
        let (mut used, mut tested) = (BTreeSet::new(), BTreeSet::new());
        let _ = visit_expressions(tree, |expr| {
            match expr {
                Expr::IsNull(inner) | Expr::IsNotNull(inner) => tested.extend(parameter(inner)),
                // Each is met in its parentheses, too.
                Expr::Value(_) => used.extend(parameter(expr)),
                _ => {}
            }
            ControlFlow::<()>::Continue(())
        });
        let wrong = untyped.find(|index| !used.contains(index) || tested.contains(index));
        wrong.map_or(Ok(()), |index| {
            let message = format!("could not determine data type of parameter ${}", index + 1);
            Err(Error::new(sqlstate::INDETERMINATE_TYPE, message))
        })
    }
}
