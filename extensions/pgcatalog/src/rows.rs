//! The rows of each table. A column that is not named has the value of nothing: 0, false or NULL.

mod depend;
pub mod functions;
mod information;
mod keys;
mod keywords;
pub mod other_types;
mod sequences;
mod type_functions;
mod types;

use sqlite_wasm_kit::Value;

use crate::catalog::{
    Catalog, DATABASE_OWNER, INFORMATION_SCHEMA, OWNER, OWNER_NAME, PG_CATALOG, PUBLIC,
};
use crate::comments::Numbering;
use crate::definitions;
use crate::schema::{Column as SchemaColumn, Relation};
use keys::{constraints, defaults, indexes};
use postgres_types::Type;
use types::{C_COLLATION, DEFAULT_COLLATION, collation_of, storage, typed, types};

/// The access methods of tables and of indexes.
const HEAP: i64 = 2;
const BTREE: i64 = 403;

/// The tables of the session, which only the server of the Postgres wire has.
pub const OF_SESSION: [&str; 3] = ["pg_settings", "pg_cursors", "pg_prepared_statements"];

/// The column of PostgreSQL's own tables that `*` does not show.
pub const TABLE: &str = "tableoid";

/// A column of a table of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub declared: &'static str,
}

impl Column {
    /// As CREATE TABLE has it.
    pub fn declaration(&self) -> String {
        format!("\"{}\" {}", self.name, self.declared)
    }

    /// What a row has that says nothing of it.
    fn nothing(&self) -> Value {
        match self.declared {
            "boolean" | "oid" | "regproc" | "smallint" | "integer" | "bigint" | "real" | "int"
            | "xid" => Value::Integer(0),
            "\"char\"" | "name" => Value::text(""),
            _ => Value::Null,
        }
    }
}

/// Values of a row, by the names of their columns.
type Cells = Vec<(&'static str, Value)>;

fn text(text: impl Into<String>) -> Value {
    Value::text(text)
}

fn int(number: impl TryInto<i64>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}

fn yes(is_so: bool) -> Value {
    Value::Integer(is_so.into())
}

/// The rows of a table.
pub fn of(catalog: &Catalog, table: &str, columns: &[Column]) -> Vec<Vec<Value>> {
    if OF_SESSION.contains(&table) {
        return of_session(table, columns);
    }
    let system = crate::names::own_relation(table).map(|oid| (TABLE, int(oid)));
    let complete = |cells: Cells| row(columns, &cells.into_iter().chain(system.clone()).collect());
    cells(catalog, table).into_iter().map(complete).collect()
}

fn row(columns: &[Column], cells: &Cells) -> Vec<Value> {
    let value = |column: &Column| {
        let named = cells.iter().find(|(name, _)| *name == column.name);
        named.map_or_else(|| column.nothing(), |(_, value)| value.clone())
    };
    columns.iter().map(value).collect()
}

fn cells(catalog: &Catalog, table: &str) -> Vec<Cells> {
    match table {
        "pg_class" => classes(catalog),
        "pg_attribute" => attributes(catalog),
        "pg_namespace" => namespaces(),
        "pg_type" => types(),
        "pg_proc" => functions::rows(),
        "pg_index" => indexes(catalog),
        "pg_constraint" => constraints(catalog),
        "pg_attrdef" => defaults(catalog),
        "pg_database" => vec![database(catalog)],
        "pg_user" => vec![role(OWNER, OWNER_NAME)],
        // The owner of `public` is a role too.
        "pg_roles" | "pg_authid" => {
            vec![role(OWNER, OWNER_NAME), role(DATABASE_OWNER, "pg_database_owner")]
        }
        "pg_am" => vec![access_method(HEAP, "heap", "t"), access_method(BTREE, "btree", "i")],
        "pg_collation" => {
            vec![collation(DEFAULT_COLLATION, "default"), collation(C_COLLATION, "C")]
        }
        "pg_tables" => relations(catalog, false).map(|(_, relation)| pg_table(relation)).collect(),
        "pg_views" => relations(catalog, true).map(|(_, relation)| pg_view(relation)).collect(),
        "pg_indexes" => pg_indexes(catalog),
        "pg_trigger" => triggers(catalog),
        "pg_description" => descriptions(catalog),
        "pg_sequence" => sequences::sequences(catalog),
        "pg_sequences" => sequences::shown(catalog),
        "pg_depend" => depend::dependencies(catalog),
        "pg_rewrite" => depend::rules(catalog),
        "pg_get_keywords" => keywords::keywords(),
        "pg_tablespace" => vec![vec![
            ("oid", int(1663)),
            ("spcname", text("pg_default")),
            ("spcowner", int(OWNER)),
        ]],
        "pg_language" => {
            let language = |(oid, name): (i64, &str)| -> Cells {
                vec![("oid", int(oid)), ("lanname", text(name)), ("lanowner", int(OWNER))]
            };
            [(12, "internal"), (14, "sql")].map(language).into()
        }
        "pg_stat_user_tables" | "pg_statio_all_tables" => {
            relations(catalog, false).map(|(oid, relation)| statistics(oid, relation)).collect()
        }
        table => information::cells(catalog, table),
    }
}

/// The rows of a table of the session, which the server sends as objects of JSON.
fn of_session(table: &str, columns: &[Column]) -> Vec<Vec<Value>> {
    let names: Vec<_> =
        columns.iter().map(|column| format!("value ->> '{}'", column.name)).collect();
    let sql = format!("SELECT {} FROM json_each(pg_session('{table}'))", names.join(", "));
    let rows = crate::schema::query(&sql, None).unwrap_or_default();
    let value = |(value, column): (Value, &Column)| match value {
        Value::Null => column.nothing(),
        value => value,
    };
    rows.into_iter().map(|row| row.into_iter().zip(columns).map(value).collect()).collect()
}

fn relations(catalog: &Catalog, views: bool) -> impl Iterator<Item = (i64, &Relation)> {
    let pairs = catalog.oids.iter().copied().zip(&catalog.relations);
    pairs.filter(move |(_, relation)| relation.is_view == views)
}

/// Postgres checks foreign keys by triggers, and psql shows them only where there are some.
fn has_triggers(catalog: &Catalog, relation: &Relation) -> bool {
    let refers = |other: &Relation| {
        other.foreign_keys.iter().any(|key| key.table.eq_ignore_ascii_case(&relation.name))
    };
    !relation.triggers.is_empty()
        || !relation.foreign_keys.is_empty()
        || catalog.relations.iter().any(refers)
}

fn classes(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (at, relation) in catalog.relations.iter().enumerate() {
        let cells: Cells = vec![
            ("oid", int(catalog.oids[at])),
            ("relname", text(&relation.name)),
            ("relnamespace", int(PUBLIC)),
            ("relowner", int(OWNER)),
            ("relam", int(if relation.is_view { 0 } else { HEAP })),
            ("relfilenode", int(catalog.oids[at])),
            ("reltuples", Value::Real(-1.0)),
            ("relhasindex", yes(!relation.indexes.is_empty())),
            ("relpersistence", text("p")),
            ("relkind", text(if relation.is_view { "v" } else { "r" })),
            ("relnatts", int(relation.columns.len())),
            ("relchecks", int(relation.checks.len())),
            ("relhasrules", yes(relation.is_view)),
            ("relhastriggers", yes(has_triggers(catalog, relation))),
            ("relispopulated", yes(true)),
            ("relreplident", text(if relation.is_view { "n" } else { "d" })),
        ];
        found.push(cells);
        for (index, oid) in relation.indexes.iter().zip(&catalog.index_oids[at]) {
            found.push(vec![
                ("oid", int(*oid)),
                ("relname", text(&index.name)),
                ("relnamespace", int(PUBLIC)),
                ("relowner", int(OWNER)),
                ("relam", int(BTREE)),
                ("relfilenode", int(*oid)),
                ("relpersistence", text("p")),
                ("relkind", text("i")),
                ("relnatts", int(index.columns.len())),
                ("relispopulated", yes(true)),
                ("relreplident", text("n")),
            ]);
        }
    }
    found.extend(sequences::classes(catalog));
    found
}

/// The comments on tables and columns, as objects of `pg_class`.
fn descriptions(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (oid, relation) in catalog.oids.iter().zip(&catalog.relations) {
        let columns = relation.columns.iter().map(|column| &column.comment);
        for (number, comment) in std::iter::once(&relation.comment).chain(columns).enumerate() {
            let Some(comment) = comment else { continue };
            found.push(vec![
                ("objoid", int(*oid)),
                ("classoid", int(1259)),
                ("objsubid", int(number)),
                ("description", text(comment)),
            ]);
        }
    }
    found
}

fn attributes(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (at, relation) in catalog.relations.iter().enumerate() {
        for (index, column) in relation.columns.iter().enumerate() {
            found.push(attribute(
                catalog.oids[at],
                index,
                column,
                !relation.is_view && (column.default.is_some() || column.expression.is_some()),
            ));
        }
        for (index, oid) in relation.indexes.iter().zip(&catalog.index_oids[at]) {
            for (place, (column, _)) in index.columns.iter().enumerate() {
                let name = definitions::expression_name(&index.sql, place);
                let unnamed = SchemaColumn { name, ..SchemaColumn::default() };
                let column =
                    column.and_then(|column| relation.columns.get(column)).unwrap_or(&unnamed);
                let (is_not_null, is_generated) = (false, false);
                let (key, numbering) = (0, None);
                let column =
                    SchemaColumn { is_not_null, is_generated, key, numbering, ..column.clone() };
                found.push(attribute(*oid, place, &column, false));
            }
        }
    }
    found
}

fn attribute(oid: i64, index: usize, column: &SchemaColumn, has_default: bool) -> Cells {
    let typed = typed(column);
    let is_fixed = typed.ty.size() >= 0;
    let identity = match column.numbering {
        Some(Numbering::Always) => "a",
        Some(Numbering::ByDefault) => "d",
        _ => "",
    };
    vec![
        ("attrelid", int(oid)),
        ("attname", text(&column.name)),
        ("atttypid", int(typed.ty.oid())),
        ("attstattarget", int(-1)),
        ("attlen", int(typed.ty.size())),
        ("attnum", int(index + 1)),
        ("attcacheoff", int(-1)),
        ("atttypmod", int(typed.modifier)),
        ("attndims", int(u8::from(matches!(typed.ty, Type::Array(_))))),
        ("attbyval", yes(is_fixed && typed.ty.size() <= 8)),
        ("attalign", text(if is_fixed { "i" } else { "d" })),
        ("attstorage", text(storage(typed.ty))),
        ("attnotnull", yes(column.is_not_null || column.key > 0)),
        ("atthasdef", yes(has_default)),
        ("attgenerated", text(if column.is_generated { "s" } else { "" })),
        ("attidentity", text(identity)),
        ("attislocal", yes(true)),
        ("attcollation", int(collation_of(typed.ty.scalar()))),
    ]
}

fn namespaces() -> Vec<Cells> {
    let owner = |oid| if oid == PUBLIC { DATABASE_OWNER } else { OWNER };
    let namespace = |(oid, name): (i64, &str)| -> Cells {
        vec![("oid", int(oid)), ("nspname", text(name)), ("nspowner", int(owner(oid)))]
    };
    let all = [
        (PG_CATALOG, "pg_catalog"),
        (PUBLIC, "public"),
        (INFORMATION_SCHEMA, "information_schema"),
    ];
    all.map(namespace).into()
}

fn database(catalog: &Catalog) -> Cells {
    vec![
        ("oid", int(5)),
        ("datname", text(&catalog.database)),
        ("datdba", int(OWNER)),
        ("encoding", int(6)),
        ("datlocprovider", text("c")),
        ("datallowconn", yes(true)),
        ("datconnlimit", int(-1)),
        ("dattablespace", int(1663)),
        ("datcollate", text("C")),
        ("datctype", text("C")),
    ]
}

fn role(oid: i64, name: &str) -> Cells {
    vec![
        ("oid", int(oid)),
        ("usesysid", int(oid)),
        ("rolname", text(name)),
        ("usename", text(name)),
        ("rolinherit", yes(true)),
        ("rolcanlogin", yes(oid == OWNER)),
        ("rolconnlimit", int(-1)),
        ("rolpassword", text("********")),
        ("passwd", text("********")),
    ]
}

fn access_method(oid: i64, name: &str, kind: &str) -> Cells {
    vec![("oid", int(oid)), ("amname", text(name)), ("amtype", text(kind))]
}

fn collation(oid: i64, name: &str) -> Cells {
    vec![
        ("oid", int(oid)),
        ("collname", text(name)),
        ("collnamespace", int(PG_CATALOG)),
        ("collowner", int(OWNER)),
        ("collisdeterministic", yes(true)),
        ("collencoding", int(-1)),
    ]
}

fn pg_table(relation: &Relation) -> Cells {
    vec![
        ("schemaname", text("public")),
        ("tablename", text(&relation.name)),
        ("tableowner", text(OWNER_NAME)),
        ("hasindexes", yes(!relation.indexes.is_empty())),
        ("hastriggers", yes(!relation.triggers.is_empty())),
    ]
}

fn pg_view(relation: &Relation) -> Cells {
    vec![
        ("schemaname", text("public")),
        ("viewname", text(&relation.name)),
        ("viewowner", text(OWNER_NAME)),
        ("definition", text(crate::sql_text::view_query(&relation.sql))),
    ]
}

fn pg_indexes(catalog: &Catalog) -> Vec<Cells> {
    let of = |relation: &Relation| -> Vec<Cells> {
        let cells = |index: usize| -> Cells {
            vec![
                ("schemaname", text("public")),
                ("tablename", text(&relation.name)),
                ("indexname", text(&relation.indexes[index].name)),
                ("indexdef", text(definitions::index(relation, index, false))),
            ]
        };
        (0..relation.indexes.len()).map(cells).collect()
    };
    catalog.relations.iter().flat_map(of).collect()
}

fn triggers(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for (oid, relation) in catalog.oids.iter().zip(&catalog.relations) {
        for (number, (name, _)) in relation.triggers.iter().enumerate() {
            found.push(vec![
                ("oid", int(oid.wrapping_add(number as i64 + 1))),
                ("tgrelid", int(*oid)),
                ("tgname", text(name)),
                ("tgenabled", text("O")),
            ]);
        }
    }
    found
}

fn statistics(oid: i64, relation: &Relation) -> Cells {
    vec![("relid", int(oid)), ("schemaname", text("public")), ("relname", text(&relation.name))]
}
