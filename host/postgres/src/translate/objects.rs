//! What a definition says of the objects that it names, for errors and notices in PostgreSQL's words.

use sqlparser::ast::{self, AlterTableOperation as Operation, ObjectType};

use super::Statement;
use super::definitions::first_words;
use super::names::{folded, last};

/// A kind of relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table, also a virtual one.
    Table,
    /// A view.
    View,
    /// An index.
    Index,
}

impl Kind {
    /// The kind with this word in SQLite's schema.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Table, Self::View, Self::Index].into_iter().find(|kind| kind.word() == word)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::Index => "index",
        }
    }
}

/// What a definition does with the relations that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// It makes one.
    Create {
        /// Its name; `None` for an index that SQLite's rules name.
        name: Option<String>,
        /// What it becomes.
        kind: Kind,
        /// `IF NOT EXISTS`.
        if_not_exists: bool,
        /// `OR REPLACE`.
        or_replace: bool,
        /// The table of an index.
        table: Option<String>,
        /// Whether it is the session's own; an index is what its table is.
        is_temporary: Option<bool>,
    },
    /// It drops some.
    Drop {
        /// What they are.
        kind: Kind,
        /// Their names.
        names: Vec<String>,
        /// `IF EXISTS`.
        if_exists: bool,
    },
    /// It changes a table.
    Alter {
        /// The table.
        name: String,
        /// `IF EXISTS`.
        if_exists: bool,
        /// The first thing that is done: `ADD COLUMN`.
        action: String,
        /// The column that is added unless it is there, or dropped if it is.
        column: Option<(String, bool)>,
    },
    /// It deletes the rows of some.
    Truncate {
        /// Their names.
        names: Vec<String>,
    },
}

impl Definition {
    /// What a statement defines; `None` for others.
    pub fn of(statement: &Statement) -> Option<Self> {
        use ast::Statement as S;
        Some(match statement.parsed.as_ref()?.top()? {
            S::CreateTable(table) => Self::Create {
                name: Some(last(&table.name)),
                kind: Kind::Table,
                if_not_exists: table.if_not_exists,
                or_replace: false,
                table: None,
                is_temporary: Some(table.temporary),
            },
            S::CreateView(view) => Self::Create {
                name: Some(last(&view.name)),
                kind: Kind::View,
                if_not_exists: view.if_not_exists,
                or_replace: view.or_replace,
                table: None,
                is_temporary: Some(view.temporary),
            },
            S::CreateIndex(index) => Self::Create {
                name: index.name.as_ref().map(last),
                kind: Kind::Index,
                if_not_exists: index.if_not_exists,
                or_replace: false,
                table: Some(last(&index.table_name)),
                is_temporary: None,
            },
            S::Drop { object_type, if_exists, names, .. } => {
                let kind = match object_type {
                    ObjectType::Table => Kind::Table,
                    ObjectType::View => Kind::View,
                    ObjectType::Index => Kind::Index,
                    _ => return None,
                };
                let names = names.iter().map(last).collect();
                Self::Drop { kind, names, if_exists: *if_exists }
            }
            S::AlterTable(table) => {
                let first = table.operations.first()?;
                Self::Alter {
                    name: last(&table.name),
                    if_exists: table.if_exists,
                    action: first_words(&first.to_string(), 2),
                    column: conditional(first),
                }
            }
            S::Truncate(truncate) => {
                let names = truncate.table_names.iter().map(|target| last(&target.name));
                Self::Truncate { names: names.collect() }
            }
            _ => return None,
        })
    }
}

/// The column of `ADD COLUMN IF NOT EXISTS`, or of `DROP COLUMN IF EXISTS`, and whether it is added.
fn conditional(operation: &Operation) -> Option<(String, bool)> {
    match operation {
        Operation::AddColumn { if_not_exists: true, column_def, .. } => {
            Some((folded(&column_def.name), true))
        }
        Operation::DropColumn { if_exists: true, column_names, .. } => {
            Some((folded(column_names.first()?), false))
        }
        _ => None,
    }
}
