//! SET CONSTRAINTS: which deferred foreign keys are checked before the commit.
//!
//! SQLite counts what violates deferred keys, but checks them at the commit only. After a statement the count says whether
//! there is anything to look for; where there is, the rows are looked for in the tables with such keys.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{ConstraintName, Statement, Target};

use super::converse::Conversation;
use super::failure::{Failure, Result};
use super::transact::outside;
use super::violations::Reference;

/// A row that violates a deferred key.
struct Violation {
    table: String,
    key: i64,
    row: Option<i64>,
}

impl Conversation<'_> {
    /// `SET CONSTRAINTS`.
    pub(super) fn set_constraints(
        &mut self,
        names: Option<&[ConstraintName]>,
        is_immediate: bool,
    ) -> Result<()> {
        let is_in_block = self.is_in_block();
        if !is_in_block {
            self.warn(&outside("SET CONSTRAINTS"));
        }
        for name in names.unwrap_or_default() {
            self.check_deferrable(name, is_immediate)?;
        }
        if is_in_block {
            self.session.state().constraints.set(names, is_immediate);
        }
        self.check_constraints(None)
    }

    /// Check that a constraint exists, and can be deferred where it is to be.
    fn check_deferrable(&self, constraint: &ConstraintName, is_immediate: bool) -> Result<()> {
        let ConstraintName { schema, name } = constraint;
        if let Some(schema) = schema.as_ref().filter(|schema| *schema != "public") {
            let message = format!("schema \"{schema}\" does not exist");
            return Err(Error::new(sqlstate::INVALID_SCHEMA, message).into());
        }
        let sql = format!(
            "SELECT min(condeferrable) FROM pg_constraint WHERE conname = {}",
            quoted_text(name)
        );
        let row = |row: &sqlite_sandbox::Row<'_>| row.get::<_, Option<bool>>(0);
        let (code, what) = match self.engine.own_rows(&sql, row)?.pop().flatten() {
            None => (sqlstate::UNDEFINED_OBJECT, "does not exist"),
            Some(false) if !is_immediate => (sqlstate::WRONG_OBJECT_TYPE, "is not deferrable"),
            Some(_) => return Ok(()),
        };
        Err(Error::new(code, format!("constraint \"{name}\" {what}")).into())
    }

    /// Check the constraints that are checked after each statement.
    pub(super) fn check_constraints(&mut self, statement: Option<&Statement>) -> Result<()> {
        if self.session.state().constraints.is_empty() {
            return Ok(());
        }
        let is_checked = |this: &Self, name: &str| this.session.state().constraints.has(name);
        match self.deferred_violation(statement, is_checked)? {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// The error of a commit, with the constraint that was violated.
    pub(super) fn of_commit(&mut self, failure: Failure) -> Failure {
        match failure {
            Failure::Error(error) if error.code == sqlstate::FOREIGN_KEY_VIOLATION => {
                let found = self.deferred_violation(None, |_, _| true);
                Failure::Error(found.ok().flatten().unwrap_or(error))
            }
            other => other,
        }
    }

    /// The error of the first row that violates a deferred constraint; `statement` has violated it.
    fn deferred_violation(
        &mut self,
        statement: Option<&Statement>,
        is_checked: impl Fn(&Self, &str) -> bool,
    ) -> Result<Option<Error>> {
        if self.engine.is_autocommit() || !self.engine.has_foreign_key_violations()? {
            return Ok(None);
        }
        for table in self.with_deferred()? {
            for violation in self.violations(&table)? {
                self.check_time()?;
                let Some(reference) = self.reference(&table, violation.key) else { continue };
                let names = self.reference_names(&table, &reference)?.into_iter();
                let mut deferred = names.filter(|(_, is_deferred)| *is_deferred);
                if let Some((name, _)) = deferred.find(|(name, _)| is_checked(self, name)) {
                    let target = statement.and_then(Target::of);
                    return Ok(Some(self.violated(&violation, &reference, &name, target.as_ref())));
                }
            }
        }
        Ok(None)
    }

    /// The tables with deferred foreign keys.
    fn with_deferred(&self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT c.relname FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid \
                   WHERE k.contype = 'f' AND k.condeferred ORDER BY c.relname";
        Ok(self.engine.own_rows(sql, |row| row.get(0))?)
    }

    /// A row for each foreign key of a table that is violated.
    fn violations(&self, table: &str) -> Result<Vec<Violation>> {
        let sql = format!(
            "SELECT fkid, min(rowid) FROM pragma_foreign_key_check({}, 'main') GROUP BY fkid",
            quoted_text(table)
        );
        let row = |row: &sqlite_sandbox::Row<'_>| {
            Ok(Violation { table: table.to_owned(), key: row.get(0)?, row: row.get(1)? })
        };
        Ok(self.engine.own_rows(&sql, row)?)
    }

    /// The error of a row, in the words for the table that the statement has changed.
    fn violated(
        &mut self,
        violation: &Violation,
        reference: &Reference,
        name: &str,
        target: Option<&Target<'_>>,
    ) -> Error {
        let (table, parent) = (&violation.table, &reference.table);
        let is_of_parent = target.is_some_and(|target| {
            target.table.eq_ignore_ascii_case(parent)
                && (target.is_delete || !target.table.eq_ignore_ascii_case(table))
        });
        let values = self.values_of(violation, reference);
        let (message, columns, what) = if is_of_parent {
            let message = format!(
                "update or delete on table \"{parent}\" violates foreign key constraint \"{name}\" on table \"{table}\""
            );
            (message, &reference.referred, format!("still referenced from table \"{table}\""))
        } else {
            let message = format!(
                "insert or update on table \"{table}\" violates foreign key constraint \"{name}\""
            );
            (message, &reference.columns, format!("not present in table \"{parent}\""))
        };
        let error = Error::new(sqlstate::FOREIGN_KEY_VIOLATION, message);
        let error = error.of_constraint(table, Some(name), None);
        match values {
            Some(values) => {
                error.detail(format!("Key ({})=({values}) is {what}.", columns.join(", ")))
            }
            None => error,
        }
    }

    /// The values of a foreign key in a row.
    fn values_of(&mut self, violation: &Violation, reference: &Reference) -> Option<String> {
        let items: Vec<_> = reference.columns.iter().map(|column| quoted_name(column)).collect();
        let (items, table) = (items.join(", "), quoted_name(&violation.table));
        let sql = format!("SELECT {items} FROM {table} WHERE rowid = {}", violation.row?);
        let found: Option<Vec<_>> = self.texts(&sql, &[], &[]).ok()??.into_iter().collect();
        let texts = found?;
        let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
        Some(texts.join(", "))
    }
}
