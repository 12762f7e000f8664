//! Families of types, whose members compare with each other.

use super::super::{Scalar, Type, Typed};

/// The types that an operator takes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Number,
    Text,
    Boolean,
    /// Dates and timestamps.
    Moment,
    Time,
    Interval,
    Uuid,
    Json,
    Jsonb,
    Bytes,
    Array,
}

/// The family of a type; none of those that are not compared with care: of the catalogue.
pub fn of(typed: Typed) -> Option<Family> {
    use Scalar as S;
    let Type::One(scalar) = typed.ty else { return Some(Family::Array) };
    Some(match scalar {
        S::Int2 | S::Int4 | S::Int8 | S::Numeric | S::Float4 | S::Float8 => Family::Number,
        S::Text | S::Varchar | S::Bpchar => Family::Text,
        S::Bool => Family::Boolean,
        S::Date | S::Timestamp | S::Timestamptz => Family::Moment,
        S::Time => Family::Time,
        S::Interval => Family::Interval,
        S::Uuid => Family::Uuid,
        S::Json => Family::Json,
        S::Jsonb => Family::Jsonb,
        S::Bytea => Family::Bytes,
        _ => return None,
    })
}

/// Whether a type is one of the catalogue's, which have no arithmetic.
pub fn is_of_catalogue(typed: Typed) -> bool {
    matches!(typed.ty, Type::One(Scalar::Oid | Scalar::Name | Scalar::Char))
}

/// The same, with the types of the catalogue as the numbers and texts to which they are converted.
pub fn loosely(typed: Typed) -> Option<Family> {
    match typed.ty {
        Type::One(Scalar::Oid) => Some(Family::Number),
        Type::One(Scalar::Name | Scalar::Char) => Some(Family::Text),
        _ => of(typed),
    }
}

/// The scalar of a number.
pub fn number(typed: Option<Typed>) -> Option<Scalar> {
    let typed = typed?;
    (of(typed) == Some(Family::Number)).then(|| typed.ty.scalar())
}

pub fn is_integer(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int2 | Scalar::Int4 | Scalar::Int8)
}

pub fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float4 | Scalar::Float8)
}

/// The name of a type of numbers in the names of functions.
pub fn short(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int2 => "int2",
        Scalar::Int4 => "int4",
        Scalar::Int8 => "int8",
        Scalar::Float4 => "float4",
        Scalar::Float8 => "float8",
        other => other.name(),
    }
}

/// The type of an operator of two numbers.
pub fn common(one: Scalar, other: Scalar) -> Scalar {
    const RANKS: [Scalar; 4] = [Scalar::Int2, Scalar::Int4, Scalar::Int8, Scalar::Numeric];
    if one == Scalar::Float4 && other == Scalar::Float4 {
        return Scalar::Float4;
    }
    if is_float(one) || is_float(other) {
        return Scalar::Float8;
    }
    let rank = |scalar| RANKS.iter().position(|known| *known == scalar).unwrap_or(0);
    RANKS[rank(one).max(rank(other))]
}

/// The name of a type in `pg_type`.
pub fn typname(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Varchar => "varchar",
        Scalar::Bpchar => "bpchar",
        Scalar::Time => "time",
        Scalar::Timestamp => "timestamp",
        Scalar::Timestamptz => "timestamptz",
        other => short(other),
    }
}

/// The same of any type: an array has a sign before it.
pub fn kind(ty: Type) -> String {
    match ty {
        Type::One(scalar) => typname(scalar).to_owned(),
        Type::Array(scalar) => format!("_{}", typname(scalar)),
    }
}
