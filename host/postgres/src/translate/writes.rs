//! INSERT, UPDATE, DELETE and what else has parts that the visitor does not reach.

use sql_tokens::Kind;
use sqlparser::ast::{
    self, ConflictTarget, Delete, Expr, FromTable, Insert, OnConflictAction, OnInsert, SetExpr,
    TableObject, Truncate,
};

use super::names::{folded, last, quoted_name, raw};
use super::{Rewriter, queries};
use crate::error::{Error, Result};
use crate::lex::tokens;

impl Rewriter<'_> {
    /// What belongs to the kind of statement; its command.
    pub(super) fn own_parts(&mut self, tree: &mut ast::Statement) -> Result<String> {
        use ast::Statement as S;
        self.returning(tree)?;
        Ok(match tree {
            S::Query(query) => match &mut *query.body {
                SetExpr::Insert(tree) | SetExpr::Update(tree) | SetExpr::Delete(tree) => {
                    return self.own_parts(tree);
                }
                _ => "SELECT".to_owned(),
            },
            S::Insert(insert) => {
                self.insert(insert)?;
                "INSERT".to_owned()
            }
            S::Update(update) => {
                if update.or.is_some() {
                    return Err(Error::unsupported("UPDATE OR"));
                }
                self.alias(&mut update.table.relation);
                "UPDATE".to_owned()
            }
            S::Delete(delete) => {
                self.delete(delete)?;
                "DELETE".to_owned()
            }
            S::Truncate(truncate) => {
                self.truncate(truncate);
                "TRUNCATE TABLE".to_owned()
            }
            S::Explain { statement, query_plan, analyze, verbose, format, options, .. } => {
                let command = self.own_parts(statement)?;
                if !matches!(command.as_str(), "SELECT" | "INSERT" | "UPDATE" | "DELETE") {
                    return Err(Error::unsupported(format_args!("EXPLAIN {command}")));
                }
                (*analyze, *verbose, *format, *options) = (false, false, None, None);
                self.replace(query_plan, true);
                "EXPLAIN".to_owned()
            }
            _ => return self.definition(tree),
        })
    }

    fn insert(&mut self, insert: &mut Insert) -> Result<()> {
        if let TableObject::TableName(name) = &mut insert.table {
            self.relation(name)?;
        }
        match &mut insert.on {
            Some(OnInsert::OnConflict(conflict)) => {
                if let Some(ConflictTarget::OnConstraint(name)) = &conflict.conflict_target {
                    let hint = "name the columns: ON CONFLICT (a, b)";
                    return Err(Error::unsupported(format_args!(
                        "ON CONFLICT ON CONSTRAINT {name}"
                    ))
                    .hint(hint));
                }
                if conflict.conflict_target.is_none()
                    && matches!(conflict.action, OnConflictAction::DoUpdate(_))
                {
                    let message = "ON CONFLICT DO UPDATE requires inference specification";
                    return Err(Error::new(crate::error::sqlstate::SYNTAX_ERROR, message));
                }
                self.unambiguous(insert);
            }
            Some(OnInsert::DuplicateKeyUpdate(_)) => {
                return Err(Error::unsupported("ON DUPLICATE KEY UPDATE"));
            }
            _ => {}
        }
        Ok(())
    }

    /// SQLite takes the ON after a query for a join's unless there is a WHERE.
    fn unambiguous(&mut self, insert: &mut Insert) {
        let Some(source) = &mut insert.source else { return };
        if let SetExpr::Select(select) = &mut *source.body
            && select.selection.is_none()
            && !select.from.is_empty()
        {
            self.replace(&mut select.selection, Some(raw("true")));
        }
    }

    fn delete(&mut self, delete: &mut Delete) -> Result<()> {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        if tables.len() != 1 || !delete.tables.is_empty() {
            return Err(Error::unsupported("DELETE from more than one table"));
        }
        if let FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables) =
            &mut delete.from
            && let [table] = &mut tables[..]
        {
            self.alias(&mut table.relation);
        }
        if let Some(using) = delete.using.take() {
            let tables: Vec<_> = using.iter().map(ToString::to_string).collect();
            let condition = delete.selection.take();
            let sql = queries::exists(&tables.join(", "), condition.as_ref()).to_string();
            // Parsed again, so that what is inside is rewritten too.
            let wrapped = super::parse(&format!("SELECT {sql}"))?;
            let Some(ast::Statement::Query(query)) = wrapped else {
                return Err(Error::unsupported("this DELETE … USING"));
            };
            let SetExpr::Select(select) = *query.body else { return Ok(()) };
            if let Some(ast::SelectItem::UnnamedExpr(exists)) = select.projection.into_iter().next()
            {
                self.replace(&mut delete.selection, Some(exists));
            }
        }
        Ok(())
    }

    /// SQLite wants the word AS before the alias of a table that is written.
    fn alias(&mut self, table: &mut ast::TableFactor) {
        if let ast::TableFactor::Table { alias: Some(alias), .. } = table
            && !alias.explicit
        {
            self.replace(&mut alias.explicit, true);
        }
    }

    fn truncate(&mut self, truncate: &Truncate) {
        let deletions = truncate
            .table_names
            .iter()
            .map(|target| format!("DELETE FROM {}", quoted_name(&last(&target.name))));
        self.all(deletions.collect());
        self.has_own_names = true;
    }

    /// Several statements for one.
    pub(super) fn all(&mut self, mut statements: Vec<String>) {
        self.whole = statements.pop();
        self.before.append(&mut statements);
        self.is_changed = true;
    }
}

/// Whether a value is the word DEFAULT.
pub fn is_default(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(name) if name.quote_style.is_none() && folded(name) == "default")
}

/// What an INSERT says of values for identity columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// `SYSTEM VALUE`: they are taken.
    System,
    /// `USER VALUE`: they are ignored.
    User,
}

/// An INSERT without `OVERRIDING … VALUE`, which the parser does not know.
pub fn without_overriding(sql: &str) -> Option<(String, Overriding)> {
    let tokens: Vec<_> = tokens(sql).filter(|token| token.kind != Kind::Space).collect();
    let first = tokens.first()?.text;
    if !["insert", "with"].iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return None;
    }
    let found = tokens.windows(3).find_map(|words| {
        let is_one = words[0].is("overriding") && words[2].is("value");
        let kind = match () {
            () if words[1].is("system") => Overriding::System,
            () if words[1].is("user") => Overriding::User,
            () => return None,
        };
        is_one.then(|| (words[0].start, words[2].start + words[2].text.len(), kind))
    });
    let (start, end, kind) = found?;
    Some((format!("{}{}", &sql[..start], &sql[end..]), kind))
}

/// What an INSERT gives values to.
#[derive(Clone, Debug)]
pub struct Insertion<'a>(&'a Insert);

impl<'a> Insertion<'a> {
    /// What a statement inserts; `None` for others.
    pub fn of(statement: &'a super::Statement) -> Option<Self> {
        match statement.parsed.as_ref()?.top()? {
            ast::Statement::Insert(insert) => Some(Self(insert)),
            _ => None,
        }
    }

    /// The table.
    pub fn table(&self) -> Option<String> {
        match &self.0.table {
            TableObject::TableName(name) => Some(last(name)),
            _ => None,
        }
    }

    /// Whether a column gets another value than its default in the last row. It is the table's
    /// column at this position, from 0.
    pub fn gives(&self, column: &str, place: usize) -> bool {
        let Some(source) = &self.0.source else { return false };
        let mut columns = self.0.columns.iter();
        let place = if self.0.columns.is_empty() {
            Some(place)
        } else {
            columns.position(|name| last(name).eq_ignore_ascii_case(column))
        };
        let Some(place) = place else { return false };
        let SetExpr::Values(values) = &*source.body else { return true };
        let value = values.rows.last().and_then(|row| row.content.get(place));
        value.is_some_and(|value| !is_default(value))
    }
}
