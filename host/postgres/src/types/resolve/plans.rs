//! Functions and operators of `json`, arrays, dates and times: which function of `pgcatalog` computes them for these types,
//! and what its result is.

mod arrays;
mod json;
mod times;

use super::super::{Scalar, Type, Typed};
use super::family;

pub use times::at_zone;

/// What an argument becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want {
    /// A value of this type: a string becomes one, and a number is converted.
    As(Type),
    /// JSON of the value.
    Json,
    /// The text of the value.
    Text,
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
    /// Whether the two operands change their places.
    pub is_swapped: bool,
}

impl Plan {
    fn new(function: &'static str, result: Type, wants: Vec<Want>) -> Self {
        Self { function, result: Typed::plain(result), wants, is_swapped: false }
    }

    fn swapped(self) -> Self {
        Self { is_swapped: true, ..self }
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

fn is_integer(ty: Option<Type>) -> bool {
    scalar(ty).is_some_and(family::is_integer)
}

fn is_number(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| family::number(Some(Typed::plain(ty))).is_some())
}

/// Text, or what may become one.
fn may_be_text(ty: Option<Type>) -> bool {
    matches!(scalar(ty), Some(Scalar::Text | Scalar::Varchar | Scalar::Bpchar | Scalar::Name))
        || ty.is_none()
}

pub fn operator(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    json::operator(op, left, right)
        .or_else(|| arrays::operator(op, left, right))
        .or_else(|| times::operator(op, left, right))
}

pub fn function(name: &str, types: Types<'_>) -> Option<Plan> {
    json::function(name, types)
        .or_else(|| arrays::function(name, types))
        .or_else(|| times::function(name, types))
}

/// Whether a function may have a plan.
pub fn knows(name: &str) -> bool {
    const STARTS: [&str; 6] = ["json", "array_", "to_", "make_", "justify_", "date_"];
    const NAMES: [&str; 8] = [
        "age",
        "cardinality",
        "extract",
        "overlaps",
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
