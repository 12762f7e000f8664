//! pgcatalog: Postgres' catalogue of a SQLite database.
//!
//! - tables by their names alone: `pg_class`, `pg_attribute`, `pg_type`, `pg_index`,
//!   `pg_constraint`, … and `information_schema_tables`, `_columns`, …: the columns are those
//!   of PostgreSQL 15 (`tables.txt`); what SQLite does not have has no rows
//! - functions that programs call about them: `format_type`, `pg_get_expr`, `pg_get_indexdef`,
//!   `pg_get_constraintdef`, `pg_get_viewdef`, `pg_table_is_visible`, `to_regclass`,
//!   `obj_description`, `quote_ident`, …
//! - functions that translated SQL needs: `pg_integer`, `pg_boolean`, `pg_like_glob`, `pg_regex`,
//!   `pg_array_json`, `pg_subscript`, `pg_series_at`, and the table `pg_places`
//!
//! An OID is a hash of what an object is and its name, so it is the same on each connection,
//! after VACUUM and in a copy; two names with the same hash take the next free one, in the order
//! of their names. Types and schemas have Postgres' own.
//!
//! Tables, columns and indexes are those of `main`. It needs the grant `sql:ro`.

mod arrays;
mod bytes;
mod catalog;
mod clauses;
mod comments;
mod definitions;
mod functions;
mod json;
mod names;
mod numbers;
mod patterns;
mod places;
mod portable;
mod qualified;
mod rows;
mod schema;
mod single;
mod sql_text;
mod table;
mod texts;
mod times;

use sqlite_wasm_kit::{AggregateFunction, Need};

const LISTS: &[&[AggregateFunction]] =
    &[numbers::AGGREGATES, json::AGGREGATES, single::AGGREGATES, times::AGGREGATES];

const AGGREGATES: [AggregateFunction; functions::count(LISTS)] = functions::joined(LISTS);

sqlite_wasm_kit::extension! {
    name: "pgcatalog",
    description: "Postgres' catalogue of a SQLite database",
    scalars: functions::SCALARS,
    aggregates: &AGGREGATES,
    collations: &[numbers::COLLATIONS[0], json::COLLATIONS[0], times::COLLATIONS[0]],
    modules: table::MODULES,
    needs: &[Need::SqlReadOnly],
}
