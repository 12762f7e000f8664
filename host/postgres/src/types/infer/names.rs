//! The names of columns without an alias.

use sqlparser::ast::{
    AccessExpr, Expr, Query, Select, SelectItem, SelectItemQualifiedWildcardKind as QualifiedKind,
    TableFactor, TrimWhereField,
};

use super::super::resolve::family::typname;
use super::{Body, first_select};
use crate::translate::{folded, is_object, table_name, typed};

/// Queries and expressions in each other that are looked into.
const MAX_DEPTH: u32 = 32;

/// The name that PostgreSQL gives to a column.
pub fn name(expr: &Expr) -> String {
    name_by(expr, &|_| None)
}

/// The same, where `first` is the name of the first column of a query that begins with `*`.
pub fn name_by(expr: &Expr, first: First<'_>) -> String {
    found(expr, first, MAX_DEPTH).map_or_else(|| "?column?".to_owned(), |(name, _)| name)
}

/// The name of the first column of a query.
type First<'a> = &'a dyn Fn(&Query) -> Option<String>;

/// A name, and whether it is better than that of a type.
fn found(expr: &Expr, first: First<'_>, depth: u32) -> Option<(String, bool)> {
    let depth = depth.checked_sub(1)?;
    let found = |expr: &Expr, depth| found(expr, first, depth);
    let good = |name: &str| Some((name.to_owned(), true));
    match expr {
        Expr::Identifier(name) => Some((folded(name), true)),
        Expr::CompoundIdentifier(parts) => Some((folded(parts.last()?), true)),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|access| match access {
                AccessExpr::Dot(Expr::Identifier(name)) => Some((folded(name), true)),
                _ => None,
            });
            field.or_else(|| found(root, depth))
        }
        Expr::Function(function) => Some((table_name(&function.name), true)),
        Expr::Cast { expr, data_type, .. } => match found(expr, depth) {
            Some((name, true)) => Some((name, true)),
            _ if is_object(data_type) => {
                let name = data_type.to_string().to_lowercase();
                Some((name.trim_start_matches("pg_catalog.").to_owned(), false))
            }
            _ => Some((typname(typed(data_type)?.ty.scalar()).to_owned(), false)),
        },
        Expr::TypedString(string) => {
            Some((typname(typed(&string.data_type)?.ty.scalar()).to_owned(), false))
        }
        Expr::Interval(_) => Some(("interval".to_owned(), false)),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => found(inner, depth),
        Expr::Case { else_result, .. } => {
            let last = else_result.as_deref().and_then(|last| found(last, depth));
            Some(last.filter(|(_, is_good)| *is_good).unwrap_or(("case".to_owned(), false)))
        }
        Expr::Exists { negated: false, .. } => good("exists"),
        Expr::Subquery(query) => of_query(query, first, depth),
        Expr::Extract { .. } => good("extract"),
        Expr::Array(_) => good("array"),
        Expr::Tuple(_) => good("row"),
        Expr::Substring { shorthand: true, .. } => good("substr"),
        Expr::Substring { .. } => good("substring"),
        Expr::Overlay { .. } => good("overlay"),
        Expr::Position { .. } => good("position"),
        Expr::Ceil { .. } => good("ceil"),
        Expr::Floor { .. } => good("floor"),
        Expr::AtTimeZone { .. } => good("timezone"),
        Expr::Trim { trim_where, .. } => good(match trim_where {
            Some(TrimWhereField::Leading) => "ltrim",
            Some(TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        _ => None,
    }
}

fn of_query(query: &Query, first: First<'_>, depth: u32) -> Option<(String, bool)> {
    let depth = depth.checked_sub(1)?;
    let Body::Select(select) = first_select(&query.body)? else {
        return Some(("column1".to_owned(), true));
    };
    match select.projection.first()? {
        SelectItem::UnnamedExpr(expr) => found(expr, first, depth),
        SelectItem::ExprWithAlias { alias, .. } => Some((folded(alias), true)),
        item => match derived_by(select, item) {
            Some((subquery, None)) => of_query(subquery, first, depth),
            Some((_, Some(column))) => Some((column, true)),
            None => first(query).map(|name| (name, true)),
        },
    }
}

/// The query in FROM whose columns begin with those of `*`, and the name that its alias gives to the first one.
fn derived_by<'a>(select: &'a Select, item: &SelectItem) -> Option<(&'a Query, Option<String>)> {
    let TableFactor::Derived { subquery, alias, .. } = &select.from.first()?.relation else {
        return None;
    };
    let is_it = match item {
        SelectItem::QualifiedWildcard(QualifiedKind::ObjectName(table), _) => alias
            .as_ref()
            .is_some_and(|alias| folded(&alias.name).eq_ignore_ascii_case(&table_name(table))),
        // USING puts the columns that it merges first.
        SelectItem::Wildcard(_) => select.from[0].joins.is_empty(),
        _ => false,
    };
    let column = alias.as_ref().and_then(|alias| alias.columns.first());
    is_it.then(|| (&**subquery, column.map(|column| folded(&column.name))))
}

#[cfg(test)]
mod tests {
    use sqlparser::ast::{SetExpr, Statement};

    use super::*;
    use crate::translate::parse;

    fn named(sql: &str, first: First<'_>) -> String {
        let Some(Statement::Query(query)) = parse(&format!("SELECT {sql}")).unwrap() else {
            panic!("{sql}")
        };
        let SetExpr::Select(select) = *query.body else { panic!("{sql}") };
        match &select.projection[..] {
            [SelectItem::UnnamedExpr(expr)] => name_by(expr, first),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_query_as_a_value_has_the_name_of_its_first_column() {
        for (sql, expected) in [
            ("(SELECT a FROM t UNION SELECT b FROM u)", "a"),
            ("((SELECT a FROM t) EXCEPT (SELECT b FROM u))", "a"),
            ("((SELECT \"A b\" FROM t) UNION (SELECT b FROM u) ORDER BY 1)", "A b"),
            ("(((SELECT 1 AS one) INTERSECT SELECT 2))", "one"),
            ("((VALUES (1)) UNION (SELECT 2))", "column1"),
            ("(VALUES (1), (2) ORDER BY 1 LIMIT 1)", "column1"),
            ("((SELECT count(*) FROM t) UNION ALL (SELECT 1))::text", "count"),
            ("(SELECT * FROM (SELECT c, d FROM t) AS s)", "c"),
            ("(SELECT s.* FROM (SELECT c FROM t) AS s(x))", "x"),
            ("(SELECT * FROM t)", "first"),
            ("(SELECT s.* FROM (SELECT 1) AS o, s)", "first"),
            ("((SELECT 1) UNION (SELECT 2))", "?column?"),
        ] {
            assert_eq!(named(sql, &|_| Some("first".into())), expected, "{sql}");
        }
        assert_eq!(named("(SELECT * FROM t)", &|_| None), "?column?");
    }
}
