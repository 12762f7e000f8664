//! What violates a constraint, in PostgreSQL's words: SQLite names only the columns of a key.

use std::collections::HashSet;
use std::time::Instant;

use sql_tokens::{quoted_name, quoted_text};
use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::Target;

use super::converse::Conversation;
use super::failure::Result;
use super::store::Analysed;

/// Rows of an INSERT in which the key is looked for.
const MAX_ROWS: usize = 100;

/// A foreign key: its columns, the other table, and its columns.
#[derive(Debug, Default)]
pub struct Reference {
    pub columns: Vec<String>,
    pub table: String,
    pub referred: Vec<String>,
}

/// A key whose values are known: `Key (a)=(1)`, and whether a table has them.
struct Key {
    text: String,
    exists: bool,
}

impl Conversation<'_> {
    /// An error of a statement with what clients act on.
    pub fn explained(&mut self, error: Error, analysed: &Analysed, values: &[Value]) -> Error {
        if error.code == sqlstate::INVALID_FRAME {
            let is_null = |at: usize| matches!(values.get(at), Some(Value::Null));
            return analysed.statement.of_offset(error, is_null);
        }
        let Some(target) = Target::of(&analysed.statement) else { return error };
        match error.code {
            sqlstate::UNIQUE_VIOLATION => self.duplicate(error, &target, analysed, values),
            sqlstate::CHECK_VIOLATION => {
                let error = error.of_check(&target.table);
                self.of_row(error, &target.table, analysed, values)
            }
            sqlstate::NOT_NULL_VIOLATION => self.of_row(error, &target.table, analysed, values),
            sqlstate::FOREIGN_KEY_VIOLATION => {
                let own = self.missing_parent(&error, &target, analysed, values);
                own.or_else(|| self.referencing(&error, &target, analysed, values)).unwrap_or(error)
            }
            _ => error,
        }
    }

    fn duplicate(
        &mut self,
        error: Error,
        target: &Target<'_>,
        analysed: &Analysed,
        values: &[Value],
    ) -> Error {
        let Some(subject) = error.key_columns().map(str::to_owned) else { return error };
        let named = self.key_name(&error);
        let columns = subject.split(", ").filter_map(|part| part.rsplit_once('.'));
        let columns: Vec<String> = columns.map(|(_, column)| column.to_owned()).collect();
        let place = (target.table.as_str(), &columns[..]);
        let mut before = HashSet::new();
        let found = (0..target.rows().min(MAX_ROWS)).find_map(|row| {
            let key = self.key(target, row, &columns, place, analysed, values)?;
            // Or it is twice in the statement.
            let is_again = !before.insert(key.text.clone()) || target.rows() == 1;
            (key.exists || is_again).then_some(key.text)
        });
        let detail = found.map(|key| format!("{key} already exists."));
        let error = match named {
            Some(name) => error.of_key(name),
            None => error,
        };
        Error { detail, ..error }
    }

    /// The values of a row for some columns, and whether a table has them in its own.
    fn key(
        &mut self,
        target: &Target<'_>,
        row: usize,
        columns: &[String],
        (table, others): (&str, &[String]),
        analysed: &Analysed,
        values: &[Value],
    ) -> Option<Key> {
        // What takes long has had its time.
        if self.session.state().end.is_some_and(|end| Instant::now() >= end) {
            return None;
        }
        let known = self.table(&target.table).ok()?;
        let names: Vec<_> = known.iter().map(|column| column.name.as_str()).collect();
        let mut items = Vec::new();
        for name in columns {
            let column = known.iter().find(|column| column.name.eq_ignore_ascii_case(name))?;
            let value = target.value(row, name, &names)?;
            let typed = match column.typed() {
                Some(typed) if typed.scale().is_some() => column.declared.clone(),
                Some(typed) => typed.ty.name(),
                None => "text".to_owned(),
            };
            items.push(format!("({value})::{typed}"));
        }
        let pairs = others.iter().zip(&items);
        let pairs: Vec<_> =
            pairs.map(|(other, item)| format!("{} = {item}", quoted_name(other))).collect();
        let exists =
            format!("EXISTS (SELECT 1 FROM {} WHERE {})", quoted_name(table), pairs.join(" AND "));
        let sql = format!("SELECT {}, {exists}", items.join(", "));
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        let mut found = self.texts(&sql, &given, values).ok()??;
        let exists = found.pop()?.is_some_and(|text| text == b"t");
        // A key with NULL violates nothing.
        let texts: Option<Vec<_>> = found.into_iter().collect();
        let texts: Vec<_> =
            texts?.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let text = format!("Key ({})=({})", columns.join(", "), texts.join(", "));
        Some(Key { text, exists })
    }

    /// The foreign keys of a table, in their order.
    fn references(&self, table: &str) -> Vec<Reference> {
        self.numbered_references(table).into_iter().map(|(_, reference)| reference).collect()
    }

    /// The foreign key of a table that has an id in SQLite's list.
    pub(super) fn reference(&self, table: &str, number: i64) -> Option<Reference> {
        let mut all = self.numbered_references(table).into_iter();
        all.find(|(id, _)| *id == number).map(|(_, reference)| reference)
    }

    fn numbered_references(&self, table: &str) -> Vec<(i64, Reference)> {
        let sql = format!(
            "SELECT id, \"from\", \"table\", \"to\" FROM pragma_foreign_key_list({}) \
             ORDER BY id DESC, seq",
            quoted_text(table)
        );
        let row = |row: &sqlite_sandbox::Row<'_>| {
            let (id, from) = (row.get::<_, i64>(0)?, row.get::<_, String>(1)?);
            Ok((id, from, row.get::<_, String>(2)?, row.get::<_, Option<String>>(3)?))
        };
        let mut found: Vec<(i64, Reference)> = Vec::new();
        for (id, from, table, to) in self.engine.own_rows(&sql, row).unwrap_or_default() {
            if found.last().is_none_or(|(last, _)| *last != id) {
                found.push((id, Reference { table, ..Reference::default() }));
            }
            if let Some((_, reference)) = found.last_mut() {
                reference.columns.push(from);
                reference.referred.extend(to);
            }
        }
        for (_, reference) in &mut found {
            if reference.referred.is_empty() {
                let known = self.table(&reference.table).unwrap_or_default();
                let keys = known.into_iter().filter(|column| column.is_key);
                reference.referred = keys.map(|column| column.name).collect();
            }
        }
        found
    }

    /// The tables that have a foreign key to this one, none of which is temporary.
    pub fn referring(&self, table: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT DISTINCT m.name FROM main.sqlite_schema m, pragma_foreign_key_list(m.name, 'main') f \
             WHERE m.type = 'table' AND lower(f.\"table\") = lower({})",
            quoted_text(table)
        );
        Ok(self.engine.own_rows(&sql, |row| row.get(0))?)
    }

    /// The name of the only foreign key of these columns, or that which PostgreSQL gives to one.
    fn reference_name(&self, table: &str, reference: &Reference) -> String {
        let names = self.reference_names(table, reference).unwrap_or_default();
        match <[(String, bool); 1]>::try_from(names) {
            Ok([(name, _)]) => name,
            Err(_) => format!("{table}_{}_fkey", reference.columns.join("_")),
        }
    }

    /// The names of the foreign keys of these columns, and whether each is deferred.
    pub(super) fn reference_names(
        &self,
        table: &str,
        reference: &Reference,
    ) -> Result<Vec<(String, bool)>> {
        let columns = reference.columns.iter();
        let columns: Vec<_> =
            columns.map(|column| format!("quote_ident({})", quoted_text(column))).collect();
        let sql = format!(
            "SELECT conname, condeferred FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass({}) \
             AND instr(pg_get_constraintdef(oid), 'FOREIGN KEY (' || {} || ')') = 1",
            quoted_text(&quoted_name(table)),
            columns.join(" || ', ' || ")
        );
        Ok(self.engine.own_rows(&sql, |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The row that a new one refers to is not there.
    fn missing_parent(
        &mut self,
        error: &Error,
        target: &Target<'_>,
        analysed: &Analysed,
        values: &[Value],
    ) -> Option<Error> {
        if target.is_delete {
            return None;
        }
        for reference in self.references(&target.table) {
            let place = (reference.table.as_str(), &reference.referred[..]);
            for row in 0..target.rows().min(MAX_ROWS) {
                let key = self.key(target, row, &reference.columns, place, analysed, values);
                if let Some(key) = key.filter(|key| !key.exists) {
                    let name = self.reference_name(&target.table, &reference);
                    let detail =
                        format!("{} is not present in table \"{}\".", key.text, reference.table);
                    let message = format!(
                        "insert or update on table \"{}\" violates foreign key constraint \"{name}\"",
                        target.table
                    );
                    return Some(error.clone().of_reference(message, &target.table, name, detail));
                }
            }
        }
        None
    }

    /// Another row refers to one that was deleted or changed.
    fn referencing(
        &mut self,
        error: &Error,
        target: &Target<'_>,
        analysed: &Analysed,
        values: &[Value],
    ) -> Option<Error> {
        let tables = self.referring(&target.table).ok()?;
        for table in tables {
            let references = self.references(&table);
            let of_target = references
                .iter()
                .filter(|reference| reference.table.eq_ignore_ascii_case(&target.table));
            for reference in of_target {
                let row = self.referred_row(target, (&table, reference), analysed, values);
                let Some(texts) = row else { continue };
                let name = self.reference_name(&table, reference);
                let message = format!(
                    "update or delete on table \"{}\" violates foreign key constraint \"{name}\" on table \"{table}\"",
                    target.table
                );
                let detail = format!(
                    "Key ({})=({}) is still referenced from table \"{table}\".",
                    reference.referred.join(", "),
                    texts.join(", ")
                );
                return Some(error.clone().of_reference(message, &table, name, detail));
            }
        }
        None
    }

    /// The first row that a statement would take from under another one.
    fn referred_row(
        &mut self,
        target: &Target<'_>,
        (table, reference): (&str, &Reference),
        analysed: &Analysed,
        values: &[Value],
    ) -> Option<Vec<String>> {
        let is_over = self.session.state().end.is_some_and(|end| Instant::now() >= end);
        let condition = target.condition().filter(|_| !is_over)?;
        let change = target.change(&reference.referred)?;
        let own = quoted_name(&target.table);
        let pairs = reference.columns.iter().zip(&reference.referred);
        let pairs: Vec<_> = pairs
            .map(|(column, other)| {
                format!("pg_child.{} = {own}.{}", quoted_name(column), quoted_name(other))
            })
            .collect();
        let columns: Vec<_> = reference
            .referred
            .iter()
            .map(|column| format!("{own}.{}", quoted_name(column)))
            .collect();
        let sql = format!(
            "SELECT {} FROM {own} WHERE ({condition}) AND ({change}) AND EXISTS (SELECT 1 FROM {} AS pg_child WHERE {}) LIMIT 1",
            columns.join(", "),
            quoted_name(table),
            pairs.join(" AND ")
        );
        let given: Vec<_> = analysed.parameters.iter().map(|one| one.ty.oid()).collect();
        let texts: Option<Vec<_>> = self.texts(&sql, &given, values).ok()??.into_iter().collect();
        Some(texts?.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
    }
}
