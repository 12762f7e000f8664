//! Functions in FROM that return one value: a table with a row and a column.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Ident, Select, SelectItem, TableAlias, TableFactor, TableFunctionArgs, VisitorMut,
};

use super::names::{folded, last};
use super::session_calls;
use crate::types::infer::function_type;
use crate::walk::WalkMut;

/// Put a query instead of each call in FROM: whether there was one.
pub fn derive(tree: &mut ast::Statement) -> bool {
    let mut calls = Calls { is_changed: false };
    // It never breaks.
    let _ = tree.walk_mut(&mut calls);
    calls.is_changed
}

struct Calls {
    is_changed: bool,
}

impl VisitorMut for Calls {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        // Its only column has a name and a type of its own.
        if let ([SelectItem::Wildcard(_)], [table]) = (&select.projection[..], &select.from[..])
            && table.joins.is_empty()
            && let Some(column) = call(&table.relation).map(|call| call.column())
        {
            // In quotes it is not a keyword.
            let column = Ident::with_quote('"', folded(&column));
            select.projection = vec![SelectItem::UnnamedExpr(Expr::Identifier(column))];
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let Some(query) = call(factor).and_then(|call| call.query()) {
            *factor = query;
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}

/// Functions that return an array, whose type their arguments decide.
const ARRAYS: &[&str] =
    &["array_append", "array_cat", "array_prepend", "array_remove", "string_to_array"];

/// A call of a function that returns one value.
struct Call<'a> {
    name: &'a ast::ObjectName,
    arguments: &'a TableFunctionArgs,
    alias: Option<&'a TableAlias>,
}

fn call(factor: &TableFactor) -> Option<Call<'_>> {
    let TableFactor::Table { name, alias, args: Some(arguments), with_ordinality: false, .. } =
        factor
    else {
        return None;
    };
    let function = last(name);
    let is_scalar = session_calls::is_one(&function)
        || ARRAYS.contains(&function.as_str())
        || function_type(&function).is_some();
    is_scalar.then_some(Call { name, arguments, alias: alias.as_ref() })
}

impl Call<'_> {
    /// The column has the name of the alias, or of the function.
    fn column(&self) -> Ident {
        let given = self.alias.and_then(|alias| alias.columns.first()).map(|column| &column.name);
        let given = given.or(self.alias.map(|alias| &alias.name));
        given.cloned().unwrap_or_else(|| Ident::new(last(self.name)))
    }

    fn query(&self) -> Option<TableFactor> {
        let arguments: Vec<_> = self.arguments.args.iter().map(ToString::to_string).collect();
        let call = format!("{}({})", self.name, arguments.join(", "));
        let parsed = super::parse(&format!("SELECT {call} AS {}", self.column())).ok()??;
        let ast::Statement::Query(subquery) = parsed else { return None };
        let name = self.alias.map_or_else(|| self.column(), |alias| alias.name.clone());
        let name = if name.quote_style.is_none() { Ident::new(folded(&name)) } else { name };
        let alias = Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None });
        Some(TableFactor::Derived { lateral: false, subquery, alias, sample: None })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};

    #[test]
    fn a_call_in_from_is_a_query() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        assert_eq!(
            sql("SELECT * FROM current_schema()"),
            "SELECT `current_schema` FROM (SELECT 'public' AS current_schema) AS current_schema"
        );
        assert_eq!(
            sql("SELECT t.*, x FROM pg_catalog.current_setting('a') AS t(x), u"),
            "SELECT t.*, x FROM (SELECT pg_session('current_setting', 'a') AS x) AS t, u"
        );
        assert_eq!(
            sql("SELECT b FROM pg_try_advisory_lock($1) b"),
            "SELECT b FROM (SELECT pg_session('pg_try_advisory_lock', ?1) AS b) AS b"
        );
        assert_eq!(sql("SELECT value FROM json_each('[]')"), "SELECT value FROM json_each('[]')");
    }
}
