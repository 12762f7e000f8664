//! Columns: whether they may be NULL, their defaults and their types.

use sql_tokens::{Dialect, Kind, Tokens, quoted_name, quoted_text};
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::table_text::{ColumnText, TableText};
use sqlite_wasm_postgres::translate::numbered;
use sqlite_wasm_postgres::types::infer::Column;
use sqlite_wasm_postgres::types::{Scalar, Type, Typed};

use super::super::converse::Conversation;
use super::super::failure::Result;
use super::Altered;
use super::constraints::violated;

/// What follows the name of a table for one that has the new type of a column, while values are converted.
const CONVERTED: &str = " altered";

impl Conversation<'_> {
    pub(super) fn set_not_null(
        &mut self,
        table: &Altered,
        column: &str,
        is_set: bool,
    ) -> Result<()> {
        let sql = format!(
            "SELECT \"notnull\", pk FROM pragma_table_xinfo({}, 'main') WHERE lower(name) = lower({})",
            quoted_text(&table.name),
            quoted_text(column)
        );
        let row =
            |row: &sqlite_sandbox::Row<'_>| Ok((row.get::<_, bool>(0)?, row.get::<_, i64>(1)?));
        let (is_there, key) = self.engine.own_rows(&sql, row)?.pop().unwrap_or_default();
        if !is_set && key > 0 {
            let message = format!("column \"{column}\" is in a primary key");
            return Err(Error::new("42P16", message).into());
        }
        if is_there == is_set {
            return Ok(());
        }
        let verb = if is_set { "SET" } else { "DROP" };
        let sql = format!(
            "ALTER TABLE {} ALTER COLUMN {} {verb} NOT NULL",
            table.quoted,
            quoted_name(column)
        );
        self.run_step(&sql).map_err(|failure| {
            violated(failure, sqlstate::INTEGRITY_VIOLATION, || {
                let message = format!(
                    "column \"{column}\" of relation \"{}\" contains null values",
                    table.name
                );
                let error = Error::new(sqlstate::NOT_NULL_VIOLATION, message);
                error.of_constraint(&table.name, None, Some(column))
            })
        })
    }

    pub(super) fn set_default(
        &mut self,
        table: &Altered,
        column: &str,
        expression: Option<&str>,
    ) -> Result<()> {
        let known = self.column_of(table, column)?;
        if known.is_generated {
            let message =
                format!("column \"{column}\" of relation \"{}\" is a generated column", table.name);
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message).into());
        }
        if expression.is_none() && known.default.is_none() {
            return Ok(());
        }
        // Rows that are older than the column have its default from the text, so they are written first.
        self.write_rows(table, column, &quoted_name(column))?;
        self.rewrite(table, Some(column), |text| {
            Ok(text.with_default(place(text, column)?, expression))
        })
    }

    /// Write a column of all rows; no trigger acts.
    fn write_rows(&mut self, table: &Altered, column: &str, value: &str) -> Result<()> {
        let sql = format!("UPDATE {} SET {} = {value}", table.quoted, quoted_name(column));
        self.engine
            .without_triggers(|engine| engine.run(&sql, |_| Ok(()), |_| Ok(()), |_| Ok(())))?;
        Ok(())
    }

    pub(super) fn set_identity(
        &mut self,
        table: &Altered,
        column: &str,
        is_always: bool,
    ) -> Result<()> {
        let known = self.column_of(table, column)?;
        if !known.is_numbered() {
            return Err(Error::unsupported("IDENTITY that is not the primary key").into());
        }
        if known.is_identity || !is_always {
            return Ok(());
        }
        let data_type = known.typed().map_or(Scalar::Int4, |typed| typed.ty.scalar());
        self.rewrite(table, None, |text| {
            Ok(text.with_type(place(text, column)?, &numbered(data_type.name(), true)))
        })
    }

    pub(super) fn set_type(
        &mut self,
        table: &Altered,
        column: &str,
        declared: &str,
        (wanted, using): (&str, Option<&str>),
    ) -> Result<()> {
        let known = self.column_of(table, column)?;
        let (old, new) = (known.typed(), Typed::declared(declared));
        if known.is_generated {
            let hint = "drop the column, and add it again";
            return Err(Error::unsupported("TYPE of a generated column").hint(hint).into());
        }
        if known.is_numbered() {
            return self.set_number_type(table, &known, declared, new);
        }
        // As a part of the primary key it would be the number of the row.
        let declared = if declared.eq_ignore_ascii_case("integer") { "INT" } else { declared };
        let change = |text: &TableText<'_>| Ok(text.with_type(place(text, column)?, declared));
        if using.is_none() && old.zip(new).is_some_and(|(old, new)| keeps_values(old, new)) {
            return self.rewrite(table, Some(column), change);
        }
        self.check_unreferenced(table, column)?;
        let default = known.default.as_deref();
        let default =
            default.map(|default| self.default_as(default, wanted, column)).transpose()?;
        let value = self.converted(table, column, declared, using)?;
        // Rows that are older than the column get what they have before the text changes.
        self.write_rows(table, column, &quoted_name(column))?;
        self.rewrite(table, Some(column), change)?;
        self.write_rows(table, column, &value)?;
        if let Some(default) = default {
            self.rewrite(table, Some(column), |text| {
                Ok(text.with_default(place(text, column)?, Some(&default)))
            })?;
        }
        self.check_integrity(table)
    }

    /// The number of a row has all widths; only its comment says which one was declared.
    fn set_number_type(
        &mut self,
        table: &Altered,
        known: &Column,
        declared: &str,
        new: Option<Typed>,
    ) -> Result<()> {
        let scalar = match new.map(|new| new.ty) {
            Some(Type::One(scalar @ (Scalar::Int2 | Scalar::Int4 | Scalar::Int8))) => scalar,
            _ => {
                let hint = "make another table, and copy the rows";
                let what = format_args!("the type {declared} of a key that SQLite numbers");
                return Err(Error::unsupported(what).hint(hint).into());
            }
        };
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
        let data_type = numbered(scalar.name(), known.is_identity);
        self.rewrite(table, None, |text| Ok(text.with_type(place(text, &known.name)?, &data_type)))
    }

    fn column_of(&self, table: &Altered, column: &str) -> Result<Column> {
        let columns = self.table(&table.name)?;
        let found = columns.into_iter().find(|known| known.name.eq_ignore_ascii_case(column));
        found.ok_or_else(|| {
            let message =
                format!("column \"{column}\" of relation \"{}\" does not exist", table.name);
            Error::new(sqlstate::UNDEFINED_COLUMN, message).into()
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

    /// SQLite's expression for the values that a column gets, as if they were assigned to it.
    fn converted(
        &mut self,
        table: &Altered,
        column: &str,
        declared: &str,
        using: Option<&str>,
    ) -> Result<String> {
        let scratch = quoted_name(&format!("{}{CONVERTED}", table.name));
        let name = quoted_name(column);
        self.run_step(&format!("CREATE TEMP TABLE {scratch} ({name} {declared})"))?;
        self.forget_schema();
        let value = using.unwrap_or(&name);
        let sql = format!("INSERT INTO {scratch} ({name}) SELECT ({value}) FROM {}", table.quoted);
        let analysed = self.analysed(&sql, &[])?;
        let found = analysed.and_then(|one| selected(&one.statement.sql));
        self.run_step(&format!("DROP TABLE temp.{scratch}"))?;
        self.forget_schema();
        found.ok_or_else(|| Error::unsupported("this expression of USING").into())
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
            let message = format!(
                "default for column \"{column}\" cannot be cast automatically to type {wanted}"
            );
            let hint = "drop the default first, and set another one after that";
            Error::new(sqlstate::DATATYPE_MISMATCH, message).hint(hint).into()
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

fn place<'t>(text: &'t TableText<'_>, column: &str) -> Result<&'t ColumnText, Error> {
    text.column(column).ok_or_else(|| Error::unsupported("a change of this column"))
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
