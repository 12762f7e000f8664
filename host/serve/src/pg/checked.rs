//! Which deferred constraints of a transaction are checked before its end: the state of SET CONSTRAINTS.

use std::collections::HashSet;

use sqlite_wasm_postgres::translate::ConstraintName;

/// Which deferred constraints of a transaction are checked after each statement.
#[derive(Clone, Debug, Default)]
struct Checked {
    /// All, but for those in `others`; else only those.
    are_all: bool,
    others: HashSet<String>,
}

/// The same, with what held at the savepoints.
#[derive(Debug, Default)]
pub struct Constraints {
    now: Checked,
    marks: Vec<Checked>,
}

impl Constraints {
    /// Check constraints after each statement, or at the commit; `None` for all.
    pub fn set(&mut self, names: Option<&[ConstraintName]>, is_immediate: bool) {
        let Some(names) = names else {
            self.now = Checked { are_all: is_immediate, others: HashSet::new() };
            return;
        };
        for ConstraintName { name, .. } in names {
            if is_immediate == self.now.are_all {
                self.now.others.remove(name);
            } else {
                self.now.others.insert(name.clone());
            }
        }
    }

    /// Whether the constraint is checked after each statement.
    pub fn has(&self, name: &str) -> bool {
        self.now.are_all != self.now.others.contains(name)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        !self.now.are_all && self.now.others.is_empty()
    }

    /// `SAVEPOINT`.
    pub fn savepoint(&mut self) {
        self.marks.push(self.now.clone());
    }

    /// `RELEASE SAVEPOINT`.
    pub fn release(&mut self, mark: usize) {
        self.marks.truncate(mark);
    }

    /// `ROLLBACK TO SAVEPOINT`.
    pub fn roll_back_to(&mut self, mark: usize) {
        self.marks.truncate(mark + 1);
        if let Some(before) = self.marks.last() {
            self.now = before.clone();
        }
    }

    /// The end of the transaction.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<ConstraintName> {
        all.iter().map(|name| ConstraintName { schema: None, name: (*name).into() }).collect()
    }

    #[test]
    fn savepoints_keep_what_is_checked() {
        let mut constraints = Constraints::default();
        assert!(constraints.is_empty());
        constraints.set(Some(&names(&["a", "b"])), true);
        constraints.savepoint();
        constraints.set(Some(&names(&["a"])), false);
        assert!(!constraints.has("a") && constraints.has("b") && !constraints.has("c"));
        constraints.savepoint();
        constraints.set(None, true);
        constraints.set(Some(&names(&["c"])), false);
        assert!(constraints.has("a") && !constraints.has("c"));
        constraints.roll_back_to(1);
        assert!(!constraints.has("a") && constraints.has("b"));
        constraints.roll_back_to(0);
        assert!(constraints.has("a") && constraints.has("b") && !constraints.has("c"));
        constraints.end();
        assert!(constraints.is_empty());
    }
}
