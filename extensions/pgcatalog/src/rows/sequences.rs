//! The sequences of keys that SQLite numbers: PostgreSQL makes one for `serial`, and one for an identity column.

use sqlite_wasm_kit::Value;

use super::types::{type_name, typed};
use super::{Cells, int, text, yes};
use crate::catalog::{Catalog, OWNER, OWNER_NAME, PUBLIC};
use crate::comments::Numbering;
use crate::schema::Relation;
use postgres_types::{Scalar, Type};

/// A sequence: its OID, the OID of its table, the table, and its column.
pub struct Sequence<'a> {
    pub oid: i64,
    pub table: i64,
    pub relation: &'a Relation,
    name: String,
    pub column: usize,
}

pub fn all(catalog: &Catalog) -> impl Iterator<Item = Sequence<'_>> {
    catalog.relations.iter().enumerate().filter_map(|(at, relation)| {
        let (name, column) = relation.sequence()?;
        let (oid, table) = (catalog.sequence_oids[at]?, catalog.oids[at]);
        Some(Sequence { oid, table, relation, name, column })
    })
}

impl Sequence<'_> {
    fn scalar(&self) -> Scalar {
        typed(&self.relation.columns[self.column]).ty.scalar()
    }

    fn last(&self) -> i64 {
        match self.scalar() {
            Scalar::Int2 => i16::MAX.into(),
            Scalar::Int4 => i32::MAX.into(),
            _ => i64::MAX,
        }
    }
}

/// Those of `pg_class`.
pub fn classes(catalog: &Catalog) -> Vec<Cells> {
    let class = |sequence: Sequence<'_>| -> Cells {
        vec![
            ("oid", int(sequence.oid)),
            ("relname", text(&sequence.name)),
            ("relnamespace", int(PUBLIC)),
            ("relowner", int(OWNER)),
            ("relfilenode", int(sequence.oid)),
            ("reltuples", Value::Real(1.0)),
            ("relpages", int(1)),
            ("relpersistence", text("p")),
            ("relkind", text("S")),
            ("relnatts", int(3)),
            ("relispopulated", yes(true)),
            ("relreplident", text("n")),
        ]
    };
    all(catalog).map(class).collect()
}

/// `pg_sequence`.
pub fn sequences(catalog: &Catalog) -> Vec<Cells> {
    let row = |sequence: Sequence<'_>| -> Cells {
        vec![
            ("seqrelid", int(sequence.oid)),
            ("seqtypid", int(Type::One(sequence.scalar()).oid())),
            ("seqstart", int(1)),
            ("seqincrement", int(1)),
            ("seqmax", int(sequence.last())),
            ("seqmin", int(1)),
            ("seqcache", int(1)),
        ]
    };
    all(catalog).map(row).collect()
}

/// `pg_sequences`.
pub fn shown(catalog: &Catalog) -> Vec<Cells> {
    let row = |sequence: Sequence<'_>| -> Cells {
        vec![
            ("schemaname", text("public")),
            ("sequencename", text(&sequence.name)),
            ("sequenceowner", text(OWNER_NAME)),
            ("data_type", int(Type::One(sequence.scalar()).oid())),
            ("start_value", int(1)),
            ("min_value", int(1)),
            ("max_value", int(sequence.last())),
            ("increment_by", int(1)),
            ("cache_size", int(1)),
        ]
    };
    all(catalog).map(row).collect()
}

/// Those of `information_schema`, which has none of identity columns.
pub fn information(catalog: &Catalog) -> Vec<Cells> {
    let is_serial = |sequence: &Sequence<'_>| {
        sequence.relation.columns[sequence.column].numbering == Some(Numbering::Serial)
    };
    let row = |sequence: Sequence<'_>| -> Cells {
        let bits = match sequence.scalar() {
            Scalar::Int2 => 16,
            Scalar::Int4 => 32,
            _ => 64,
        };
        vec![
            ("sequence_catalog", text(&catalog.database)),
            ("sequence_schema", text("public")),
            ("sequence_name", text(&sequence.name)),
            ("data_type", text(sequence.scalar().name())),
            ("numeric_precision", int(bits)),
            ("numeric_precision_radix", int(2)),
            ("numeric_scale", int(0)),
            ("start_value", text("1")),
            ("minimum_value", text("1")),
            ("maximum_value", text(sequence.last().to_string())),
            ("increment", text("1")),
            ("cycle_option", text("NO")),
        ]
    };
    all(catalog).filter(is_serial).map(row).collect()
}

/// What `information_schema.columns` has of a column that is numbered.
pub fn identity(relation: &Relation, column: usize) -> Cells {
    let known = &relation.columns[column];
    let generation = match known.numbering {
        Some(Numbering::Always) => "ALWAYS",
        Some(Numbering::ByDefault) => "BY DEFAULT",
        _ => return vec![("is_identity", text("NO")), ("identity_cycle", text("NO"))],
    };
    let name = type_name(typed(known).ty.scalar());
    let last = match name {
        "int2" => i64::from(i16::MAX),
        "int4" => i64::from(i32::MAX),
        _ => i64::MAX,
    };
    vec![
        ("is_identity", text("YES")),
        ("identity_generation", text(generation)),
        ("identity_start", text("1")),
        ("identity_increment", text("1")),
        ("identity_maximum", text(last.to_string())),
        ("identity_minimum", text("1")),
        ("identity_cycle", text("NO")),
    ]
}
