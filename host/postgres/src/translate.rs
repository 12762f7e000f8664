//! Postgres SQL to SQLite's.
//!
//! A statement is parsed by `sqlparser`'s Postgres dialect. Where one of the rewrites here
//! applies, SQLite gets the rewritten statement; where none does, and where only SQLite can read
//! the text, it gets the text as it is, with numbered parameters. What SQLite cannot do is refused
//! by its name.

mod action;
mod alterations;
mod calls;
mod casts;
mod constraints;
mod context;
mod copy;
mod copy_condition;
mod copy_header;
mod cursors;
mod dates;
mod definitions;
pub(crate) mod distinct_on;
mod explain;
mod expressions;
mod failing;
mod functions;
mod labels;
mod maintenance;
mod modifiers;
mod names;
mod no_columns;
mod numbering;
mod object_names;
mod objects;
mod outer_aggregates;
mod patterns;
mod prepared;
mod queries;
mod query_tables;
mod reserved;
mod returning;
mod row_locks;
mod schemas;
mod scrolling;
mod session;
mod session_calls;
mod set_tables;
mod sets;
mod shadowing;
pub(crate) mod sources;
mod spelling;
mod stack;
mod statement;
mod target;
mod texts;
mod tree;
mod unknown;
mod untyped;
mod visit;
mod writes;
mod written;

use std::ops::ControlFlow;

use sqlparser::{ast, dialect::PostgreSqlDialect};

pub use action::{Action, ConstraintName, Discarded, SequenceType};
pub use alterations::{Identity, Name, Step, altered, check_collation, steps};
pub(crate) use casts::{as_cast, typed};
pub use context::Context;
pub use copy::{Copy, CopyFormat, CopyOptions};
pub use cursors::{Declared, Direction};
pub(crate) use dates::span;
pub use explain::PlanFormat;
pub(crate) use expressions::operator;
pub use failing::{changes_twice, failing_row};
pub use maintenance::{Maintained, Verb};
pub(crate) use modifiers::check_modifier;
pub(crate) use names::{folded, last as table_name, raw as piece, string_of};
pub use numbering::{Numbering, numbered};
pub(crate) use object_names::{is_found_object, is_name_of_object, is_object, object_finder};
pub use objects::{Definition, Kind};
pub use row_locks::Locks;
pub use schemas::Qualified;
pub use session::Modes;
pub use session_calls::NAME as SESSION_FUNCTION;
pub(crate) use sets::is_set_name;
pub use stack::{DEEPEST, SHALLOW, nesting};
pub use statement::Statement;
pub use target::{Emptied, Target};
pub(crate) use tree::Tree;
pub(crate) use unknown::is_function as is_postgres_function;
use untyped::{only_sqlite, rewritten};
pub(crate) use writes::is_default;
pub use writes::{Insertion, Overriding};
pub(crate) use written::written;

use crate::error::{Error, Result, sqlstate};
use crate::lex::{self, Piece};
use crate::walk::{WalkMut, visit_expressions};

/// Bytes that the rewrites of a text may write: `MAX_WRITTEN` for any text, and `MAX_GROWTH` for each byte of it.
const MAX_WRITTEN: usize = 4 << 20;
const MAX_GROWTH: usize = 16;

/// Statements of a message at most: the tree of a short one takes 14 KiB.
const MAX_STATEMENTS: usize = 2000;

/// The statements of a text; an empty one has none.
///
/// # Errors
///
/// 0A000 with the name of what is not supported, 54001 for what is too deep.
pub fn translate(sql: &str, context: &Context) -> Result<Vec<Statement>> {
    let pieces = lex::split(sql)?;
    if pieces.len() > MAX_STATEMENTS {
        let message = format!("a message has more than {MAX_STATEMENTS} statements");
        return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
    }
    let all = || {
        let mut left = may_be_written(sql.len());
        pieces.iter().map(move |piece| {
            let statement = statement(piece, context)?;
            left = left.checked_sub(statement.sql.len()).ok_or_else(too_long)?;
            Ok(statement)
        })
    };
    stack::with_room(|| all().collect())
}

fn statement(piece: &Piece<'_>, context: &Context) -> Result<Statement> {
    let mut statement = as_written(piece, context)?;
    if has_rows(&statement.command) {
        statement.sql = lex::without_double_quotes(&statement.sql);
    }
    Ok(statement)
}

fn has_rows(command: &str) -> bool {
    matches!(command, "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "EXPLAIN")
}

fn as_written(piece: &Piece<'_>, context: &Context) -> Result<Statement> {
    if let Some(statement) = session::statement(piece)? {
        return Ok(statement);
    }
    if let Some(statement) = prepared::statement(piece)? {
        return Ok(statement);
    }
    if let Some(statement) = cursors::statement(piece, context)? {
        return Ok(statement);
    }
    if let Some((text, overriding)) = writes::without_overriding(piece.text) {
        let piece = Piece { text: &text, ..*piece };
        let statement = as_written(&piece, context)?;
        return Ok(Statement { overriding: Some(overriding), is_untouched: false, ..statement });
    }
    let respelled = numbering::without_sequence_names(piece.text);
    if let Some(text) = respelled.or_else(|| explain::with_query_in_parentheses(piece.text)) {
        let piece = Piece { text: &text, ..*piece };
        let statement = as_written(&piece, context)?;
        return Ok(Statement { is_untouched: false, ..statement });
    }
    if let Some((text, condition)) = copy_condition::divided(piece.text) {
        return copy_condition::statement(&Piece { text, ..*piece }, condition, context);
    }
    if let Some((text, is_match)) = copy_header::spelled(piece.text)? {
        let mut statement = of_tree(&Piece { text: &text, ..*piece }, Vec::new(), context)?;
        if let Action::Copy(copy) = &mut statement.action {
            copy.match_header(is_match)?;
        }
        return Ok(statement);
    }
    if let Some(statement) = maintenance::statement(piece)? {
        return Ok(statement);
    }
    lex::check_operators(piece.text)?;
    if let Some((text, columns)) = query_tables::without_columns(piece.text) {
        let piece = Piece { text: &text, ..*piece };
        return of_tree(&piece, columns, context);
    }
    of_tree(piece, Vec::new(), context)
}

/// What the parser reads; `columns` are those of CREATE TABLE AS.
fn of_tree(
    piece: &Piece<'_>,
    columns: Vec<ast::ColumnDef>,
    context: &Context,
) -> Result<Statement> {
    let Some((mut parsed, is_spelled)) = stack::parse(&PostgreSqlDialect {}, piece.text)? else {
        return only_sqlite(piece);
    };
    let mut is_changed = reserved::quote(&mut parsed)? | is_spelled;
    let (is_filled, has_no_columns) = no_columns::fill(&mut parsed);
    is_changed |= is_filled;
    is_changed |= query_tables::from_into(&mut parsed)?;
    is_changed |= set_tables::among_columns(&mut parsed);
    if let ast::Statement::CreateTable(table) = &mut parsed
        && !columns.is_empty()
    {
        (table.columns, is_changed) = (columns, true);
    }
    if let Some(statement) = session::schema(piece, &parsed) {
        return Ok(statement);
    }
    if let ast::Statement::Copy { .. } = parsed {
        return copy::statement(piece, parsed, context);
    }
    let statement = rewritten(piece, parsed, is_changed, context)?;
    Ok(Statement { has_no_columns, ..statement })
}

/// The tree of a statement; `None` if only SQLite may know it.
pub(crate) fn parse(sql: &str) -> Result<Option<ast::Statement>> {
    Ok(stack::parse(&PostgreSqlDialect {}, sql)?.map(|(parsed, _)| parsed))
}

fn may_be_written(length: usize) -> usize {
    MAX_WRITTEN + length.saturating_mul(MAX_GROWTH)
}

fn too_long() -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "the translated statement is too long")
}

/// Changes a tree.
struct Rewriter<'a> {
    context: &'a Context,
    /// Whether SQLite would not understand the client's text, or misunderstand it.
    is_changed: bool,
    before: Vec<String>,
    after: Vec<String>,
    /// The whole statement, where the tree has no form for it.
    whole: Option<String>,
    /// Whether all names in it were written by [`quoted_name`](names::quoted_name).
    has_own_names: bool,
    /// Whether other programs read what is written.
    is_definition: bool,
    /// For each SELECT that is being rewritten the lengths of the sets among its columns.
    sets: Vec<Vec<String>>,
    /// The bytes that may still be written.
    left: usize,
}

impl<'a> Rewriter<'a> {
    fn new(context: &'a Context, length: usize) -> Self {
        Self {
            context,
            is_changed: false,
            before: Vec::new(),
            after: Vec::new(),
            whole: None,
            has_own_names: false,
            is_definition: false,
            sets: Vec::new(),
            left: may_be_written(length),
        }
    }

    /// Count what was written.
    fn written(&mut self, bytes: usize) -> Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_long)?;
        Ok(())
    }

    /// Rewrite a statement; its command.
    fn statement(&mut self, tree: &mut ast::Statement) -> Result<String> {
        let command = self.own_parts(tree)?;
        if let ControlFlow::Break(error) = tree.walk_mut(self) {
            return Err(error);
        }
        // Those that move a date have gone into its expression.
        let left = visit_expressions(tree, |expr| match expr {
            ast::Expr::Interval(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        match left {
            ControlFlow::Continue(()) => Ok(command),
            ControlFlow::Break(()) => Err(Error::unsupported("an interval without a date")),
        }
    }

    /// The text of a statement that was rewritten.
    fn text(&mut self, tree: &ast::Statement, has_odd_names: bool) -> Result<String> {
        if has_odd_names && !self.has_own_names {
            let what = "a quote inside a quoted name of a rewritten statement";
            return Err(Error::unsupported(what));
        }
        Ok(self.whole.take().unwrap_or_else(|| tree.to_string()))
    }

    fn replace<T>(&mut self, place: &mut T, with: T) {
        *place = with;
        self.is_changed = true;
    }
}

#[cfg(test)]
mod tests;
