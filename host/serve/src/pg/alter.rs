//! ALTER TABLE, where SQLite has no statement for it: constraints, defaults and types.
//!
//! No table is made anew: dropping the old one would delete the rows that refer to it. What leaves rows as
//! they are changes the text of the table in the schema, of which [`schema`] makes sure that SQLite reads
//! from it what is wanted and nothing else. All of it is one statement for the client: an error undoes it.

mod collations;
mod columns;
mod comments;
mod constraints;
mod drops;
mod identity;
mod keys;
mod renames;
mod schema;
mod types;
mod uniques;

use std::time::Instant;

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Name, Step, steps};

use super::converse::Conversation;
use super::execute::only_reads;
use super::failure::{Failure, Result};
use super::store::Analysed;
use crate::session::connection::Entry;
use collations::Wanted;

/// The SQLSTATE of a name that another object has.
const DUPLICATE_OBJECT: &str = "42710";

/// The table that is altered.
struct Altered {
    /// Its name in the schema.
    name: String,
    /// The same in quotes.
    quoted: String,
    /// Whether it is one of the session, of which only columns are dropped here.
    is_temporary: bool,
}

impl Altered {
    /// Its entry in the schema, with another text.
    fn entry<'a>(&'a self, sql: &'a str) -> Entry<'a> {
        Entry { kind: "table", name: &self.name, new_name: &self.name, sql: Some(sql) }
    }
}

impl Conversation<'_> {
    /// Alter a table.
    ///
    /// # Errors
    ///
    /// PostgreSQL's; 0A000 for what would need another table.
    pub fn alter(&mut self, analysed: &Analysed) -> Result<()> {
        if self.is_read_only() {
            return Err(only_reads(&analysed.statement.command).into());
        }
        self.engine.check_writer()?;
        if self.leaves_out(analysed)? {
            return Ok(());
        }
        let was_implicit = self.is_implicit;
        self.begin_implicit(&analysed.statement)?;
        self.begin_at_last()?;
        let steps = self.ending(|| steps(&analysed.statement, &self.tables(), &self.context))?;
        if let [Step::RenameIndex { name, to }] = &steps[..] {
            self.rename_index(name, to)?;
            return if was_implicit { Ok(()) } else { self.end_implicit() };
        }
        let Some(table) = self.altered(&analysed.statement)? else { return Ok(()) };
        let is_own = |step: &Step| matches!(step, Step::DropColumn { .. } | Step::Renamed { .. });
        if table.is_temporary && !steps.iter().all(is_own) {
            return Err(Error::unsupported("this change of a temporary table").into());
        }
        for step in steps {
            self.check_time()?;
            let done = self.altered_by(&table, step);
            self.forget_schema();
            done?;
        }
        // A message with several statements has begun it before.
        if !was_implicit { self.end_implicit() } else { Ok(()) }
    }

    /// Check that the time of the statement has not passed: the server runs many short statements for it.
    pub(super) fn check_time(&self) -> Result<()> {
        if self.session.state().end.is_some_and(|end| Instant::now() >= end) {
            let message = "canceling statement due to statement timeout";
            return Err(Error::new(sqlstate::QUERY_CANCELED, message).into());
        }
        Ok(())
    }

    /// The table that a statement alters.
    fn altered(
        &self,
        statement: &sqlite_wasm_postgres::translate::Statement,
    ) -> Result<Option<Altered>> {
        let Some(name) = sqlite_wasm_postgres::translate::altered(statement) else {
            return Ok(None);
        };
        let lower = quoted_text(&name.to_ascii_lowercase());
        let named = |schema: &str| {
            format!("SELECT name FROM {schema} WHERE type = 'table' AND lower(name) = {lower}")
        };
        let row = |row: &sqlite_sandbox::Row<'_>| row.get::<_, String>(0);
        let temporary = self.engine.own_rows(&named("sqlite_temp_schema"), row)?.pop();
        let is_temporary = temporary.is_some();
        let found = match temporary {
            None => self.engine.own_rows(&named("main.sqlite_schema"), row)?.pop(),
            found => found,
        };
        if found.is_none() && self.kind_of(&name)?.is_some() {
            let what = format_args!("{} of what is no table", statement.command);
            return Err(Error::unsupported(what).into());
        }
        let name = found.ok_or_else(|| {
            let message = format!("relation \"{name}\" does not exist");
            Failure::from(Error::new(sqlstate::UNDEFINED_TABLE, message))
        })?;
        let quoted = quoted_name(&name);
        Ok(Some(Altered { name, quoted, is_temporary }))
    }

    fn altered_by(&mut self, table: &Altered, step: Step) -> Result<()> {
        match step {
            Step::Own { sql, after } => {
                self.run_step(&sql)?;
                for after in after {
                    self.engine.inspect(&after, |_| Ok(()))?;
                }
                Ok(())
            }
            Step::Renamed { sql, column } => self.rename(table, &sql, column.as_deref()),
            // It stands alone, and names no table.
            Step::RenameIndex { .. } => Ok(()),
            Step::Check { name, condition } => self.add_check(table, name, &condition),
            Step::Unique { name, columns } => self.add_unique(table, name, &columns),
            Step::Reference { name, columns, table: parent, text } => {
                self.add_reference(table, name, &columns, &parent, &text)
            }
            Step::Drop { name, if_exists } => self.drop_constraint(table, &name, if_exists),
            Step::Rename { name, to } => self.rename_constraint(table, &name, &to),
            // Each was checked when it was added.
            Step::Validate { name } => self.constraint(table, &name).map(|_| ()),
            Step::NotNull { column, is_set } => self.set_not_null(table, &column, is_set),
            Step::Default { column, expression } => {
                self.set_default(table, &column, expression.as_deref())
            }
            Step::Type { column, declared, wanted, using, collation } => {
                let wanted = Wanted {
                    declared: &declared,
                    wanted: &wanted,
                    using: using.as_deref(),
                    collation: collation.as_deref(),
                };
                self.set_type(table, &column, &wanted)
            }
            // It has become a part of the type.
            Step::Collate { .. } => Ok(()),
            Step::DropColumn { column, cascades } => self.drop_column(table, &column, cascades),
            Step::Fill { column, expression } => self.write_rows(table, &column, &expression),
            Step::Comment { column, text } => {
                self.set_comment(table, column.as_deref(), text.as_deref())
            }
            Step::Identity { column, change } => self.set_identity(table, &column, change),
        }
    }

    /// Run a statement as the client's own, which may not be allowed to.
    fn run_step(&mut self, sql: &str) -> Result<()> {
        self.engine.run(sql, |_| Ok(()), |_| Ok(()), |_| Ok(()))?;
        Ok(())
    }

    /// A name for a constraint.
    fn free_name(&self, table: &Altered, name: Name) -> Result<String> {
        let taken = self.constraint_names(table)?;
        match name {
            Name::Given(name) if taken.contains(&name) => {
                let message =
                    format!("constraint \"{name}\" for relation \"{}\" already exists", table.name);
                Err(Error::new(DUPLICATE_OBJECT, message).into())
            }
            Name::Given(name) => Ok(name),
            Name::Base(base) => {
                let mut numbered = (1..).map(|number| format!("{base}{number}"));
                if !taken.contains(&base) {
                    return Ok(base);
                }
                Ok(numbered.find(|name| !taken.contains(name)).unwrap_or(base))
            }
        }
    }

    /// The names of a table's constraints, as the catalogue has them.
    fn constraint_names(&self, table: &Altered) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass({})",
            quoted_text(&table.quoted)
        );
        Ok(self.engine.own_rows(&sql, |row| row.get(0))?)
    }
}
