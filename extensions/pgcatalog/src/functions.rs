//! The functions.

mod objects;
mod values;

use sql_tokens::quoted_text;
use sqlite_wasm_kit::Risk::{DirectOnly, Innocuous};
use sqlite_wasm_kit::Stability::{Stable, Volatile};
use sqlite_wasm_kit::{ANY_NUMBER, IntoOutput, Result, Scalar, Value};

use crate::catalog::{self, DATABASE_OWNER, OWNER, OWNER_NAME};
use crate::definitions::{self, quote_ident};
use crate::names;
use crate::portable;
use crate::qualified;
use crate::rows::functions;
use crate::sql_text;
use crate::{arrays, bytes, json, numbers, patterns, texts, times};
use objects::{comment, serial_sequence, set_value};
use values::{
    array_json, array_lower, array_upper, boolean, divisor, escaped_like_glob, integer, length,
    like_glob, no_setting, series_at, series_count, series_number, series_step, subscript,
};

/// A function of anything that is always the same: what SQLite does not have.
macro_rules! constant {
    ($name:literal, $value:expr) => {
        Scalar::new($name, ANY_NUMBER, Stable, Innocuous, |a| a.apply(|| $value))
    };
}

/// A function that reads the catalogue.
macro_rules! reads {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Volatile, DirectOnly, |a| a.apply($function))
    };
}

const CATALOGUE: &[Scalar] = &[
    Scalar::new("format_type", 2, Stable, Innocuous, |a| a.apply(format_type)),
    reads!("pg_get_expr", 2, |text: String| expression(text, 0)),
    reads!("pg_get_expr", 3, |text: String, _: Value, is_pretty: i64| expression(text, is_pretty)),
    Scalar::new("acldefault", 2, Stable, Innocuous, |a| a.apply(objects::default_privileges)),
    reads!("pg_get_indexdef", 1, index_definition),
    reads!("pg_get_indexdef", 3, index_column_definition),
    reads!("pg_get_constraintdef", 1, |oid: i64| constraint_definition(oid, 0)),
    reads!("pg_get_constraintdef", 2, constraint_definition),
    reads!("pg_get_viewdef", 1, view_definition),
    reads!("pg_get_viewdef", 2, view_definition),
    reads!("pg_get_triggerdef", 1, |oid: i64| trigger_definition(oid, 0)),
    reads!("pg_get_triggerdef", 2, trigger_definition),
    reads!("to_regclass", 1, names::to_regclass),
    reads!("obj_description", 1, |oid: i64| comment(oid, 0)),
    reads!("obj_description", 2, described),
    reads!("col_description", 2, column_comment),
    reads!("pg_get_serial_sequence", 2, serial_sequence),
    reads!("setval", 2, |sequence: String, value: i64| set_value(sequence, value, true)),
    reads!("setval", 3, |sequence: String, value: i64, called: i64| {
        set_value(sequence, value, called != 0)
    }),
    reads!("pg_regclass_name", 1, names::regclass_name),
    reads!("pg_violated_key", 1, violated_key),
    Scalar::new("to_regtype", 1, Stable, Innocuous, |a| a.apply(names::to_regtype)),
    Scalar::new("pg_regtype_name", 1, Stable, Innocuous, |a| a.apply(names::regtype_name)),
    Scalar::new("to_regnamespace", 1, Stable, Innocuous, |a| a.apply(names::to_regnamespace)),
    Scalar::new("pg_regnamespace_name", 1, Stable, Innocuous, |a| {
        a.apply(names::regnamespace_name)
    }),
    Scalar::new("to_regrole", 1, Stable, Innocuous, |a| {
        a.apply(|name: String| (name == OWNER_NAME).then_some(OWNER))
    }),
    Scalar::new("to_regproc", 1, Stable, Innocuous, |a| a.apply(names::to_regproc)),
    Scalar::new("to_regprocedure", 1, Stable, Innocuous, |a| a.apply(names::to_regprocedure)),
    Scalar::new("pg_regprocedure_name", 1, Stable, Innocuous, |a| {
        a.apply(names::regprocedure_name)
    }),
    Scalar::new("pg_regproc_name", 1, Stable, Innocuous, |a| a.apply(names::regproc_name)),
    Scalar::new("pg_get_userbyid", 1, Stable, Innocuous, |a| a.apply(user)),
    Scalar::new("pg_encoding_to_char", 1, Stable, Innocuous, |a| a.apply(encoding)),
    Scalar::new("quote_ident", 1, Stable, Innocuous, |a| {
        a.apply(|name: String| quote_ident(&name))
    }),
    Scalar::new("pg_text_format_ident", 1, Stable, Innocuous, |a| {
        a.apply(|name: Option<String>| {
            let none = "22004: null values cannot be formatted as an SQL identifier";
            name.map(|name| quote_ident(&name)).ok_or(none)
        })
    }),
    Scalar::new("quote_literal", 1, Stable, Innocuous, |a| {
        a.apply(|text: String| quote_literal(&text))
    }),
    Scalar::new("pg_text_quote_nullable", 1, Stable, Innocuous, |a| {
        a.apply(|text: Option<String>| {
            text.map_or_else(|| "NULL".to_owned(), |text| quote_literal(&text))
        })
    }),
    Scalar::new("pg_int4_num_nulls", ANY_NUMBER, Stable, Innocuous, |a| {
        (a.values().iter().filter(|value| value.is_null()).count() as i64).into_output()
    }),
    Scalar::new("pg_int4_num_nonnulls", ANY_NUMBER, Stable, Innocuous, |a| {
        (a.values().iter().filter(|value| !value.is_null()).count() as i64).into_output()
    }),
    Scalar::new("pg_int8_limit", 1, Stable, Innocuous, |a| {
        a.apply(|value: Value| rows(value, "2201W: LIMIT must not be negative", -1))
    }),
    Scalar::new("pg_int8_offset", 1, Stable, Innocuous, |a| {
        a.apply(|value: Value| rows(value, "2201X: OFFSET must not be negative", 0))
    }),
    Scalar::new("pg_array_json", 1, Stable, Innocuous, |a| a.apply(array_json)),
    Scalar::new("array_upper", 2, Stable, Innocuous, |a| {
        a.apply(|array: String, _: i64| array_upper(&array))
    }),
    Scalar::new("array_lower", 2, Stable, Innocuous, |a| {
        a.apply(|array: String, _: i64| array_upper(&array).map(|_| array_lower(&array)))
    }),
    Scalar::new("pg_subscript", 2, Stable, Innocuous, |a| a.apply(subscript)),
    Scalar::new("pg_series_at", 4, Stable, Innocuous, |a| a.apply(series_at)),
    Scalar::new("pg_series_count", 3, Stable, Innocuous, |a| a.apply(series_count)),
    Scalar::new("pg_series_number", 1, Stable, Innocuous, |a| a.apply(series_number)),
    Scalar::new("pg_series_step", 1, Stable, Innocuous, |a| a.apply(series_step)),
    Scalar::new("pg_divisor", 1, Stable, Innocuous, |a| a.apply(divisor)),
    // Its error must not come before it is needed.
    Scalar::new("pg_no_setting", 2, Volatile, Innocuous, |a| a.apply(no_setting)),
    Scalar::new("pg_int4_length", 1, Stable, Innocuous, |a| a.apply(length)),
    Scalar::new("pg_like_glob", 1, Stable, Innocuous, |a| a.apply(like_glob)),
    Scalar::new("pg_like_glob", 2, Stable, Innocuous, |a| a.apply(escaped_like_glob)),
    Scalar::new("pg_integer", 1, Stable, Innocuous, |a| a.apply(integer)),
    Scalar::new("pg_boolean", 1, Stable, Innocuous, |a| a.apply(boolean)),
    Scalar::new("pg_size_pretty", 1, Stable, Innocuous, |a| a.apply(size_pretty)),
    Scalar::new("pg_partition_ancestors", 1, Stable, Innocuous, |a| a.apply(|oid: i64| oid)),
    constant!("pg_table_is_visible", true),
    constant!("pg_type_is_visible", true),
    constant!("pg_function_is_visible", true),
    constant!("pg_collation_is_visible", true),
    constant!("pg_operator_is_visible", true),
    constant!("pg_opclass_is_visible", true),
    constant!("pg_opfamily_is_visible", true),
    constant!("pg_conversion_is_visible", true),
    constant!("pg_statistics_obj_is_visible", true),
    constant!("pg_ts_config_is_visible", true),
    constant!("pg_ts_dict_is_visible", true),
    constant!("pg_ts_parser_is_visible", true),
    constant!("pg_ts_template_is_visible", true),
    constant!("has_table_privilege", true),
    constant!("has_any_column_privilege", true),
    constant!("has_column_privilege", true),
    constant!("has_schema_privilege", true),
    constant!("has_database_privilege", true),
    constant!("has_sequence_privilege", true),
    constant!("pg_has_role", true),
    constant!("pg_relation_is_publishable", false),
    constant!("pg_is_in_recovery", false),
    constant!("pg_is_other_temp_schema", false),
    constant!("pg_my_temp_schema", 0),
    constant!("pg_relation_size", 0),
    constant!("pg_table_size", 0),
    constant!("pg_total_relation_size", 0),
    constant!("pg_indexes_size", 0),
    constant!("pg_database_size", 0),
    constant!("current_schema", "public".to_owned()),
    constant!("version", VERSION.to_owned()),
    constant!("shobj_description", None::<String>),
    Scalar::new("pg_get_function_result", 1, Stable, Innocuous, |a| {
        a.apply(|oid: i64| functions::of_oid(oid).map(|one| one.returned()))
    }),
    Scalar::new("pg_get_function_arguments", 1, Stable, Innocuous, |a| {
        a.apply(|oid: i64| functions::of_oid(oid).map(|one| one.shown()))
    }),
    Scalar::new("pg_get_function_identity_arguments", 1, Stable, Innocuous, |a| {
        a.apply(|oid: i64| functions::of_oid(oid).map(|one| one.identity()))
    }),
    constant!("pg_get_functiondef", None::<String>),
    constant!("pg_get_function_sqlbody", None::<String>),
    constant!("pg_get_partkeydef", None::<String>),
    constant!("pg_get_ruledef", None::<String>),
    constant!("pg_get_statisticsobjdef_columns", None::<String>),
    constant!("pg_tablespace_location", None::<String>),
];

const LISTS: &[&[Scalar]] = &[
    CATALOGUE,
    numbers::CASTS,
    numbers::FLOATS,
    numbers::INTEGERS,
    numbers::NUMERIC,
    json::BUILD,
    json::CHANGE,
    json::READ,
    json::SEARCH,
    arrays::CHANGE,
    arrays::SEARCH,
    bytes::SCALARS,
    patterns::SCALARS,
    texts::SCALARS,
    times::CASTS,
    times::FIELDS,
    times::FUNCTIONS,
];

/// All of them.
pub const SCALARS: &[Scalar] = &joined::<Scalar, { count(LISTS) }>(LISTS);

pub const fn count<T>(lists: &[&[T]]) -> usize {
    let (mut list, mut sum) = (0, 0);
    while list < lists.len() {
        sum += lists[list].len();
        list += 1;
    }
    sum
}

/// Several lists as one.
pub const fn joined<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[at] = lists[list][index];
            (index, at) = (index + 1, at + 1);
        }
        list += 1;
    }
    all
}

/// What `version()` is.
const VERSION: &str = "PostgreSQL 15.0 (sqlite-wasm-run, SQLite in WebAssembly)";

/// An expression, and as psql shows it. The name of a sequence has its schema, where it needs one.
fn expression(text: String, is_pretty: i64) -> String {
    let text = match text.strip_prefix("nextval('") {
        Some(sequence) => format!("nextval('{}{sequence}", qualified::prefix()),
        None => text,
    };
    if is_pretty != 0 { portable::expression(&text) } else { portable::element(&text) }
}

fn format_type(oid: i64, modifier: Option<i64>) -> String {
    definitions::type_text(oid, modifier.unwrap_or(-1))
}

fn index_definition(oid: i64) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    Ok(catalog
        .index(oid)
        .map(|(at, index)| definitions::index(&catalog.relations[at], index, false)))
}

/// The definition of a column of an index; of the index itself for column 0.
fn index_column_definition(oid: i64, column: i64, is_pretty: i64) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    if column == 0 {
        let found = catalog.index(oid);
        let definition = |(at, index): (usize, usize)| {
            definitions::index(&catalog.relations[at], index, is_pretty != 0)
        };
        return Ok(found.map(definition));
    }
    Ok(catalog.index(oid).and_then(|(at, index)| {
        let place = usize::try_from(column).ok()?.checked_sub(1)?;
        definitions::index_column(&catalog.relations[at], index, place)
    }))
}

fn constraint_definition(oid: i64, is_pretty: i64) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    let constraint = catalog.constraints.iter().find(|constraint| constraint.oid == oid);
    let definition = |constraint| definitions::constraint(&catalog, constraint, is_pretty != 0);
    Ok(constraint.map(definition))
}

fn view_definition(view: Value) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    let at = match &view {
        Value::Text(name) => catalog.named(&String::from_utf8_lossy(name)),
        other => catalog.relation(other.to_integer()),
    };
    let view = at.map(|at| &catalog.relations[at]).filter(|relation| relation.is_view);
    Ok(view.map(|view| {
        let query = sql_text::view_query(&view.sql);
        format!(" {};", portable::query(&qualified::query_text(&catalog, &query)))
    }))
}

/// A trigger, or its text as psql shows it. The OIDs of triggers follow that of their table.
fn trigger_definition(oid: i64, is_pretty: i64) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    let found = catalog.oids.iter().zip(&catalog.relations).find_map(|(table, relation)| {
        let number = usize::try_from(oid.checked_sub(*table)?.checked_sub(1)?).ok()?;
        Some((relation, relation.triggers.get(number)?))
    });
    Ok(found.map(|(relation, (name, sql))| {
        if is_pretty != 0 { sql.clone() } else { definitions::trigger(&relation.name, name, sql) }
    }))
}

/// The unique index that SQLite's message names by its columns: `t.a, t.b`. Of several the first.
fn violated_key(subject: String) -> Result<Option<String>> {
    let catalog = catalog::current()?;
    let indexes = catalog.relations.iter().flat_map(|relation| {
        relation.indexes.iter().filter(|index| index.is_unique).map(move |index| (relation, index))
    });
    let mut found = indexes.filter(|(relation, index)| {
        let column = |(at, _): &(Option<usize>, bool)| {
            Some(format!("{}.{}", relation.name, relation.columns.get((*at)?)?.name))
        };
        let columns: Option<Vec<_>> = index.columns.iter().map(column).collect();
        columns.is_some_and(|columns| columns.join(", ") == subject)
    });
    Ok(found.next().map(|(_, index)| index.name.clone()))
}

/// Only tables and columns have comments.
fn described(oid: i64, catalog: String) -> Result<Option<String>> {
    if catalog == "pg_class" { comment(oid, 0) } else { Ok(None) }
}

fn column_comment(oid: i64, number: i64) -> Result<Option<String>> {
    if number > 0 { comment(oid, number) } else { Ok(None) }
}

fn user(oid: i64) -> String {
    match oid {
        OWNER => OWNER_NAME.to_owned(),
        DATABASE_OWNER => "pg_database_owner".to_owned(),
        oid => format!("unknown (OID={oid})"),
    }
}

fn encoding(number: i64) -> String {
    if number == 6 { "UTF8" } else { "" }.to_owned()
}

fn quote_literal(text: &str) -> String {
    let quoted = quoted_text(text);
    if quoted.contains('\\') { format!("E{}", quoted.replace('\\', "\\\\")) } else { quoted }
}

/// A count of rows; `none` for NULL.
fn rows(value: Value, negative: &str, none: i64) -> Result<i64> {
    match integer(value)? {
        Some(..0) => Err(negative.into()),
        given => Ok(given.unwrap_or(none)),
    }
}

fn size_pretty(size: i64) -> String {
    let mut size = size;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if size.abs() < 10_240 {
            return format!("{size} {unit}");
        }
        size = (size + 512) / 1024;
    }
    format!("{size} TB")
}
