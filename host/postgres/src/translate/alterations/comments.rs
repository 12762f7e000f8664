//! `COMMENT ON TABLE` and `COMMENT ON COLUMN`, which the text of a table keeps.

use sqlparser::ast::{self, CommentObject, ObjectName};

use super::super::Context;
use super::super::names::last;
use super::Step;
use super::written::Written;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::Schema;

/// A comment.
pub struct Commented {
    pub table: ObjectName,
    column: Option<String>,
    text: Option<String>,
}

impl Commented {
    /// The comment that a statement makes, where it is on a table or on a column.
    pub fn of(tree: &ast::Statement) -> Option<Self> {
        let ast::Statement::Comment { object_type, object_name, comment, .. } = tree else {
            return None;
        };
        // An empty text removes the comment, as in PostgreSQL.
        let text = comment.clone().filter(|text| !text.is_empty());
        match object_type {
            CommentObject::Table => Some(Self { table: object_name.clone(), column: None, text }),
            CommentObject::Column => {
                let (_, table) = object_name.0.split_last().filter(|(_, rest)| !rest.is_empty())?;
                let column = Some(last(object_name));
                Some(Self { table: ObjectName(table.to_vec()), column, text })
            }
            _ => None,
        }
    }

    /// What is to be done.
    pub fn steps(self, schema: &dyn Schema, context: &Context) -> Result<Vec<Step>> {
        let written = Written::new(&self.table, schema, context)?;
        if let Some(column) = self.column.as_ref().filter(|column| !written.has(column)) {
            let message =
                format!("column \"{column}\" of relation \"{}\" does not exist", written.table());
            return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
        }
        Ok(vec![Step::Comment { column: self.column, text: self.text }])
    }
}
