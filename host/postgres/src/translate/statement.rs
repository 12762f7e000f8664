//! A statement that was translated.

use sqlparser::ast;

use super::maintenance::Maintained;
use super::row_locks::Locks;
use super::tree::Tree;
use super::writes::Overriding;
use super::{Action, Context, Rewriter, has_rows, sources};
use crate::error::{Error, Result};
use crate::lex::{self, Piece};

/// A statement for SQLite.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What SQLite runs.
    pub sql: String,
    /// What it runs before that, in the same transaction; their rows are not sent.
    pub before: Vec<String>,
    /// What SQLite must be able to prepare after that: else it is undone.
    pub after: Vec<String>,
    /// What is to be done.
    pub action: Action,
    /// The command of its tag.
    pub command: String,
    /// The highest parameter.
    pub parameters: usize,
    /// Whether `sql` is the client's own text, so that SQLite's offsets are true for it.
    pub is_untouched: bool,
    /// The byte of the client's text at which it begins.
    pub start: usize,
    /// Whether its rows have no columns for the client: SQLite's have a constant.
    pub has_no_columns: bool,
    /// That of [`Piece`].
    pub(super) has_odd_names: bool,
    /// `OVERRIDING … VALUE` of an INSERT.
    pub(crate) overriding: Option<Overriding>,
    /// Which rows it locks, in a transaction.
    pub locks: Option<Locks>,
    /// What it maintains: VACUUM and its like.
    pub maintained: Option<Maintained>,
    /// The OIDs that the client has declared for its parameters.
    pub(crate) given: Vec<u32>,
    /// The types of its columns, from the first one, as far as they have been resolved.
    pub(crate) columns: Vec<Option<crate::types::Typed>>,
    /// Why it cannot be run before its types are resolved.
    pub(crate) problem: Option<Error>,
    /// As it was parsed, for [`crate::types`]; `None` for what only SQLite can read.
    pub(crate) parsed: Option<Tree>,
}

impl Statement {
    pub(super) fn new(piece: &Piece<'_>, sql: String) -> Self {
        Self {
            sql,
            before: Vec::new(),
            after: Vec::new(),
            action: Action::Run,
            command: String::new(),
            parameters: lex::parameters(piece.text),
            is_untouched: false,
            start: piece.start,
            has_no_columns: false,
            has_odd_names: piece.has_odd_names,
            overriding: None,
            locks: None,
            maintained: None,
            given: Vec::new(),
            columns: Vec::new(),
            problem: None,
            parsed: None,
        }
    }

    /// What it is, if PostgreSQL runs it in no transaction with others.
    pub fn alone(&self) -> Option<&'static str> {
        match self.parsed.as_ref().and_then(Tree::top) {
            Some(ast::Statement::CreateIndex(index)) if index.concurrently => {
                Some("CREATE INDEX CONCURRENTLY")
            }
            _ => match &self.maintained {
                Some(maintained) => maintained.alone,
                None => (self.command == "VACUUM").then_some("VACUUM"),
            },
        }
    }

    /// Whether it has `ON CONFLICT DO UPDATE`.
    pub fn updates_on_conflict(&self) -> bool {
        let on = match self.parsed.as_ref().and_then(Tree::top) {
            Some(ast::Statement::Insert(insert)) => insert.on.as_ref(),
            _ => None,
        };
        let Some(ast::OnInsert::OnConflict(conflict)) = on else { return false };
        matches!(conflict.action, ast::OnConflictAction::DoUpdate(_))
    }

    /// Run this tree instead; what was parsed remains.
    pub(crate) fn become_tree(
        &mut self,
        mut tree: ast::Statement,
        context: &Context,
    ) -> Result<()> {
        let mut rewriter = Rewriter::new(context, self.sql.len());
        let command = rewriter.statement(&mut tree)?;
        sources::keep(self.parsed.as_ref().and_then(Tree::top), &mut tree);
        let sql = rewriter.text(&tree, self.has_odd_names)?;
        self.sql = if has_rows(&command) { lex::without_double_quotes(&sql) } else { sql };
        (self.before, self.after) = (rewriter.before, rewriter.after);
        self.is_untouched = false;
        Ok(())
    }

    /// The client's own text, with numbered parameters.
    pub(super) fn untouched(piece: &Piece<'_>) -> Self {
        let sql =
            if piece.has_parameters { lex::numbered(piece.text) } else { piece.text.to_owned() };
        Self { is_untouched: true, ..Self::new(piece, sql) }
    }
}
