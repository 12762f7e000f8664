//! The rows that a statement would write, as a query: which of them violates a constraint, and which keys it has twice.

use sql_tokens::{Kind, Token};
use sqlparser::ast::{
    self, Assignment, AssignmentTarget, ConflictTarget, Insert, OnConflictAction, OnInsert, Query,
    SelectItem, SetExpr, Update, Values,
};

use super::names::{last, quoted_name};
use super::target::{Target, assigned, is_again};
use super::{Statement, is_default};
use crate::lex::tokens;
use crate::types::declaration;
use crate::types::infer::Column;

/// Rows of VALUES that are parts of a compound: SQLite takes 500 of them. More are a query, which has no DEFAULT.
const MAX_ROWS: usize = 400;

/// The query for the first row that does not meet a condition, with all columns of the table; `None` where it cannot be
/// known. `definition` is the text of the table, and `columns` are all of it.
pub fn failing_row(
    statement: &Statement,
    definition: &str,
    columns: &[Column],
    condition: &str,
) -> Option<String> {
    let rows = match statement.parsed.as_ref()?.shallow()? {
        ast::Statement::Insert(insert) if action(insert).is_none() => inserted(insert, columns)?,
        ast::Statement::Update(update) => updated(statement, update, columns)?,
        _ => return None,
    };
    let item = |column: &Column| {
        if column.is_generated {
            Some(typed(generation(definition, &column.name)?, column))
        } else {
            Some(quoted_name(&column.name))
        }
    };
    let items: Vec<_> = columns.iter().map(item).collect::<Option<_>>()?;
    let (items, name) = (items.join(", "), quoted_name(&Target::of(statement)?.table));
    Some(format!(
        "SELECT * FROM (SELECT {items} FROM ({rows}) AS {name}) AS {name} WHERE NOT ({condition}) LIMIT 1"
    ))
}

/// The query that has a row if `ON CONFLICT DO UPDATE` would change one twice; `None` where that cannot be, or be known.
pub fn changes_twice(statement: &Statement, columns: &[Column]) -> Option<String> {
    let ast::Statement::Insert(insert) = statement.parsed.as_ref()?.shallow()? else { return None };
    let (keys, update) = action(insert)?;
    // A row that the condition leaves out is not changed.
    if update.selection.is_some() || keys.is_empty() {
        return None;
    }
    if let SetExpr::Values(values) = &*insert.source.as_ref()?.body
        && values.rows.len() < 2
    {
        return None;
    }
    // Values outside the keys need not be known, such as a row id that SQLite assigns.
    let is_key = |column: &Column| {
        keys.iter().any(|key| key.trim_matches('"').eq_ignore_ascii_case(&column.name))
    };
    let needed: Vec<Column> = columns.iter().filter(|column| is_key(column)).cloned().collect();
    let is_named = !insert.columns.is_empty() && needed.len() == keys.len();
    let columns = if is_named { &needed[..] } else { columns };
    let rows = inserted(insert, columns)?;
    let are: Vec<_> = keys.iter().map(|key| format!("{key} IS NOT NULL")).collect();
    Some(format!(
        "SELECT 1 FROM ({rows}) AS pg_new WHERE {} GROUP BY {} HAVING count(*) > 1 LIMIT 1",
        are.join(" AND "),
        keys.join(", ")
    ))
}

/// The columns of `ON CONFLICT (…) DO UPDATE`, and what it does.
fn action(insert: &Insert) -> Option<(Vec<String>, &ast::DoUpdate)> {
    let Some(OnInsert::OnConflict(conflict)) = &insert.on else { return None };
    let OnConflictAction::DoUpdate(update) = &conflict.action else { return None };
    let keys = match &conflict.conflict_target {
        Some(ConflictTarget::Columns(columns)) => columns.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    Some((keys, update))
}

/// A value as one of a column, under its name.
fn typed(value: &str, column: &Column) -> String {
    let declared = column.typed().map_or_else(|| "text".to_owned(), declaration);
    format!("({value})::{declared} AS {}", quoted_name(&column.name))
}

/// The expression of a generated column in the text of its table.
fn generation<'a>(definition: &'a str, name: &str) -> Option<&'a str> {
    let all: Vec<Token<'_>> =
        tokens(definition).filter(|token| token.kind != Kind::Space).collect();
    let is_name = |token: &Token<'_>| {
        matches!(token.kind, Kind::Name | Kind::Word) && token.unquoted().eq_ignore_ascii_case(name)
    };
    let (mut depth, mut is_own) = (0_usize, false);
    for (at, token) in all.iter().enumerate() {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 1 && matches!(token.kind, Kind::Symbol(b'(' | b',')) {
            is_own = all.get(at + 1).is_some_and(is_name);
        }
        if is_own && depth == 1 && token.is("as") {
            return between_brackets(definition, &all[at + 1..]);
        }
    }
    None
}

fn between_brackets<'a>(text: &'a str, all: &[Token<'_>]) -> Option<&'a str> {
    let mut depth = 0_usize;
    for token in all {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return text.get(all.first()?.start + 1..token.start);
        }
    }
    None
}

/// How many columns a query has, where its text shows it.
fn width(query: &Query) -> Option<usize> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let is_one = |item: &SelectItem| {
        matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. })
    };
    select.projection.iter().all(is_one).then_some(select.projection.len())
}

/// The stored columns of the rows of an INSERT.
fn inserted(insert: &Insert, columns: &[Column]) -> Option<String> {
    let source = insert.source.as_deref().filter(|source| is_again(*source))?;
    let stored = || columns.iter().filter(|column| !column.is_generated);
    let mut names: Vec<String> = match &insert.columns[..] {
        [] => stored().map(|column| column.name.clone()).collect(),
        listed => listed.iter().map(last).collect(),
    };
    names.truncate(width(source).unwrap_or(names.len()));
    let place =
        |column: &Column| names.iter().position(|name| name.eq_ignore_ascii_case(&column.name));
    // A key that SQLite would assign has no value before the insertion.
    let own = |column: &Column| match &column.default {
        _ if column.is_numbered() => None,
        Some(default) => Some(format!("({default})")),
        None => Some("NULL".to_owned()),
    };
    let row = |value: &dyn Fn(usize) -> Option<String>| {
        let item = |column: &Column| {
            let given = place(column).and_then(value);
            Some(typed(&given.map_or_else(|| own(column), Some)?, column))
        };
        let items: Vec<_> = stored().map(item).collect::<Option<_>>()?;
        Some(format!("SELECT {}", items.join(", ")))
    };
    let has_defaults =
        |values: &Values| values.rows.iter().flat_map(|row| &row.content).any(is_default);
    if let SetExpr::Values(values) = &*source.body
        && (values.rows.len() <= MAX_ROWS || has_defaults(values))
    {
        let rows = values.rows.iter().take(MAX_ROWS);
        let rows = rows.map(|values| {
            row(&|place| {
                let value = values.content.get(place).filter(|value| !is_default(value));
                value.map(ToString::to_string)
            })
        });
        return Some(rows.collect::<Option<Vec<_>>>()?.join(" UNION ALL "));
    }
    let given = (0..names.len()).map(|place| format!("pg_{place}"));
    let given: Vec<_> = given.collect();
    let select = row(&|place| given.get(place).cloned())?;
    Some(format!("{select} FROM ({source}) AS pg_new({})", given.join(", ")))
}

/// The stored columns of the rows that an UPDATE makes.
fn updated(statement: &Statement, update: &Update, columns: &[Column]) -> Option<String> {
    let is_plain = |one: &Assignment| matches!(one.target, AssignmentTarget::ColumnName(_));
    let is_known =
        |one: &Assignment| is_plain(one) && !is_default(&one.value) && is_again(&one.value);
    if !update.assignments.iter().all(is_known) {
        return None;
    }
    let condition = Target::of(statement)?.condition()?;
    let stored = columns.iter().filter(|column| !column.is_generated);
    let items = stored.map(|column| {
        let own = || quoted_name(&column.name);
        let value = assigned(&update.assignments, &column.name);
        typed(&value.map_or_else(own, ToString::to_string), column)
    });
    let items: Vec<_> = items.collect();
    Some(format!("SELECT {} FROM {} WHERE {condition}", items.join(", "), update.table))
}
