//! What a change of a table does, step by step.

use sqlparser::ast;

use super::super::names::folded;
use super::Identity;

/// A change of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// SQLite's own statement.
    Own {
        /// What it runs.
        sql: String,
        /// What it must be able to prepare after that.
        after: Vec<String>,
    },
    /// `RENAME` of the table, or of a column.
    Renamed {
        /// SQLite's statement.
        sql: String,
        /// The column; `None` for the table.
        column: Option<String>,
    },
    /// `ALTER INDEX … RENAME`.
    RenameIndex {
        /// The name.
        name: String,
        /// The new one.
        to: String,
    },
    /// `ADD CHECK`.
    Check {
        /// The name, or what PostgreSQL makes one of.
        name: Name,
        /// The condition.
        condition: String,
    },
    /// `ADD UNIQUE`.
    Unique {
        /// The name, or what PostgreSQL makes one of.
        name: Name,
        /// The columns.
        columns: Vec<String>,
    },
    /// `ADD FOREIGN KEY`.
    Reference {
        /// The name, or what PostgreSQL makes one of.
        name: Name,
        /// The columns.
        columns: Vec<String>,
        /// The other table.
        table: String,
        /// Its text without the name.
        text: String,
    },
    /// `DROP CONSTRAINT`.
    Drop {
        /// The name.
        name: String,
        /// `IF EXISTS`.
        if_exists: bool,
    },
    /// `RENAME CONSTRAINT`.
    Rename {
        /// The name.
        name: String,
        /// The new one.
        to: String,
    },
    /// `VALIDATE CONSTRAINT`.
    Validate {
        /// The name.
        name: String,
    },
    /// `SET NOT NULL` and `DROP NOT NULL`.
    NotNull {
        /// The column.
        column: String,
        /// Whether it is set.
        is_set: bool,
    },
    /// `SET DEFAULT` and `DROP DEFAULT`.
    Default {
        /// The column.
        column: String,
        /// A constant, or an expression in parentheses.
        expression: Option<String>,
    },
    /// `TYPE`.
    Type {
        /// The column.
        column: String,
        /// The type as SQLite has it.
        declared: String,
        /// The type as the client has written it.
        wanted: String,
        /// The client's expression.
        using: Option<String>,
        /// The collation, if the client names one.
        collation: Option<String>,
    },
    /// `DROP COLUMN`.
    DropColumn {
        /// The column.
        column: String,
        /// `CASCADE`.
        cascades: bool,
    },
    /// A value for the rows that are older than a column.
    Fill {
        /// The column.
        column: String,
        /// SQLite's expression.
        expression: String,
    },
    /// `COMMENT ON`.
    Comment {
        /// The column; `None` for the table.
        column: Option<String>,
        /// `None` for no comment.
        text: Option<String>,
    },
    /// `ADD GENERATED AS IDENTITY` and what changes it.
    Identity {
        /// The column.
        column: String,
        /// What is changed.
        change: Identity,
    },
    /// `COLLATE` of a type, until it is a part of that step.
    Collate {
        /// The column.
        column: String,
        /// The collation.
        name: String,
    },
}

impl Step {
    /// When PostgreSQL does it: what is dropped goes first, and constraints come when columns have their types.
    pub(super) fn pass(&self) -> u8 {
        match self {
            Self::Drop { .. }
            | Self::NotNull { is_set: false, .. }
            | Self::Default { expression: None, .. }
            | Self::DropColumn { .. }
            | Self::Identity { change: Identity::Drop { .. }, .. } => 0,
            Self::Type { .. } | Self::Collate { .. } => 1,
            Self::Own { .. } | Self::Fill { .. } => 2,
            // Rows are looked at when there are indexes.
            Self::Unique { .. } => 3,
            Self::NotNull { .. } | Self::Identity { change: Identity::Add { .. }, .. } => 4,
            Self::Check { .. } | Self::Reference { .. } | Self::Default { .. } => 5,
            Self::Identity { change: Identity::Set { .. }, .. }
            | Self::Rename { .. }
            | Self::Renamed { .. }
            | Self::RenameIndex { .. }
            | Self::Validate { .. }
            | Self::Comment { .. } => 6,
        }
    }
}

/// The name of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// It has this one.
    Given(String),
    /// It gets this one, or one with a number where another constraint has it.
    Base(String),
}

impl Name {
    pub(super) fn of(given: Option<&ast::Ident>, base: impl FnOnce() -> String) -> Self {
        given.map_or_else(|| Self::Base(base()), |name| Self::Given(folded(name)))
    }
}
