//! Names without quotes that are words of SQLite's grammar, or of PostgreSQL's.

use std::ops::ControlFlow;

use sql_tokens::Dialect;
use sqlparser::ast::{self, Expr, Ident, ObjectName, TableObject, VisitorMut};

use super::names::parts;
use crate::error::{Error, Result, sqlstate};
use crate::walk::WalkMut;

fn is_reserved(name: &Ident, dialect: Dialect) -> bool {
    name.quote_style.is_none() && sql_tokens::is_reserved(&name.value, dialect)
}

/// Quote the names that are words of SQLite: whether there was one.
///
/// # Errors
///
/// 42601 where PostgreSQL takes none of its words for a name.
pub fn quote(tree: &mut ast::Statement) -> Result<bool> {
    let mut names = Names { is_changed: false, is_default: false };
    match tree.walk_mut(&mut names) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(names.is_changed),
    }
}

struct Names {
    is_changed: bool,
    /// Whether the next name is the word DEFAULT instead of a value.
    is_default: bool,
}

impl VisitorMut for Names {
    type Break = Error;

    fn pre_visit_statement(&mut self, statement: &mut ast::Statement) -> ControlFlow<Error> {
        match refused(statement) {
            Some(name) => ControlFlow::Break(syntax(&name.value)),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &mut ast::Query) -> ControlFlow<Error> {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        let mut names = with.flat_map(|cte| {
            std::iter::once(&cte.alias.name)
                .chain(cte.alias.columns.iter().map(|column| &column.name))
        });
        match names.find(|name| is_reserved(name, Dialect::Postgres)) {
            Some(name) => ControlFlow::Break(syntax(&name.value)),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &mut ast::TableFactor) -> ControlFlow<Error> {
        let (alias, table) = match factor {
            ast::TableFactor::Table { alias, args: None, name, .. } => {
                (alias.as_ref(), first(name))
            }
            ast::TableFactor::Table { alias, .. } | ast::TableFactor::Derived { alias, .. } => {
                (alias.as_ref(), None)
            }
            _ => (None, None),
        };
        let of_alias = alias.into_iter().flat_map(|alias| {
            std::iter::once(&alias.name).chain(alias.columns.iter().map(|column| &column.name))
        });
        let is_call =
            |name: &Ident| name.value.starts_with("current_") || CALLS.contains(&&*name.value);
        let table = table.filter(|name| !is_call(name));
        match of_alias.chain(table).find(|name| is_reserved(name, Dialect::Postgres)) {
            Some(name) => ControlFlow::Break(syntax(&name.value)),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.is_default =
            matches!(expr, Expr::Identifier(name) if name.value.eq_ignore_ascii_case("default"));
        ControlFlow::Continue(())
    }

    fn pre_visit_ident(&mut self, name: &mut Ident) -> ControlFlow<Error> {
        if !std::mem::take(&mut self.is_default) && is_reserved(name, Dialect::Sqlite) {
            *name = Ident::with_quote('"', name.value.to_ascii_lowercase());
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}

/// Words that are calls in FROM.
const CALLS: &[&str] = &["user", "session_user", "localtime", "localtimestamp"];

fn syntax(name: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{name}\""))
}

/// The name of a table, without a schema before it: after a point any word is a name.
fn first(name: &ObjectName) -> Option<&Ident> {
    match parts(name)[..] {
        [name] => Some(name),
        _ => None,
    }
}

/// A name that PostgreSQL does not take where something is made or written.
fn refused(statement: &ast::Statement) -> Option<&Ident> {
    use ast::Statement as S;
    let mut names = Vec::new();
    match statement {
        S::CreateTable(table) => {
            names.extend(first(&table.name));
            names.extend(table.columns.iter().map(|column| &column.name));
        }
        S::CreateView(view) => {
            names.extend(first(&view.name));
            names.extend(view.columns.iter().map(|column| &column.name));
        }
        S::CreateIndex(index) => names.extend(index.name.as_ref().and_then(first)),
        S::Insert(insert) => {
            if let TableObject::TableName(name) = &insert.table {
                names.extend(first(name));
            }
            names.extend(insert.columns.iter().filter_map(first));
        }
        S::Update(update) => {
            names.extend(update.assignments.iter().filter_map(|one| match &one.target {
                ast::AssignmentTarget::ColumnName(name) => first(name),
                ast::AssignmentTarget::Tuple(_) => None,
            }));
        }
        _ => {}
    }
    names.into_iter().find(|name| is_reserved(name, Dialect::Postgres))
}

#[cfg(test)]
mod tests {
    use super::super::{Context, translate};

    #[test]
    fn names_that_are_words_of_sqlite_are_quoted() {
        let sql = |sql: &str| translate(sql, &Context::default()).unwrap().remove(0).sql;
        assert_eq!(
            sql("SELECT s.default, Add AS set FROM index AS s WHERE escape = 1"),
            "SELECT s.`default`, `add` AS `set` FROM `index` AS s WHERE `escape` = 1"
        );
        assert_eq!(
            sql("CREATE TABLE index(add int, CONSTRAINT set UNIQUE (add))"),
            "CREATE TABLE \"index\" (\"add\" INT, CONSTRAINT \"set\" UNIQUE (\"add\"))"
        );
        assert_eq!(sql("SELECT a FROM t ORDER BY a NULLS LAST").len(), 37);
    }

    #[test]
    fn names_that_are_words_of_postgres_are_refused() {
        for sql in [
            "CREATE TABLE user(a int)",
            "CREATE TABLE t(end int)",
            "INSERT INTO t(user) VALUES (1)",
            "WITH end AS (SELECT 1) SELECT 1",
            "SELECT 1 FROM (SELECT 1) AS analyze",
        ] {
            let refused = translate(sql, &Context::default()).unwrap_err();
            assert_eq!(refused.code, "42601", "{sql}");
        }
    }
}
