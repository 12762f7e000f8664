//! Constraints: added, dropped and renamed.

use sql_tokens::{quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::{Clause, ClauseKind, TableText, uses};
use sqlite_wasm_postgres::translate::Name;
use sqlite_wasm_postgres::types::bounds;

use super::super::converse::Conversation;
use super::super::failure::{Failure, Result};
use super::super::objects::SUCCESS;
use super::uniques::unique_index;
use super::{Altered, DUPLICATE_OBJECT};

/// A constraint as the catalogue has it.
pub struct Constraint {
    /// Its name.
    pub name: String,
    kind: ClauseKind,
    /// Its columns.
    pub columns: Vec<String>,
    /// The table that a foreign key refers to.
    table: Option<String>,
    /// Its position among the conditions of the table.
    number: usize,
    /// Whether it is an index, and no part of the table's text.
    pub is_index: bool,
}

impl Conversation<'_> {
    pub(super) fn add_check(&mut self, table: &Altered, name: Name, condition: &str) -> Result<()> {
        let name = self.free_name(table, name)?;
        let sql = format!(
            "ALTER TABLE {} ADD CONSTRAINT {} CHECK ({condition})",
            table.quoted,
            quoted_name(&name)
        );
        self.run_step(&sql).map_err(|failure| {
            violated(failure, sqlstate::INTEGRITY_VIOLATION, || {
                let message = format!(
                    "check constraint \"{name}\" of relation \"{}\" is violated by some row",
                    table.name
                );
                Error::new(sqlstate::CHECK_VIOLATION, message).of_constraint(
                    &table.name,
                    Some(&name),
                    None,
                )
            })
        })
    }

    pub(super) fn add_reference(
        &mut self,
        table: &Altered,
        name: Name,
        columns: &[String],
        parent: &str,
        text: &str,
    ) -> Result<()> {
        let name = self.free_name(table, name)?;
        let text = format!("CONSTRAINT {} {text}", quoted_name(&name));
        self.rewrite(table, None, |old| Ok(old.with_constraint(&text)))?;
        self.check_key_of_parent(table, parent)?;
        self.check_references(table, &name, columns, parent)
    }

    pub(super) fn drop_constraint(
        &mut self,
        table: &Altered,
        name: &str,
        if_exists: bool,
    ) -> Result<()> {
        let found = match self.constraint(table, name) {
            Err(Failure::Error(error)) if if_exists && error.code == sqlstate::UNDEFINED_OBJECT => {
                let notice = Error::new(SUCCESS, format!("{}, skipping", error.message));
                self.notice(&notice);
                return Ok(());
            }
            found => found?,
        };
        match found.kind {
            ClauseKind::PrimaryKey => {
                let hint = "make another table, and copy the rows";
                return Err(Error::unsupported("DROP CONSTRAINT of a primary key")
                    .hint(hint)
                    .into());
            }
            ClauseKind::Unique if found.is_index => {
                self.run_step(&format!("DROP INDEX main.{}", quoted_name(name)))?;
            }
            ClauseKind::Unique => self.drop_declared_unique(table, &found)?,
            _ => self.rewrite(table, None, |text| Ok(text.without(found.clause(text)?)))?,
        }
        self.check_keys_of_children(table, name, &found.columns)
    }

    /// A constraint of a table that has a column, and does not go with it: what is written at the column itself
    /// does, but for its index.
    pub(super) fn constraint_on(&self, table: &Altered, column: &str) -> Result<Option<String>> {
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        for name in self.constraint_names(table)? {
            let found = self.constraint(table, &name)?;
            let has = |name: &String| name.eq_ignore_ascii_case(column);
            let is_on = match found.kind {
                ClauseKind::Check => {
                    let clause = found.clause(&text)?;
                    is_apart(&text, clause, column) && uses(text.written(clause), column)
                }
                ClauseKind::ForeignKey => {
                    found.columns.iter().any(has) && is_apart(&text, found.clause(&text)?, column)
                }
                _ => found.columns.iter().any(has),
            };
            if is_on {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    pub(super) fn rename_constraint(
        &mut self,
        table: &Altered,
        name: &str,
        to: &str,
    ) -> Result<()> {
        let found = self.constraint(table, name)?;
        if name == to || self.constraint_names(table)?.iter().any(|taken| taken == to) {
            let message =
                format!("constraint \"{to}\" for relation \"{}\" already exists", table.name);
            return Err(Error::new(DUPLICATE_OBJECT, message).into());
        }
        let is_key = matches!(found.kind, ClauseKind::Unique | ClauseKind::PrimaryKey);
        if is_key && self.kind_in_use(to, None)?.is_some() {
            let message = format!("relation \"{to}\" already exists");
            return Err(Error::new(sqlstate::DUPLICATE_TABLE, message).into());
        }
        if found.is_index {
            // SQLite renames no index.
            self.run_step(&unique_index(table, to, &found.columns))?;
            return self.run_step(&format!("DROP INDEX main.{}", quoted_name(name)));
        }
        self.rewrite(table, None, |text| Ok(text.renamed(found.clause(text)?, to)))
    }

    /// The constraint of a table with this name.
    pub(super) fn constraint(&self, table: &Altered, name: &str) -> Result<Constraint> {
        self.constraints(table)?.into_iter().find(|one| one.name == name).ok_or_else(|| {
            let message =
                format!("constraint \"{name}\" of relation \"{}\" does not exist", table.name);
            Error::new(sqlstate::UNDEFINED_OBJECT, message).into()
        })
    }

    /// The constraints of a table.
    pub(super) fn constraints(&self, table: &Altered) -> Result<Vec<Constraint>> {
        let relation = format!("to_regclass({})", quoted_text(&table.quoted));
        let sql = format!(
            "SELECT k.conname, k.contype, (SELECT json_group_array(a.attname ORDER BY j.key) \
             FROM json_each(pg_array_json(k.conkey)) AS j \
             JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = j.value), \
             (SELECT relname FROM pg_class WHERE oid = k.confrelid), \
             EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = k.conname) \
             FROM pg_constraint AS k WHERE k.conrelid = {relation}"
        );
        // The catalogue has the conditions in the order of the table's text.
        let mut conditions = 0_usize;
        Ok(self.engine.own_rows(&sql, |row| {
            let kind = match row.get::<_, String>(1)?.as_str() {
                "p" => ClauseKind::PrimaryKey,
                "u" => ClauseKind::Unique,
                "f" => ClauseKind::ForeignKey,
                _ => ClauseKind::Check,
            };
            let number = conditions;
            conditions += usize::from(kind == ClauseKind::Check);
            let columns: String = row.get(2)?;
            Ok(Constraint {
                name: row.get(0)?,
                kind,
                columns: serde_json::from_str(&columns).unwrap_or_default(),
                table: row.get(3)?,
                number,
                is_index: row.get::<_, i64>(4)? != 0,
            })
        })?)
    }
}

impl Constraint {
    /// What stands for it in the text of its table.
    pub fn clause<'t>(&self, text: &'t TableText<'_>) -> Result<&'t Clause, Error> {
        let of_kind = || text.all().filter(|(_, clause)| clause.kind == self.kind);
        let is_named =
            |clause: &Clause| clause.name.as_ref().is_some_and(|name| name.0 == self.name);
        if let Some((_, clause)) = of_kind().find(|(_, clause)| is_named(clause)) {
            return Ok(clause);
        }
        let mut unnamed = of_kind().filter(|(_, clause)| clause.name.is_none());
        let found = match self.kind {
            ClauseKind::Check => of_kind()
                .filter(|(_, clause)| !is_bound(clause))
                .nth(self.number)
                .filter(|(_, clause)| clause.name.is_none()),
            _ => {
                let mut fits = unnamed.by_ref().filter(|(column, clause)| {
                    let columns: Vec<_> = match column {
                        Some(column) => vec![*column],
                        None => clause.columns.iter().map(String::as_str).collect(),
                    };
                    is_same(clause.table.as_deref().into_iter(), self.table.as_deref().into_iter())
                        && is_same(columns.into_iter(), self.columns.iter().map(String::as_str))
                });
                // The catalogue does not show which one of two equal constraints is meant.
                fits.next().filter(|_| fits.next().is_none())
            }
        };
        let hint = "name it in CREATE TABLE";
        let none = || Error::unsupported("a change of this constraint").hint(hint);
        found.map(|(_, clause)| clause).ok_or_else(none)
    }
}

/// Whether a clause is not written at this column.
fn is_apart(text: &TableText<'_>, clause: &Clause, column: &str) -> bool {
    let mut own = text.all().filter(|(at, _)| at.is_some_and(|at| at.eq_ignore_ascii_case(column)));
    !own.any(|(_, one)| one.span == clause.span)
}

/// Whether a condition keeps the values of a generated column within its type.
fn is_bound(clause: &Clause) -> bool {
    clause.name.as_ref().is_some_and(|name| bounds::is_own(&name.0))
}

pub fn is_same<'a>(
    one: impl Iterator<Item = &'a str>,
    other: impl Iterator<Item = &'a str>,
) -> bool {
    one.map(str::to_lowercase).eq(other.map(str::to_lowercase))
}

/// Another error for one of SQLite's with this SQLSTATE.
pub fn violated(failure: Failure, code: &str, other: impl FnOnce() -> Error) -> Failure {
    match failure {
        Failure::Error(error) if error.code == code => Failure::Error(other()),
        failure => failure,
    }
}
