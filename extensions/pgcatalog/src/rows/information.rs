//! The tables of `information_schema`.

use sqlite_wasm_kit::Value;

use super::keys::{constrained, deferral, key_index, typed_default};
use super::types::{category, type_name, typed};
use super::{Cells, int, relations, sequences, text};
use crate::catalog::{Catalog, Constraint, OWNER_NAME};
use crate::portable;
use crate::schema::{Column as SchemaColumn, Relation};
use postgres_types::{Scalar, Type, Typed};

/// The rows of a table; empty if SQLite has nothing for it.
pub fn cells(catalog: &Catalog, table: &str) -> Vec<Cells> {
    match table {
        "information_schema_tables" => information_tables(catalog),
        "information_schema_columns" => information_columns(catalog),
        "information_schema_views" => information_views(catalog),
        "information_schema_schemata" => schemata(catalog),
        "information_schema_table_constraints" => table_constraints(catalog),
        "information_schema_key_column_usage" => key_column_usage(catalog),
        "information_schema_constraint_column_usage" => constraint_column_usage(catalog),
        "information_schema_referential_constraints" => referential_constraints(catalog),
        "information_schema_check_constraints" => check_constraints(catalog),
        "information_schema_sequences" => sequences::information(catalog),
        _ => Vec::new(),
    }
}

fn yes_or_no(is_so: bool) -> Value {
    text(if is_so { "YES" } else { "NO" })
}

/// Whose it is, as `information_schema` says it: names of the three columns.
fn owned(catalog: &Catalog, names: [&'static str; 3], name: &str) -> Cells {
    vec![(names[0], text(&catalog.database)), (names[1], text("public")), (names[2], text(name))]
}

const TABLE: [&str; 3] = ["table_catalog", "table_schema", "table_name"];
const CONSTRAINT: [&str; 3] = ["constraint_catalog", "constraint_schema", "constraint_name"];

fn information_tables(catalog: &Catalog) -> Vec<Cells> {
    let cells = |relation: &Relation| -> Cells {
        let mut cells = owned(catalog, TABLE, &relation.name);
        cells.push(("table_type", text(if relation.is_view { "VIEW" } else { "BASE TABLE" })));
        cells.push(("is_insertable_into", yes_or_no(!relation.is_view)));
        cells.push(("is_typed", yes_or_no(false)));
        cells
    };
    catalog.relations.iter().map(cells).collect()
}

fn information_views(catalog: &Catalog) -> Vec<Cells> {
    let cells = |relation: &Relation| -> Cells {
        let mut cells = owned(catalog, TABLE, &relation.name);
        cells.push(("view_definition", text(crate::sql_text::view_query(&relation.sql))));
        cells.push(("is_updatable", yes_or_no(false)));
        cells.push(("is_insertable_into", yes_or_no(false)));
        cells
    };
    relations(catalog, true).map(|(_, relation)| cells(relation)).collect()
}

fn information_columns(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for relation in &catalog.relations {
        for (index, column) in relation.columns.iter().enumerate() {
            found.push(information_column(catalog, relation, index, column));
        }
    }
    found
}

fn information_column(
    catalog: &Catalog,
    relation: &Relation,
    index: usize,
    column: &SchemaColumn,
) -> Cells {
    let typed = typed(column);
    let name = match typed.ty {
        Type::Array(_) => "ARRAY".to_owned(),
        Type::One(scalar) => scalar.name().to_owned(),
    };
    let is_null = !column.is_not_null && column.key == 0;
    let mut cells = owned(catalog, TABLE, &relation.name);
    cells.extend([
        ("column_name", text(&column.name)),
        ("ordinal_position", int(index + 1)),
        (
            "column_default",
            column
                .default
                .as_deref()
                .map_or(Value::Null, |one| text(portable::element(&typed_default(one, column)))),
        ),
        ("is_nullable", yes_or_no(is_null)),
        ("data_type", text(name)),
        ("udt_catalog", text(&catalog.database)),
        ("udt_schema", text("pg_catalog")),
        ("udt_name", text(udt_name(typed.ty))),
        ("dtd_identifier", text((index + 1).to_string())),
        ("is_self_referencing", yes_or_no(false)),
        ("generation_expression", column.expression.as_deref().map_or(Value::Null, text)),
        ("is_generated", text(if column.is_generated { "ALWAYS" } else { "NEVER" })),
        ("is_updatable", yes_or_no(!relation.is_view)),
    ]);
    cells.extend(sequences::identity(relation, index));
    for name in [
        "character_maximum_length",
        "character_octet_length",
        "numeric_precision",
        "numeric_precision_radix",
        "numeric_scale",
        "datetime_precision",
        "interval_precision",
        "maximum_cardinality",
    ] {
        cells.push((name, measure(typed, name).map_or(Value::Null, int)));
    }
    cells
}

/// `pg_type.typname`.
fn udt_name(ty: Type) -> String {
    let line = if matches!(ty, Type::Array(_)) { "_" } else { "" };
    format!("{line}{}", type_name(ty.scalar()))
}

/// Lengths and digits of a type.
fn measure(typed: Typed, name: &str) -> Option<i64> {
    let modifier = i64::from(typed.modifier);
    let scalar = match typed.ty {
        Type::One(scalar) => scalar,
        Type::Array(_) => return None,
    };
    match (name, scalar) {
        ("character_maximum_length", Scalar::Varchar | Scalar::Bpchar) if modifier >= 4 => {
            Some(modifier - 4)
        }
        ("character_octet_length", Scalar::Varchar | Scalar::Bpchar) if modifier >= 4 => {
            Some((modifier - 4) * 4)
        }
        ("character_octet_length", Scalar::Text | Scalar::Varchar | Scalar::Bpchar) => {
            Some(1 << 30)
        }
        ("numeric_precision", Scalar::Int2) => Some(16),
        ("numeric_precision", Scalar::Int4) => Some(32),
        ("numeric_precision", Scalar::Int8) => Some(64),
        ("numeric_precision", Scalar::Float4) => Some(24),
        ("numeric_precision", Scalar::Float8) => Some(53),
        ("numeric_precision", Scalar::Numeric) if modifier >= 4 => Some((modifier - 4) >> 16),
        ("numeric_scale", Scalar::Int2 | Scalar::Int4 | Scalar::Int8) => Some(0),
        ("numeric_scale", Scalar::Numeric) => typed.scale().map(|scale| scale as i64),
        ("numeric_precision_radix", Scalar::Numeric) => Some(10),
        ("numeric_precision_radix", scalar) if category(scalar) == "N" => Some(2),
        ("datetime_precision", Scalar::Date) => Some(0),
        ("datetime_precision", scalar) if category(scalar) == "D" => {
            Some(if modifier >= 0 { modifier } else { 6 })
        }
        _ => None,
    }
}

fn schemata(catalog: &Catalog) -> Vec<Cells> {
    let cells = |name: &str| -> Cells {
        vec![
            ("catalog_name", text(&catalog.database)),
            ("schema_name", text(name)),
            ("schema_owner", text(OWNER_NAME)),
        ]
    };
    ["public", "pg_catalog", "information_schema"].map(cells).into()
}

fn table_constraints(catalog: &Catalog) -> Vec<Cells> {
    let cells = |constraint: &Constraint| -> Cells {
        let kind = match constraint.kind {
            "p" => "PRIMARY KEY",
            "u" => "UNIQUE",
            "f" => "FOREIGN KEY",
            _ => "CHECK",
        };
        let mut cells = owned(catalog, CONSTRAINT, &constraint.name);
        cells.extend(owned(catalog, TABLE, &catalog.relations[constraint.relation].name));
        cells.push(("constraint_type", text(kind)));
        let relation = &catalog.relations[constraint.relation];
        let (is_deferrable, is_deferred) = deferral(relation, constraint);
        cells.push(("is_deferrable", yes_or_no(is_deferrable)));
        cells.push(("initially_deferred", yes_or_no(is_deferred)));
        cells.push(("enforced", yes_or_no(true)));
        cells
    };
    catalog.constraints.iter().map(cells).collect()
}

fn key_column_usage(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for constraint in catalog.constraints.iter().filter(|constraint| constraint.kind != "c") {
        for (index, column) in constrained(catalog, constraint).iter().enumerate() {
            let mut cells = owned(catalog, CONSTRAINT, &constraint.name);
            cells.extend(owned(catalog, TABLE, &catalog.relations[constraint.relation].name));
            cells.push(("column_name", text(column)));
            cells.push(("ordinal_position", int(index + 1)));
            let is_foreign = constraint.kind == "f";
            let position = if is_foreign { int(index + 1) } else { Value::Null };
            cells.push(("position_in_unique_constraint", position));
            found.push(cells);
        }
    }
    found
}

/// The columns that a constraint is about: of a foreign key those that it refers to.
fn constraint_column_usage(catalog: &Catalog) -> Vec<Cells> {
    let mut found = Vec::new();
    for constraint in &catalog.constraints {
        let relation = &catalog.relations[constraint.relation];
        let (table, columns) = match constraint.kind {
            "f" => {
                let key = &relation.foreign_keys[constraint.index];
                (key.table.clone(), catalog.referred(key).1)
            }
            _ => (relation.name.clone(), constrained(catalog, constraint)),
        };
        for column in columns {
            let mut cells = owned(catalog, TABLE, &table);
            cells.push(("column_name", text(column)));
            cells.extend(owned(catalog, CONSTRAINT, &constraint.name));
            found.push(cells);
        }
    }
    found
}

fn referential_constraints(catalog: &Catalog) -> Vec<Cells> {
    const UNIQUE: [&str; 3] =
        ["unique_constraint_catalog", "unique_constraint_schema", "unique_constraint_name"];
    let cells = |constraint: &Constraint| -> Cells {
        let key = &catalog.relations[constraint.relation].foreign_keys[constraint.index];
        let (at, columns) = catalog.referred(key);
        let unique =
            at.and_then(|at| unique_key(&catalog.relations[at], &columns)).unwrap_or_default();
        let mut cells = owned(catalog, CONSTRAINT, &constraint.name);
        cells.extend(owned(catalog, UNIQUE, &unique));
        cells.push(("match_option", text("NONE")));
        cells.push(("update_rule", text(&key.on_update)));
        cells.push(("delete_rule", text(&key.on_delete)));
        cells
    };
    catalog.constraints.iter().filter(|constraint| constraint.kind == "f").map(cells).collect()
}

/// The name of the key with these columns.
fn unique_key(relation: &Relation, columns: &[String]) -> Option<String> {
    key_index(relation, columns).map(|at| relation.indexes[at].name.clone())
}

fn check_constraints(catalog: &Catalog) -> Vec<Cells> {
    let cells = |constraint: &Constraint| -> Cells {
        let check = &catalog.relations[constraint.relation].checks[constraint.index];
        let mut cells = owned(catalog, CONSTRAINT, &constraint.name);
        cells.push(("check_clause", text(format!("({})", check.expression))));
        cells
    };
    catalog.constraints.iter().filter(|constraint| constraint.kind == "c").map(cells).collect()
}
