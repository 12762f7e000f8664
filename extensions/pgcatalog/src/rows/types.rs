//! The types.

use super::{Cells, int, text, type_functions, yes};
use crate::catalog::{OWNER, PG_CATALOG};
use crate::schema::Column;
use postgres_types::{Scalar, TEXT, Type, Typed};

/// The collation of text, and that of names.
pub const DEFAULT_COLLATION: i64 = 100;
pub const C_COLLATION: i64 = 950;

/// The type of a column; text where it says nothing that Postgres knows.
pub fn typed(column: &Column) -> Typed {
    Typed::declared(&column.declared).unwrap_or(Typed::plain(TEXT))
}

pub fn storage(ty: Type) -> &'static str {
    match ty {
        Type::One(Scalar::Numeric) => "m",
        ty if ty.size() >= 0 => "p",
        _ => "x",
    }
}

pub fn collation_of(scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Text | Scalar::Varchar | Scalar::Bpchar => DEFAULT_COLLATION,
        Scalar::Name => C_COLLATION,
        _ => 0,
    }
}

/// `pg_type.typname`.
pub fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int2 => "int2",
        Scalar::Int4 => "int4",
        Scalar::Int8 => "int8",
        Scalar::Float4 => "float4",
        Scalar::Float8 => "float8",
        Scalar::Varchar => "varchar",
        Scalar::Bpchar => "bpchar",
        Scalar::Char => "char",
        Scalar::Time => "time",
        Scalar::Timestamp => "timestamp",
        Scalar::Timestamptz => "timestamptz",
        other => other.name(),
    }
}

pub fn category(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "B",
        Scalar::Int2
        | Scalar::Int4
        | Scalar::Int8
        | Scalar::Float4
        | Scalar::Float8
        | Scalar::Numeric
        | Scalar::Oid => "N",
        Scalar::Date | Scalar::Time | Scalar::Timestamp | Scalar::Timestamptz => "D",
        Scalar::Interval => "T",
        Scalar::Text | Scalar::Varchar | Scalar::Bpchar | Scalar::Name => "S",
        Scalar::Char => "Z",
        _ => "U",
    }
}

/// All types that values may have.
pub const SCALARS: [Scalar; 22] = [
    Scalar::Bool,
    Scalar::Bytea,
    Scalar::Char,
    Scalar::Name,
    Scalar::Int8,
    Scalar::Int2,
    Scalar::Int4,
    Scalar::Text,
    Scalar::Oid,
    Scalar::Json,
    Scalar::Float4,
    Scalar::Float8,
    Scalar::Bpchar,
    Scalar::Varchar,
    Scalar::Date,
    Scalar::Time,
    Scalar::Timestamp,
    Scalar::Timestamptz,
    Scalar::Interval,
    Scalar::Numeric,
    Scalar::Uuid,
    Scalar::Jsonb,
];

pub fn types() -> Vec<Cells> {
    let mut found = Vec::new();
    for scalar in &SCALARS {
        let (one, array) = (Type::One(*scalar), Type::Array(*scalar));
        let name = type_name(*scalar);
        let common = |ty: Type, name: String| -> Cells {
            vec![
                ("oid", int(ty.oid())),
                ("typname", text(name)),
                ("typnamespace", int(PG_CATALOG)),
                ("typowner", int(OWNER)),
                ("typlen", int(ty.size())),
                ("typbyval", yes((0..=8).contains(&ty.size()))),
                ("typtype", text("b")),
                ("typisdefined", yes(true)),
                ("typdelim", text(",")),
                ("typtypmod", int(-1)),
                ("typcollation", int(collation_of(*scalar))),
                ("typalign", text("i")),
                ("typstorage", text(storage(ty))),
            ]
            .into_iter()
            .chain(type_functions::of_type(ty))
            .collect()
        };
        let mut base = common(one, name.to_owned());
        base.extend([("typcategory", text(category(*scalar))), ("typarray", int(array.oid()))]);
        let mut of_array = common(array, format!("_{name}"));
        of_array.extend([("typcategory", text("A")), ("typelem", int(one.oid()))]);
        found.extend([base, of_array]);
    }
    found.extend(super::other_types::rows());
    found
}
