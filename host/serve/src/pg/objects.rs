//! The relations that a definition names: whether they are there, of its kind, and free.

use std::collections::HashSet;

use sql_tokens::quoted_text;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::{Definition, Kind, Statement};
use sqlite_wasm_postgres::types::infer::Column;
use sqlite_wasm_postgres::types::{TEXT, Typed};

use super::converse::Conversation;
use super::failure::Result;
use super::store::Analysed;

/// What a definition has to do.
#[derive(Debug, Default)]
pub struct Checked {
    /// The notices for the client.
    pub notices: Vec<Error>,
    /// Whether there is nothing to do.
    pub is_done: bool,
}

impl Checked {
    fn skip(code: &'static str, message: String) -> Self {
        let notice = Error::new(code, format!("{message}, skipping"));
        Self { notices: vec![notice], is_done: true }
    }
}

/// The SQLSTATE of a notice about what is not there, and of a warning.
pub const SUCCESS: &str = "00000";
pub const WARNING: &str = "01000";

impl Conversation<'_> {
    /// Check what a definition says of the relations that it names.
    ///
    /// # Errors
    ///
    /// PostgreSQL's: 42P01, 42704, 42P07, 42809, 55006.
    pub fn check_objects(&self, statement: &Statement) -> Result<Checked> {
        if let Some(maintained) = &statement.maintained {
            return self.check_maintained(maintained);
        }
        let Some(definition) = Definition::of(statement) else { return Ok(Checked::default()) };
        match &definition {
            Definition::Create { name, kind, if_not_exists, or_replace, table, is_temporary } => {
                if let Some(table) = table {
                    self.check_indexed(table)?;
                }
                let Some(name) = name else { return Ok(Checked::default()) };
                match self.kind_in_use(name, *is_temporary)? {
                    None => {}
                    Some(_) if *if_not_exists => {
                        let message = format!("relation \"{name}\" already exists");
                        return Ok(Checked::skip(sqlstate::DUPLICATE_TABLE, message));
                    }
                    Some(found) if *or_replace => check_kind(name, found, *kind)?,
                    Some(_) => {
                        let message = format!("relation \"{name}\" already exists");
                        return Err(Error::new(sqlstate::DUPLICATE_TABLE, message).into());
                    }
                }
                Ok(Checked::default())
            }
            Definition::Drop { kind, names, if_exists } => {
                self.check_dropped(*kind, names, *if_exists)
            }
            Definition::Alter { name, if_exists, action, column } => {
                self.check_altered(name, *if_exists, action, column.as_ref())
            }
            Definition::Truncate { names } => {
                for name in names {
                    if let Some(found) = self.kind_of(name)? {
                        check_kind(name, found, Kind::Table)?;
                    }
                    self.check_unused("TRUNCATE", name)?;
                }
                Ok(Checked::default())
            }
        }
    }

    fn check_indexed(&self, table: &str) -> Result<()> {
        if let Some(found @ (Kind::View | Kind::Index)) = self.kind_of(table)? {
            let message = format!("cannot create index on relation \"{table}\"");
            return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message)
                .detail(not_for(found))
                .into());
        }
        self.check_unused("CREATE INDEX", table)
    }

    fn check_dropped(&self, kind: Kind, names: &[String], if_exists: bool) -> Result<Checked> {
        let mut checked = Checked::default();
        let word = kind.word();
        for name in names {
            match self.kind_of(name)? {
                Some(Kind::Index) if let Some(table) = self.key_of(name)? => {
                    check_kind(name, Kind::Index, kind)?;
                    return Err(needed_by_key(name, &table).into());
                }
                Some(found) => check_kind(name, found, kind)?,
                None if let Some(table) = self.key_of(name)? => {
                    check_kind(name, Kind::Index, kind)?;
                    return Err(needed_by_key(name, &table).into());
                }
                None if if_exists => {
                    let message = format!("{word} \"{name}\" does not exist");
                    checked.notices.extend(Checked::skip(SUCCESS, message).notices);
                }
                None => {
                    let code = match kind {
                        Kind::Index => sqlstate::UNDEFINED_OBJECT,
                        _ => sqlstate::UNDEFINED_TABLE,
                    };
                    let message = format!("{word} \"{name}\" does not exist");
                    return Err(Error::new(code, message).into());
                }
            }
            if kind == Kind::Table {
                self.check_unused("DROP TABLE", name)?;
            }
        }
        Ok(checked)
    }

    fn check_altered(
        &self,
        name: &str,
        if_exists: bool,
        action: &str,
        column: Option<&(String, bool)>,
    ) -> Result<Checked> {
        let is_renaming = action.starts_with("RENAME");
        match self.kind_of(name)? {
            None if if_exists => {
                let message = format!("relation \"{name}\" does not exist");
                return Ok(Checked::skip(SUCCESS, message));
            }
            Some(found @ (Kind::View | Kind::Index)) if is_renaming => {
                let what = format!("ALTER TABLE … {action} of {}", named(found));
                return Err(Error::unsupported(what).hint("drop it and make it again").into());
            }
            Some(found @ (Kind::View | Kind::Index)) => {
                let message =
                    format!("ALTER action {action} cannot be performed on relation \"{name}\"");
                return Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message)
                    .detail(not_for(found))
                    .into());
            }
            _ if !is_renaming => self.check_unused("ALTER TABLE", name)?,
            _ => {}
        }
        let Some((column, is_added)) = column else { return Ok(Checked::default()) };
        let known = self.table(name)?;
        let is_there = known.iter().any(|known| known.name.eq_ignore_ascii_case(column));
        Ok(match (is_there, is_added) {
            (true, true) => {
                let message = format!("column \"{column}\" of relation \"{name}\" already exists");
                Checked::skip(sqlstate::DUPLICATE_COLUMN, message)
            }
            (false, false) => {
                let message = format!("column \"{column}\" of relation \"{name}\" does not exist");
                Checked::skip(SUCCESS, message)
            }
            _ => Checked::default(),
        })
    }

    /// What a name is; `None` if the relation does not exist.
    pub fn kind_of(&self, name: &str) -> Result<Option<Kind>> {
        self.kind_in(name, None)
    }

    /// The same, only among the session's own or only among the others where that is said.
    pub fn kind_in(&self, name: &str, is_temporary: Option<bool>) -> Result<Option<Kind>> {
        let name = quoted_text(&name.to_ascii_lowercase());
        let of = |schema: &str| {
            format!("SELECT type FROM {schema} WHERE lower(name) = {name} AND type <> 'trigger'")
        };
        let [own, all] = [of("sqlite_temp_schema"), of("sqlite_schema")];
        let sql = match is_temporary {
            Some(true) => own,
            Some(false) => all,
            None => format!("{own} UNION ALL {all}"),
        };
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?;
        Ok(found.first().and_then(|word| Kind::named(word)))
    }

    /// The same, with the keys of tables by the names that they get.
    pub fn kind_in_use(&self, name: &str, is_temporary: Option<bool>) -> Result<Option<Kind>> {
        let may_be_key = name.ends_with("_key") || name.ends_with("_pkey");
        Ok(match self.kind_in(name, is_temporary)? {
            None if may_be_key && self.key_of(name)?.is_some() => Some(Kind::Index),
            found => found,
        })
    }

    /// The table whose key has this name.
    pub fn key_of(&self, name: &str) -> Result<Option<String>> {
        let name = quoted_text(name);
        let sql = format!(
            "SELECT c.relname FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid \
             WHERE k.contype IN ('p', 'u') AND k.conname = {name}"
        );
        Ok(self.engine.own_rows(&sql, |row| row.get(0))?.pop())
    }

    /// Check that no cursor of the session reads a table.
    pub fn check_unused(&self, verb: &str, table: &str) -> Result<()> {
        if self.tables_in_use()?.contains(&table.to_ascii_lowercase()) {
            let message = format!(
                "cannot {verb} \"{table}\" because it is being used by active queries in this session"
            );
            return Err(Error::new(sqlstate::OBJECT_IN_USE, message).into());
        }
        Ok(())
    }

    /// The tables that open cursors and portals read: SQLite's program of a query opens them.
    fn tables_in_use(&self) -> Result<HashSet<String>> {
        let mut roots = HashSet::new();
        for query in self.store.open_queries() {
            let row = |row: &sqlite_sandbox::Row<'_>| {
                let is_opened = row.get::<_, String>(1)? == "OpenRead";
                let root = (row.get::<_, i64>(3)?, row.get::<_, i64>(4)?);
                Ok(is_opened.then_some(root))
            };
            // What cannot be prepared any more reads nothing.
            let rows = self.engine.own_rows(&format!("EXPLAIN {query}"), row);
            roots.extend(rows.unwrap_or_default().into_iter().flatten());
        }
        if roots.is_empty() {
            return Ok(HashSet::new());
        }
        let of = |number: u8, schema: &str| {
            format!("SELECT {number}, rootpage, lower(tbl_name) FROM {schema}")
        };
        let sql = format!("{} UNION ALL {}", of(0, "sqlite_schema"), of(1, "sqlite_temp_schema"));
        let row = |row: &sqlite_sandbox::Row<'_>| {
            let (schema, root) = (row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?);
            Ok((root.unwrap_or_default(), schema, row.get::<_, String>(2)?))
        };
        let all = self.engine.own_rows(&sql, row)?;
        let used = all.into_iter().filter(|(root, schema, _)| roots.contains(&(*root, *schema)));
        Ok(used.map(|(.., table)| table).collect())
    }

    /// The columns of the view that a statement replaces; `None` for others.
    pub fn replaced_columns(&self, statement: &Statement) -> Option<(String, Vec<Column>)> {
        match Definition::of(statement)? {
            Definition::Create { name: Some(name), or_replace: true, .. } => {
                let columns = self.table(&name).ok()?;
                Some((name, columns))
            }
            _ => None,
        }
    }

    /// Check that a view that was replaced still has its columns.
    ///
    /// # Errors
    ///
    /// 42P16.
    pub fn check_replaced(&self, name: &str, before: &[Column]) -> Result<()> {
        let now = self.table(name)?;
        let wrong = |message: String| Err(Error::new("42P16", message).into());
        if now.len() < before.len() {
            return wrong("cannot drop columns from view".to_owned());
        }
        let typed = |column: &Column| column.typed().unwrap_or(Typed::plain(TEXT)).ty;
        for (old, new) in before.iter().zip(&now) {
            if old.name != new.name {
                return wrong(format!(
                    "cannot change name of view column \"{}\" to \"{}\"",
                    old.name, new.name
                ));
            }
            let (old_type, new_type) = (typed(old), typed(new));
            if old_type != new_type {
                return wrong(format!(
                    "cannot change data type of view column \"{}\" from {} to {}",
                    old.name,
                    old_type.name(),
                    new_type.name()
                ));
            }
        }
        Ok(())
    }

    /// Tell the client what a definition leaves out: whether there is nothing to do.
    pub fn leaves_out(&mut self, analysed: &Analysed) -> Result<bool> {
        let checked = self.check_objects(&analysed.statement)?;
        for notice in &checked.notices {
            if notice.code == WARNING { self.warn(notice) } else { self.notice(notice) }
        }
        Ok(checked.is_done)
    }
}

/// An index that a key has.
fn needed_by_key(name: &str, table: &str) -> Error {
    let message =
        format!("cannot drop index {name} because constraint {name} on table {table} requires it");
    let hint = format!("You can drop constraint {name} on table {table} instead.");
    Error::new(sqlstate::DEPENDENT_OBJECTS, message).hint(hint)
}

fn check_kind(name: &str, found: Kind, wanted: Kind) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let message = format!("\"{name}\" is not {}", named(wanted));
    let hint = format!("Use DROP {} to remove {}.", found.word().to_uppercase(), named(found));
    Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message).hint(hint).into())
}

fn named(kind: Kind) -> String {
    let article = if kind == Kind::Index { "an" } else { "a" };
    format!("{article} {}", kind.word())
}

fn not_for(kind: Kind) -> String {
    let kinds = match kind {
        Kind::Table => "tables",
        Kind::View => "views",
        Kind::Index => "indexes",
    };
    format!("This operation is not supported for {kinds}.")
}
