//! The virtual tables: one implementation, and a description of each in `tables.txt`.

use std::rc::Rc;

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::table::{
    Argument, Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan,
};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind, Result, Table, Value};

use crate::catalog::{self, Catalog};
use crate::places::Places;
use crate::{names, rows};

/// The cost of a scan, as SQLite learns it, with and without an equality.
const COSTS: (f64, f64) = (10.0, 1000.0);

const fn module(name: &'static str) -> Module {
    Module::new::<CatalogTable>(name, ModuleKind::EponymousOnly, Innocuous)
}

/// In the order of `tables.txt`.
pub const MODULES: &[Module] = &[
    module("pg_class"),
    module("pg_attribute"),
    module("pg_namespace"),
    module("pg_type"),
    module("pg_index"),
    module("pg_constraint"),
    module("pg_attrdef"),
    module("pg_proc"),
    module("pg_database"),
    module("pg_roles"),
    module("pg_user"),
    module("pg_settings"),
    module("pg_cursors"),
    module("pg_prepared_statements"),
    module("pg_description"),
    module("pg_tables"),
    module("pg_views"),
    module("pg_indexes"),
    module("pg_am"),
    module("pg_collation"),
    module("pg_policy"),
    module("pg_statistic_ext"),
    module("pg_publication"),
    module("pg_publication_rel"),
    module("pg_publication_namespace"),
    module("pg_trigger"),
    module("pg_inherits"),
    module("pg_range"),
    module("pg_enum"),
    module("pg_extension"),
    module("pg_auth_members"),
    module("pg_sequence"),
    module("pg_rewrite"),
    module("pg_depend"),
    module("pg_tablespace"),
    module("pg_foreign_table"),
    module("pg_foreign_server"),
    module("pg_language"),
    module("pg_authid"),
    module("pg_shdescription"),
    module("pg_opclass"),
    module("pg_operator"),
    module("pg_partitioned_table"),
    module("pg_sequences"),
    module("pg_matviews"),
    module("pg_event_trigger"),
    module("pg_cast"),
    module("pg_stat_activity"),
    module("pg_locks"),
    module("pg_init_privs"),
    module("pg_default_acl"),
    module("pg_stat_user_tables"),
    module("pg_statio_all_tables"),
    module("pg_stat_user_indexes"),
    module("pg_policies"),
    module("pg_get_keywords"),
    module("pg_opfamily"),
    module("pg_ts_parser"),
    module("pg_ts_template"),
    module("pg_ts_dict"),
    module("pg_ts_config"),
    module("pg_foreign_data_wrapper"),
    module("pg_conversion"),
    module("pg_transform"),
    module("pg_subscription"),
    module("pg_amop"),
    module("pg_amproc"),
    module("pg_seclabels"),
    module("pg_aggregate"),
    module("pg_shdepend"),
    module("information_schema_tables"),
    module("information_schema_columns"),
    module("information_schema_views"),
    module("information_schema_table_constraints"),
    module("information_schema_key_column_usage"),
    module("information_schema_constraint_column_usage"),
    module("information_schema_referential_constraints"),
    module("information_schema_check_constraints"),
    module("information_schema_schemata"),
    module("information_schema_routines"),
    module("information_schema_sequences"),
    module("information_schema_domains"),
    Module::new::<Places>("pg_places", ModuleKind::EponymousOnly, Innocuous),
];

/// Names of tables, and their columns with types, as PostgreSQL 15 has them.
const TABLES: &str = include_str!("tables.txt");

/// A table of the catalogue.
pub struct CatalogTable {
    name: &'static str,
    columns: Rc<[rows::Column]>,
}

/// The columns of a table.
pub fn columns(name: &str) -> Option<(&'static str, Vec<rows::Column>)> {
    let mut lines = TABLES.lines().filter_map(|line| line.split_once('|'));
    let (name, columns) = lines.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let column = |text: &'static str| {
        let (name, declared) = text.split_once(' ').unwrap_or((text, ""));
        rows::Column { name, declared }
    };
    let system = rows::Column { name: rows::TABLE, declared: "oid hidden" };
    let system = names::own_relation(name).map(|_| system);
    Some((name, columns.split(", ").map(column).chain(system).collect()))
}

impl Table for CatalogTable {
    type Cursor = CatalogCursor;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let (name, columns) =
            columns(&connection.name).ok_or("pgcatalog: there is no such table")?;
        let declared: Vec<_> = columns.iter().map(rows::Column::declaration).collect();
        let declaration = format!("CREATE TABLE x({})", declared.join(", "));
        Ok((Self { name, columns: columns.into() }, declaration))
    }

    /// Equalities are applied loosely: SQLite checks them again.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let mut taken = Vec::new();
        for (place, constraint) in info.constraints.iter().enumerate() {
            let is_plain = constraint.collation.eq_ignore_ascii_case("BINARY");
            let is_equal = matches!(constraint.operator, Operator::Equal);
            if is_equal && is_plain && constraint.usable && constraint.column >= 0 {
                plan.take(place, Check::Again);
                taken.push(constraint.column.to_string());
            }
        }
        plan.cost = if taken.is_empty() { COSTS.1 } else { COSTS.0 / taken.len() as f64 };
        plan.rows = plan.cost as i64 + 1;
        plan.text = Some(taken.join(",").into_bytes());
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<CatalogCursor> {
        Ok(CatalogCursor {
            catalog: catalog::current()?,
            rows: Rc::default(),
            wanted: Vec::new(),
            at: 0,
        })
    }
}

/// A scan.
pub struct CatalogCursor {
    catalog: Rc<Catalog>,
    rows: Rc<[Vec<Value>]>,
    wanted: Vec<(usize, Value)>,
    at: usize,
}

impl Cursor for CatalogCursor {
    type Table = CatalogTable;

    fn filter(&mut self, table: &mut CatalogTable, scan: Scan) -> Result<()> {
        let text = String::from_utf8(scan.text.unwrap_or_default()).unwrap_or_default();
        let columns = text.split(',').filter_map(|column| column.parse().ok());
        let values = scan.arguments.into_iter().filter_map(|argument| match argument {
            Argument::One(value) => Some(value),
            Argument::Every(_) => None,
        });
        self.wanted = columns.zip(values).collect();
        self.rows = self.catalog.rows(table.name, &table.columns);
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, _: &mut CatalogTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        while let Some(values) = self.rows.get(self.at) {
            self.at += 1;
            let fits = |(column, wanted): &(usize, Value)| {
                values.get(*column).is_some_and(|value| may_equal(value, wanted))
            };
            if !self.wanted.iter().all(fits) {
                continue;
            }
            for (column, value) in (0..).zip(values) {
                if row.wants(column) {
                    row.set(column, value.clone());
                }
            }
            return Ok(Some(self.at as i64));
        }
        Ok(None)
    }
}

/// Whether SQLite may find two values equal, whatever affinities it applies.
fn may_equal(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Integer(one), Value::Integer(other)) => one == other,
        (Value::Integer(number), Value::Text(text))
        | (Value::Text(text), Value::Integer(number)) => {
            let text = String::from_utf8_lossy(text);
            text.trim().parse().is_ok_and(|parsed: f64| parsed == *number as f64)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_has_its_columns() {
        for name in TABLES.lines().filter_map(|line| line.split('|').next()) {
            let (_, columns) = columns(name).unwrap();
            assert!(
                columns.iter().all(|column| !column.name.is_empty() && !column.declared.is_empty())
            );
        }
        assert_eq!(TABLES.lines().count() + 1, MODULES.len());
        assert!(columns("nope").is_none());
    }

    #[test]
    fn equality_is_never_denied_where_sqlite_finds_it() {
        assert!(may_equal(&Value::Integer(5), &Value::text("5")));
        assert!(may_equal(&Value::Integer(5), &Value::text(" 5.0 ")));
        assert!(!may_equal(&Value::Integer(5), &Value::text("6")));
        assert!(!may_equal(&Value::text("a"), &Value::Null));
    }
}
