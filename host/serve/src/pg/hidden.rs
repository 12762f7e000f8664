//! Temporary tables that hide permanent ones: SQLite finds them first, also where PostgreSQL's schema is named.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Definition, Qualified, Statement};

use super::converse::Conversation;
use super::failure::Result;

impl Conversation<'_> {
    /// Check that SQLite finds the tables that a statement names with a schema.
    ///
    /// # Errors
    ///
    /// 0A000 for a permanent table that a temporary one hides, 42P01 for a temporary one that is not there: another one
    /// would be found instead.
    pub(super) fn check_schemas(&self, sql: &str, statement: &Statement) -> Result<()> {
        let Qualified { permanent, mut temporary } = Qualified::of(sql);
        // What it makes is not there, and what it reads has SQLite's schema.
        if statement.command.starts_with("CREATE") && statement.command != "CREATE INDEX" {
            temporary.clear();
        }
        // `IF EXISTS` skips a missing table, unless it would take the permanent one of that name instead.
        let definition = (!temporary.is_empty()).then(|| Definition::of(statement)).flatten();
        if let Some(
            Definition::Drop { if_exists: true, .. } | Definition::Alter { if_exists: true, .. },
        ) = definition
        {
            let mut hidden = Vec::new();
            for name in temporary {
                if self.kind_in(&name, Some(false))?.is_some() {
                    hidden.push(name);
                }
            }
            temporary = hidden;
        }
        if permanent.is_empty() && temporary.is_empty() {
            return Ok(());
        }
        let sql = "SELECT type IN ('table', 'view'), name FROM sqlite_temp_schema";
        let row =
            |row: &sqlite_sandbox::Row<'_>| Ok((row.get::<_, bool>(0)?, row.get::<_, String>(1)?));
        let found = self.engine.own_rows(sql, row)?;
        let has = |name: &str| found.iter().any(|(_, one)| one.eq_ignore_ascii_case(name));
        let hides = |(is_relation, one): &&(bool, String)| {
            *is_relation && permanent.iter().any(|name| name.eq_ignore_ascii_case(one))
        };
        if let Some((_, name)) = found.iter().find(hides) {
            let what = format!("the permanent \"{name}\", which a temporary table hides,");
            return Err(Error::unsupported(what).hint("drop the temporary table first").into());
        }
        match temporary.iter().find(|name| !has(name)) {
            Some(name) => {
                let message = format!("relation \"pg_temp.{name}\" does not exist");
                Err(Error::new(sqlstate::UNDEFINED_TABLE, message).into())
            }
            None => Ok(()),
        }
    }
}
