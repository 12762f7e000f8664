//! Functions and operators of `json`, arrays, dates and times: which function of `pgcatalog` computes them for these types,
//! and what its result is.

mod arrays;
mod json;
mod times;

use super::super::{Scalar, Type, Typed};
use super::family;
use super::overloads::distance;

pub use times::at_zone;

/// What an argument becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want {
    /// A value of this type: a string becomes one, and a number is converted.
    As(Type),
    /// JSON of the value.
    Json,
    /// The text of the value as a key of JSON, where moments are as in JSON.
    Key,
    /// As it is.
    Same,
    /// No argument of the client: this text.
    Word(&'static str),
    /// The name of a type.
    Named(Type),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Plan {
    pub function: &'static str,
    pub result: Typed,
    pub wants: Vec<Want>,
    /// Whether the two operands change their positions.
    pub is_swapped: bool,
}

impl Plan {
    fn new(function: &'static str, result: Type, wants: Vec<Want>) -> Self {
        Self { function, result: Typed::plain(result), wants, is_swapped: false }
    }

    fn swapped(self) -> Self {
        Self { is_swapped: true, ..self }
    }

    /// Whether PostgreSQL converts arguments of these types without a cast.
    fn fits(&self, types: Types<'_>) -> bool {
        types.iter().zip(&self.wants).all(|(own, want)| match (own, want) {
            (Some(own), Want::As(target)) => converts(*own, *target),
            _ => true,
        })
    }
}

/// The types of arguments; none of a string, a parameter without a type, and NULL.
pub type Types<'a> = &'a [Option<Type>];

const TEXT: Type = Type::One(Scalar::Text);
const INT: Type = Type::One(Scalar::Int4);
const BOOL: Type = Type::One(Scalar::Bool);
const TEXTS: Type = Type::Array(Scalar::Text);

fn scalar(ty: Option<Type>) -> Option<Scalar> {
    match ty? {
        Type::One(scalar) => Some(scalar),
        Type::Array(_) => None,
    }
}

/// An `integer`, or what becomes one: positions and days are no `bigint`.
fn is_integer(ty: Option<Type>) -> bool {
    matches!(scalar(ty), Some(Scalar::Int2 | Scalar::Int4))
}

fn is_number(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| family::number(Some(Typed::plain(ty))).is_some())
}

/// Text, or what may become one.
fn may_be_text(ty: Option<Type>) -> bool {
    matches!(scalar(ty), Some(Scalar::Text | Scalar::Varchar | Scalar::Bpchar | Scalar::Name))
        || ty.is_none()
}

/// Whether a value of a type becomes one of another without a cast.
fn converts(own: Type, target: Type) -> bool {
    let is_moment =
        |scalar| matches!(scalar, Scalar::Date | Scalar::Timestamp | Scalar::Timestamptz);
    match (own, target) {
        _ if own == target => true,
        (Type::One(Scalar::Time), Type::One(Scalar::Interval)) => true,
        (Type::One(from), Type::One(to)) if is_moment(from) && is_moment(to) => true,
        (Type::One(from), Type::One(to)) | (Type::Array(from), Type::Array(to)) => {
            distance(from, to).is_some()
        }
        _ => false,
    }
}

pub fn operator(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    json::operator(op, left, right)
        .or_else(|| arrays::operator(op, left, right))
        .or_else(|| times::operator(op, left, right))
        .filter(|plan| plan.fits(&[left, right]))
}

pub fn function(name: &str, types: Types<'_>) -> Option<Plan> {
    json::function(name, types)
        .or_else(|| arrays::function(name, types))
        .or_else(|| times::function(name, types))
        .filter(|plan| plan.fits(types))
}

/// Functions that SQLite does not have, with their minimum and maximum argument count: without a plan they do
/// not exist for these types.
const ONLY_HERE: &[(&str, usize, usize)] = &[
    ("age", 1, 2),
    ("array_append", 2, 2),
    ("array_cat", 2, 2),
    ("array_dims", 1, 1),
    ("array_length", 2, 2),
    ("array_lower", 2, 2),
    ("array_ndims", 1, 1),
    ("array_position", 2, 3),
    ("array_positions", 2, 2),
    ("array_prepend", 2, 2),
    ("array_remove", 2, 2),
    ("array_replace", 3, 3),
    ("array_to_json", 1, 1),
    ("array_to_string", 2, 3),
    ("array_upper", 2, 2),
    ("cardinality", 1, 1),
    ("date_bin", 3, 3),
    ("date_part", 2, 2),
    ("date_trunc", 2, 2),
    ("json_array_elements", 1, 1),
    ("json_array_elements_text", 1, 1),
    ("json_object_keys", 1, 1),
    ("json_strip_nulls", 1, 1),
    ("json_typeof", 1, 1),
    ("jsonb_array_elements", 1, 1),
    ("jsonb_array_elements_text", 1, 1),
    ("jsonb_array_length", 1, 1),
    ("jsonb_object_keys", 1, 1),
    ("jsonb_pretty", 1, 1),
    ("jsonb_strip_nulls", 1, 1),
    ("jsonb_typeof", 1, 1),
    ("justify_days", 1, 1),
    ("justify_hours", 1, 1),
    ("justify_interval", 1, 1),
    ("make_date", 3, 3),
    ("make_interval", 0, 7),
    ("make_time", 3, 3),
    ("make_timestamp", 6, 6),
    ("make_timestamptz", 6, 6),
    ("string_to_array", 2, 3),
    ("to_date", 2, 2),
    ("to_timestamp", 1, 2),
    ("trim_array", 2, 2),
];

/// Whether every meaning of a function with this many arguments is planned here.
pub fn is_complete(name: &str, count: usize) -> bool {
    ONLY_HERE.iter().any(|(known, least, most)| *known == name && (*least..=*most).contains(&count))
}

/// Whether a function may have a plan.
pub fn knows(name: &str) -> bool {
    const STARTS: [&str; 6] = ["json", "array_", "to_", "make_", "justify_", "date_"];
    const NAMES: [&str; 10] = [
        "age",
        "cardinality",
        "extract",
        "overlaps",
        "regexp_match",
        "regexp_split_to_array",
        "row_to_json",
        "string_to_array",
        "timezone",
        "trim_array",
    ];
    STARTS.iter().any(|start| name.starts_with(start)) || NAMES.contains(&name)
}

/// Whether a function takes values of types that are not known here, too.
pub fn takes_any(name: &str) -> bool {
    matches!(
        name,
        "json_build_object"
            | "jsonb_build_object"
            | "json_build_array"
            | "jsonb_build_array"
            | "json_agg"
            | "jsonb_agg"
            | "json_object_agg"
            | "jsonb_object_agg"
            | "to_json"
            | "to_jsonb"
            | "row_to_json"
    )
}

/// Whether an operator has a meaning of its own for values of this type, so that SQLite's would be wrong.
pub fn is_own(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| match ty {
        Type::Array(_) => true,
        Type::One(scalar) => matches!(
            scalar,
            Scalar::Json
                | Scalar::Jsonb
                | Scalar::Date
                | Scalar::Time
                | Scalar::Timestamp
                | Scalar::Timestamptz
                | Scalar::Interval
        ),
    })
}
