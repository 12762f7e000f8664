//! The type of a column: in the text of the table alone where it keeps all values, else of the rows too.

use sql_tokens::{Dialect, Kind, Tokens, quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::{ClauseKind, TableText, names};
use sqlite_wasm_postgres::translate::{Numbering, numbered};
use sqlite_wasm_postgres::types::infer::Column;
use sqlite_wasm_postgres::types::{Scalar, Type, Typed, bounds};

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::collations::Wanted;
use super::columns::place;
use super::constraints::violated;

/// What follows the name of a table for one that has the new type of a column, while values are converted.
const CONVERTED: &str = " altered";

impl Conversation<'_> {
    pub(super) fn set_type_only(
        &mut self,
        table: &Altered,
        column: &str,
        to: &Wanted<'_>,
    ) -> Result<()> {
        let Wanted { declared, wanted, using, .. } = *to;
        let known = self.column_of(table, column)?;
        let (old, new) = (known.typed(), Typed::declared(declared));
        if known.is_generated {
            let hint = "drop the column, and add it again";
            return Err(Error::unsupported("TYPE of a generated column").hint(hint).into());
        }
        if known.is_numbered() {
            return self.set_number_type(table, &known, to, new);
        }
        // As in PostgreSQL the collation is looked at behind the client's own expression, and before its values are assigned.
        if let Some(value) = using {
            self.analysed(&format!("SELECT ({value}) FROM {}", table.quoted), &[])?;
        }
        to.check_collation(new)?;
        // As a part of the primary key it would be the row id.
        let declared = if declared.eq_ignore_ascii_case("integer") { "INT" } else { declared };
        let change = |text: &TableText<'_>| Ok(text.with_type(place(text, column)?, declared));
        if using.is_none() && old.zip(new).is_some_and(|(old, new)| keeps_values(old, new)) {
            return self.rewrite(table, Some(column), change);
        }
        self.check_unreferenced(table, column)?;
        let sql = self.table_sql(table)?;
        let text = TableText::read(&sql)?;
        if text.names_in(ClauseKind::Check, column) {
            let hint = "drop the constraint first, and add it again";
            let what = "another type of a column with a CHECK constraint";
            return Err(Error::unsupported(what).hint(hint).into());
        }
        if text.names_in(ClauseKind::Other, column) {
            let hint = "drop the generated column first, and add it again";
            let what = "another type of a column used by a generated column";
            return Err(Error::unsupported(what).hint(hint).into());
        }
        self.check_views(table, column)?;
        if self.is_in_expression_of_index(table, column)? {
            let hint = "drop the index first, and make it again";
            let what = "another type of a column in an expression or condition of an index";
            return Err(Error::unsupported(what).hint(hint).into());
        }
        let default = known.default.as_deref();
        let default =
            default.map(|default| self.default_as(default, wanted, column)).transpose()?;
        let value = self.converted(table, &known, declared, (wanted, using))?;
        // Rows that are older than the column get what they have before the text changes.
        self.write_whole_rows(table, &known)?;
        self.rewrite(table, Some(column), change)?;
        self.write_rows(table, column, &value)?;
        self.check_fits(table, column, new)?;
        if let Some(default) = default {
            self.rewrite(table, Some(column), |text| {
                Ok(text.with_default(place(text, column)?, Some(&default)))
            })?;
        }
        self.check_integrity(table)
    }

    /// A row id has all widths; only its comment says which one was declared.
    fn set_number_type(
        &mut self,
        table: &Altered,
        known: &Column,
        to: &Wanted<'_>,
        new: Option<Typed>,
    ) -> Result<()> {
        let declared = to.declared;
        let scalar = match new.map(|new| new.ty) {
            Some(Type::One(scalar @ (Scalar::Int2 | Scalar::Int4 | Scalar::Int8))) => scalar,
            _ => {
                let hint = "make another table, and copy the rows";
                let what = format_args!("the type {declared} of a key that SQLite numbers");
                return Err(Error::unsupported(what).hint(hint).into());
            }
        };
        to.check_collation(new)?;
        let bound = match scalar {
            Scalar::Int2 => i64::from(i16::MAX),
            Scalar::Int4 => i64::from(i32::MAX),
            _ => i64::MAX,
        };
        let name = quoted_name(&known.name);
        let sql = format!("SELECT 1 FROM {} WHERE {name} > {bound} LIMIT 1", table.quoted);
        if !self.engine.own_rows(&sql, |_| Ok(()))?.is_empty() {
            let message = format!("{} out of range", scalar.name());
            return Err(Error::new(sqlstate::NUMERIC_OUT_OF_RANGE, message).into());
        }
        self.rewrite(table, None, |text| {
            let column = place(text, &known.name)?;
            let numbering = Numbering::of(text.declared(column));
            Ok(text.with_type(column, &numbered(scalar.name(), numbering)))
        })
    }

    /// Check that no foreign key has a column whose values are converted.
    fn check_unreferenced(&self, table: &Altered, column: &str) -> Result<()> {
        let (name, column) = (quoted_text(&table.name), quoted_text(column));
        let sql = format!(
            "SELECT 1 FROM pragma_foreign_key_list({name}) WHERE lower(\"from\") = lower({column}) \
             UNION ALL \
             SELECT 1 FROM main.sqlite_schema AS m, pragma_foreign_key_list(m.name) AS k \
             WHERE m.type = 'table' AND lower(k.\"table\") = lower({name}) \
             AND lower(coalesce(k.\"to\", {column})) = lower({column})"
        );
        if self.engine.own_rows(&sql, |_| Ok(()))?.is_empty() {
            return Ok(());
        }
        let hint = "drop the foreign keys first, and add them again";
        Err(Error::unsupported("another type of a column with foreign keys").hint(hint).into())
    }

    /// Whether an index computes something of a column: it may mean something else of another type.
    fn is_in_expression_of_index(&self, table: &Altered, column: &str) -> Result<bool> {
        let sql = format!(
            "SELECT s.sql FROM pragma_index_list({}, 'main') AS l \
             JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = l.name \
             WHERE s.sql IS NOT NULL AND (l.partial OR EXISTS \
             (SELECT 1 FROM pragma_index_xinfo(l.name, 'main') AS i WHERE i.cid = -2))",
            quoted_text(&table.name)
        );
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?;
        Ok(found.iter().any(|sql| names(sql, column)))
    }

    /// Check that no view computes something of a column, itself or by other views: it keeps the types of what it
    /// computes as they were when it was made.
    fn check_views(&self, table: &Altered, column: &str) -> Result<()> {
        let sql = "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'";
        let row = |row: &sqlite_sandbox::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let mut others: Vec<(String, String)> = self.engine.own_rows(sql, row)?;
        let mut read = vec![table.name.clone()];
        while let Some(relation) = read.pop() {
            self.check_time()?;
            let is_table = relation == table.name;
            let found = others.extract_if(.., |(_, sql)| names(sql, &relation));
            for (view, sql) in found.collect::<Vec<_>>() {
                // Behind a view the column may have another name.
                if sql.contains("/* types: ") && (!is_table || names(&sql, column)) {
                    let hint = "drop the view first, and create it again";
                    let what = format!("another type of a column used by the view \"{view}\"");
                    return Err(Error::unsupported(what).hint(hint).into());
                }
                read.push(view);
            }
        }
        Ok(())
    }

    /// SQLite's expression for the values that a column gets, as if they were assigned to it.
    fn converted(
        &mut self,
        table: &Altered,
        known: &Column,
        declared: &str,
        (wanted, using): (&str, Option<&str>),
    ) -> Result<String> {
        let scratch = quoted_name(&format!("{}{CONVERTED}", table.name));
        let name = quoted_name(&known.name);
        self.run_step(&format!("CREATE TEMP TABLE {scratch} ({name} {declared})"))?;
        self.forget_schema();
        let value = using.unwrap_or(&name);
        let assigned = self.selected(&scratch, &name, &format!("({value})"), table)?;
        if known.default.is_some() && using.is_some() {
            // USING is for the rows: the default has the type of the column.
            self.selected(&scratch, &name, &format!("({name})"), table).map_err(|failure| {
                violated(failure, sqlstate::DATATYPE_MISMATCH, || {
                    other_default(&known.name, wanted)
                })
            })?;
        }
        // A cast shortens a string, which an assignment refuses; of other types it is the same, and complete.
        let is_string = matches!(
            Typed::declared(declared).map(|typed| typed.ty),
            None | Some(Type::One(Scalar::Varchar | Scalar::Bpchar | Scalar::Text))
        );
        let found = if is_string {
            assigned
        } else {
            self.selected(&scratch, &name, &format!("(({value})::{wanted})"), table)?
        };
        self.run_step(&format!("DROP TABLE temp.{scratch}"))?;
        self.forget_schema();
        found.ok_or_else(|| Error::unsupported("this expression of USING").into())
    }

    /// SQLite's expression for a value that is assigned to the column of a table.
    fn selected(
        &mut self,
        scratch: &str,
        name: &str,
        value: &str,
        table: &Altered,
    ) -> Result<Option<String>> {
        let sql = format!("INSERT INTO {scratch} ({name}) SELECT {value} FROM {}", table.quoted);
        let analysed = self.analysed(&sql, &[])?;
        Ok(analysed.and_then(|one| selected(&one.statement.sql)))
    }

    /// Check that the values of a column are of its type.
    fn check_fits(&self, table: &Altered, column: &str, new: Option<Typed>) -> Result<()> {
        let Some(typed) = new else { return Ok(()) };
        let name = quoted_name(column);
        let length = typed.modifier - 4;
        let bound = match typed.ty {
            Type::One(Scalar::Bpchar) if length >= 0 => {
                let error = format!("22001: value too long for type character({length})");
                Some((error, format!("length({name}) <= {length}")))
            }
            _ => bounds::of(&name, typed),
        };
        let Some((error, condition)) = bound else { return Ok(()) };
        let sql = format!("SELECT 1 FROM {} WHERE NOT ({condition}) LIMIT 1", table.quoted);
        if self.engine.own_rows(&sql, |_| Ok(()))?.is_empty() {
            return Ok(());
        }
        let (code, message) =
            sqlstate::split(&error).unwrap_or((sqlstate::DATATYPE_MISMATCH, &error));
        Err(Error::new(code, message).into())
    }

    /// A default of a column that gets another type.
    fn default_as(&self, default: &str, wanted: &str, column: &str) -> Result<String> {
        let sql = format!("CREATE TABLE t (c {wanted} DEFAULT {default})");
        let translated =
            self.ending(|| sqlite_wasm_postgres::translate::translate(&sql, &self.context));
        let sql = translated.ok().and_then(|mut all| all.pop()).map(|one| one.sql);
        let found = sql.as_deref().and_then(|sql| {
            let text = TableText::read(sql).ok()?;
            let clause = text.columns.first()?.clauses.first()?;
            text.written(clause).get("DEFAULT ".len()..).map(str::to_owned)
        });
        found.ok_or_else(|| {
            let hint = "drop the default first, and set another one after that";
            let what = format!("another type of the column \"{column}\" with this default");
            Error::unsupported(what).hint(hint).into()
        })
    }

    /// Check that the indexes of a table have its rows as they are now.
    pub(super) fn check_integrity(&mut self, table: &Altered) -> Result<()> {
        self.run_step(&format!("REINDEX main.{}", table.quoted))?;
        let sql = format!("PRAGMA main.integrity_check({})", quoted_text(&table.name));
        let found = self.engine.own_rows(&sql, |row| row.get::<_, String>(0))?;
        match found.into_iter().find(|line| line != "ok") {
            Some(line) => Err(Error::new(sqlstate::DATA_CORRUPTED, line).into()),
            None => Ok(()),
        }
    }
}

fn other_default(column: &str, wanted: &str) -> Error {
    let message =
        format!("default for column \"{column}\" cannot be cast automatically to type {wanted}");
    let hint = "drop the default first, and set another one after that";
    Error::new(sqlstate::DATATYPE_MISMATCH, message).hint(hint)
}

/// Whether all values of a type are the same values of another one, as SQLite stores them.
fn keeps_values(old: Typed, new: Typed) -> bool {
    let (Type::One(from), Type::One(to)) = (old.ty, new.ty) else { return old == new };
    let width = |scalar| match scalar {
        Scalar::Int2 => Some(2),
        Scalar::Int4 => Some(4),
        Scalar::Int8 => Some(8),
        _ => None,
    };
    if let (Some(from), Some(to)) = (width(from), width(to)) {
        return from <= to;
    }
    match (from, to) {
        (Scalar::Text | Scalar::Varchar, Scalar::Text) => true,
        (Scalar::Text | Scalar::Varchar, Scalar::Varchar) if new.modifier < 0 => true,
        (Scalar::Varchar, Scalar::Varchar) => (0..=new.modifier).contains(&old.modifier),
        _ => old == new,
    }
}

/// What a query selects, whose only column it is: the text between SELECT and FROM.
fn selected(sql: &str) -> Option<String> {
    let mut depth = 0_usize;
    let (mut from, mut to) = (None, None);
    for token in Tokens::new(sql, Dialect::Sqlite) {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            _ if token.is("select") && from.is_none() => {
                from = Some(token.start + token.text.len())
            }
            _ if token.is("from") => to = Some(token.start),
            _ => {}
        }
    }
    sql.get(from?..to?).map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wider_types_keep_values() {
        let keeps = |old: &str, new: &str| {
            keeps_values(Typed::declared(old).unwrap(), Typed::declared(new).unwrap())
        };
        for (old, new) in [
            ("varchar(5)", "varchar(50)"),
            ("varchar(5)", "varchar"),
            ("varchar(5)", "text"),
            ("text", "varchar"),
            ("smallint", "int"),
            ("int", "bigint"),
            ("bigint", "bigint"),
            ("jsonb", "jsonb"),
            ("int[]", "int[]"),
        ] {
            assert!(keeps(old, new), "{old} {new}");
        }
        for (old, new) in [
            ("varchar(50)", "varchar(5)"),
            ("varchar", "varchar(5)"),
            ("text", "varchar(5)"),
            ("bigint", "int"),
            ("int", "text"),
            ("text", "int"),
            ("char(3)", "text"),
            ("numeric(10,2)", "numeric(10,1)"),
            ("timestamp", "timestamptz"),
            ("json", "jsonb"),
            ("int", "numeric"),
            ("int[]", "text[]"),
        ] {
            assert!(!keeps(old, new), "{old} {new}");
        }
    }

    #[test]
    fn the_selected_value_is_found() {
        for (sql, wanted) in [
            ("INSERT INTO s (c) SELECT pg_integer(c) FROM t AS t", Some("pg_integer(c)")),
            (
                "INSERT INTO s (c) SELECT (SELECT a FROM b) || ' from ' FROM t",
                Some("(SELECT a FROM b) || ' from '"),
            ),
            (
                "INSERT INTO s (c) SELECT ((a IS DISTINCT FROM b)) FROM t",
                Some("((a IS DISTINCT FROM b))"),
            ),
            ("INSERT INTO s VALUES (1)", None),
        ] {
            assert_eq!(selected(sql).as_deref(), wanted, "{sql}");
        }
    }
}
