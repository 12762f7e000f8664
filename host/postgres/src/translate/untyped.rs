//! The statement as SQLite has it, before its types are resolved.

use sqlparser::ast;

use super::{
    Action, Context, Rewriter, Statement, Tree, alterations, calls, constraints, distinct_on,
    explain, labels, outer_aggregates, queries, row_locks, shadowing, sources, unknown, written,
};
use crate::error::{Error, Result, sqlstate};
use crate::lex::Piece;

/// A statement that the parser does not know.
pub fn only_sqlite(piece: &Piece<'_>) -> Result<Statement> {
    if let Some(feature) = unknown::in_silence(piece.text) {
        return Err(Error::unsupported(feature));
    }
    let word = piece.text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let command = word.to_ascii_uppercase();
    Ok(Statement { command, ..Statement::untouched(piece) })
}

/// The statement as SQLite has it.
pub fn rewritten(
    piece: &Piece<'_>,
    mut parsed: ast::Statement,
    is_changed: bool,
    context: &Context,
) -> Result<Statement> {
    row_locks::check(&parsed)?;
    let altering = match &parsed {
        ast::Statement::AlterTable(table) if alterations::is_more_than_sqlite(table) => {
            Some("ALTER TABLE")
        }
        ast::Statement::AlterIndex { .. } => Some("ALTER INDEX"),
        other => alterations::is_comment(other).then_some("COMMENT"),
    };
    if let Some(command) = altering {
        let (action, command) = (Action::Alter, command.to_owned());
        let statement = Statement::new(piece, String::new());
        return Ok(Statement { action, command, parsed: Some(Tree::new(parsed)), ..statement });
    }
    let is_derived = queries::has_letters(piece.text, distinct_on::WORD)
        && distinct_on::derive(&mut parsed, None)?;
    let is_renamed = is_derived
        | shadowing::rename(&mut parsed, piece.text)?
        | outer_aggregates::inline(&mut parsed, piece.text);
    let is_moved = written::move_with(&mut parsed)?;
    let is_merged = constraints::merge_keys(&mut parsed);
    let is_labelled = calls::derive(&mut parsed) | labels::name_columns(&mut parsed)?;
    let is_changed = is_changed | is_renamed | is_moved | is_merged | is_labelled;
    let mut statement = match untyped(piece, &parsed, context, is_changed) {
        // A constant may be a value of another type than it seems here.
        Err(problem)
            if problem.code == sqlstate::FEATURE_NOT_SUPPORTED
                || problem.code.starts_with("22") =>
        {
            let command = untyped_command(&parsed).ok_or_else(|| problem.clone())?;
            // SQLite knows no such function: nothing runs before the types are resolved.
            let sql = "SELECT pg_untyped()".to_owned();
            let command = command.to_owned();
            Statement { command, problem: Some(problem), ..Statement::new(piece, sql) }
        }
        done => done?,
    };
    statement.locks = row_locks::of(&parsed);
    statement.parsed = Some(Tree::new(parsed));
    Ok(statement)
}

/// The command of a statement whose types may give it a meaning.
fn untyped_command(tree: &ast::Statement) -> Option<&'static str> {
    Some(match tree {
        ast::Statement::Query(query) => match written::written(query) {
            Some(tree) => return untyped_command(tree),
            None => "SELECT",
        },
        ast::Statement::Insert(_) => "INSERT",
        ast::Statement::Update(_) => "UPDATE",
        ast::Statement::Delete(_) => "DELETE",
        _ => return None,
    })
}

/// The statement, where it needs no types.
fn untyped(
    piece: &Piece<'_>,
    parsed: &ast::Statement,
    context: &Context,
    is_changed: bool,
) -> Result<Statement> {
    let mut tree = parsed.clone();
    let mut rewriter = Rewriter::new(context, piece.text.len());
    rewriter.is_changed = is_changed || queries::has_limit_all(piece.text);
    let command = rewriter.statement(&mut tree)?;
    if rewriter.is_changed {
        sources::keep(Some(parsed), &mut tree);
    }
    let plan_format = match parsed {
        ast::Statement::Explain { options, .. } => Some(explain::format(options.as_deref())?),
        _ => None,
    };
    let mut statement = if rewriter.is_changed {
        Statement::new(piece, rewriter.text(&tree, piece.has_odd_names)?)
    } else {
        Statement::untouched(piece)
    };
    (statement.before, statement.after) = (rewriter.before, rewriter.after);
    statement.command = command;
    if let Some(format) = plan_format {
        statement.action = Action::Explain(format);
    }
    Ok(statement)
}
