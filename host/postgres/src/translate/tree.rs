//! Trees of statements, which may be too deep for the stack of those that have them.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use sqlparser::ast;

use super::stack;
use crate::error::Result;
use crate::types::infer::{Column, Schema, budget};

/// A tree. It is read by [`Tree::read`], where there is room for it, and its end is there too.
#[derive(Clone)]
pub struct Tree {
    /// None only while it is dropped.
    statement: Option<Arc<ast::Statement>>,
    /// Whether it needs the larger stack.
    is_deep: bool,
}

impl Tree {
    /// A tree that was made on this stack.
    pub fn new(statement: ast::Statement) -> Self {
        Self { statement: Some(Arc::new(statement)), is_deep: stack::is_deep() }
    }

    /// The tree itself, of which any thread may look at the top.
    pub fn top(&self) -> Option<&ast::Statement> {
        self.statement.as_deref()
    }

    /// The tree itself, where the stack of any thread has room for it.
    pub fn shallow(&self) -> Option<&ast::Statement> {
        self.top().filter(|_| !self.is_deep)
    }

    /// What `work` finds in it, on a larger stack where it needs one. The schema is still read on this thread,
    /// since others may not be able to use it.
    pub fn read<T: Send>(
        &self,
        schema: &dyn Schema,
        work: impl FnOnce(&ast::Statement, &dyn Schema) -> Result<T> + Send,
    ) -> Result<T> {
        let Some(statement) = self.top() else {
            unreachable!("a tree is there until it is dropped")
        };
        if !self.is_deep || stack::is_deep() {
            return budget::within(|| work(statement, schema));
        }
        let (ask, asked) = channel::<String>();
        let (answer, answers) = channel();
        let answering = || {
            for table in asked {
                // It has ended if nothing takes the answer.
                let _ = answer.send(schema.columns(&table));
            }
        };
        let work = move || budget::within(|| work(statement, &Remote { ask, answers }));
        stack::on_deep_stack(work, answering)
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tree").field(&self.shallow()).finish()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let (true, Some(statement)) = (self.is_deep, self.statement.take())
            && let Some(statement) = Arc::into_inner(statement)
        {
            stack::drop_deep(statement);
        }
    }
}

/// The tables of a schema on another thread.
struct Remote {
    ask: Sender<String>,
    answers: Receiver<Option<Vec<Column>>>,
}

impl Schema for Remote {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        self.ask.send(table.to_owned()).ok()?;
        self.answers.recv().ok()?
    }
}
