//! Arrays.

use super::super::super::{Scalar, Type};
use super::{BOOL, INT, Plan, TEXT, TEXTS, Types, Want, may_be_text};

/// The array that two operands or arguments have together, of which one may be a string, NULL or an element.
fn common(one: Option<Type>, other: Option<Type>) -> Option<Scalar> {
    match (one, other) {
        (Some(Type::Array(one)), Some(Type::Array(other))) => wider(one, other),
        (Some(Type::Array(one)), None) | (None, Some(Type::Array(one))) => Some(one),
        _ => None,
    }
}

fn wider(one: Scalar, other: Scalar) -> Option<Scalar> {
    let is_text = |scalar| matches!(scalar, Scalar::Text | Scalar::Varchar | Scalar::Bpchar);
    match (one, other) {
        _ if one == other => Some(one),
        _ if is_text(one) && is_text(other) => Some(Scalar::Text),
        _ => None,
    }
}

/// The element and the array of `array || element`: an array of integers takes a smaller one, and becomes one of `numeric`.
fn with_element(array: Option<Type>, element: Option<Type>) -> Option<Scalar> {
    let Some(Type::Array(of_array)) = array else { return None };
    match element {
        None => Some(of_array),
        Some(Type::One(element)) if wider(of_array, element).is_some() => Some(of_array),
        Some(Type::One(element)) => {
            use super::super::family::{common, number};
            let typed = |scalar| Some(super::Typed::plain(Type::One(scalar)));
            number(typed(of_array))
                .zip(number(typed(element)))
                .map(|(one, other)| common(one, other))
        }
        Some(Type::Array(_)) => None,
    }
}

fn array(scalar: Scalar) -> Want {
    Want::As(Type::Array(scalar))
}

fn one(scalar: Scalar) -> Want {
    Want::As(Type::One(scalar))
}

fn kind(scalar: Scalar) -> Want {
    Want::Named(Type::One(scalar))
}

fn kinds(scalar: Scalar) -> Want {
    Want::Named(Type::Array(scalar))
}

pub fn operator(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    if let Some(of) = common(left, right) {
        let is_same = left.is_none() || right.is_none() || left == right;
        if op != "||" && !is_same {
            return None;
        }
        let both = || vec![array(of), array(of), kind(of)];
        return Some(match op {
            "||" => {
                Plan::new("pg_array_cat", Type::Array(of), vec![array(of), array(of), kinds(of)])
            }
            "@>" => Plan::new("pg_bool_array_contains", BOOL, both()),
            "<@" => Plan::new("pg_bool_array_contains", BOOL, both()).swapped(),
            "&&" => Plan::new("pg_bool_array_overlaps", BOOL, both()),
            _ => return None,
        });
    }
    if op != "||" {
        return None;
    }
    if let Some(of) = with_element(left, right) {
        let wants = vec![array(of), one(of), kinds(of)];
        return Some(Plan::new("pg_array_append", Type::Array(of), wants));
    }
    let of = with_element(right, left)?;
    let wants = vec![one(of), array(of), kinds(of)];
    Some(Plan::new("pg_array_prepend", Type::Array(of), wants))
}

pub fn function(name: &str, types: Types<'_>) -> Option<Plan> {
    let at = |place: usize| types.get(place).copied().flatten();
    let own = match at(0) {
        Some(Type::Array(of)) => Some(of),
        _ => None,
    };
    Some(match (name, types.len()) {
        ("array_append", 2) => {
            let of = with_element(at(0), at(1)).or_else(|| single(at(0), at(1)))?;
            Plan::new("pg_array_append", Type::Array(of), vec![array(of), one(of), kinds(of)])
        }
        ("array_prepend", 2) => {
            let of = with_element(at(1), at(0)).or_else(|| single(at(1), at(0)))?;
            Plan::new("pg_array_prepend", Type::Array(of), vec![one(of), array(of), kinds(of)])
        }
        ("array_cat", 2) => {
            let of = common(at(0), at(1))?;
            Plan::new("pg_array_cat", Type::Array(of), vec![array(of), array(of), kinds(of)])
        }
        ("array_remove", 2) => {
            let of = with_element(at(0), at(1))?;
            Plan::new("pg_array_remove", Type::Array(of), vec![array(of), one(of), kinds(of)])
        }
        ("array_replace", 3) => {
            let of =
                with_element(at(0), at(1)).filter(|of| with_element(at(0), at(2)) == Some(*of))?;
            let wants = vec![array(of), one(of), one(of), kinds(of)];
            Plan::new("pg_array_replace", Type::Array(of), wants)
        }
        ("array_position", 2) => {
            let of = with_element(at(0), at(1))?;
            Plan::new("pg_int4_array_position", INT, vec![array(of), one(of), kind(of)])
        }
        ("array_position", 3) => {
            let of = with_element(at(0), at(1))?;
            let wants = vec![array(of), one(of), Want::As(INT), kind(of)];
            Plan::new("pg_int4_array_position", INT, wants)
        }
        ("array_positions", 2) => {
            let of = with_element(at(0), at(1))?;
            let wants = vec![array(of), one(of), kind(of)];
            Plan::new("pg__int4_positions", Type::Array(Scalar::Int4), wants)
        }
        ("array_to_string", 2) => {
            let of = own?;
            let wants = vec![array(of), Want::As(TEXT), kind(of)];
            Plan::new("pg_text_array_join", TEXT, wants)
        }
        ("array_to_string", 3) => {
            let of = own?;
            let wants = vec![array(of), Want::As(TEXT), Want::As(TEXT), kind(of)];
            Plan::new("pg_text_array_join", TEXT, wants)
        }
        ("string_to_array", 2) if may_be_text(at(0)) && may_be_text(at(1)) => {
            let wants = vec![Want::As(TEXT), Want::As(TEXT), Want::Named(TEXTS)];
            Plan::new("pg_array_split", TEXTS, wants)
        }
        ("string_to_array", 3) if may_be_text(at(0)) && may_be_text(at(1)) => {
            let wants = vec![Want::As(TEXT), Want::As(TEXT), Want::As(TEXT), Want::Named(TEXTS)];
            Plan::new("pg_array_split", TEXTS, wants)
        }
        ("regexp_match" | "regexp_split_to_array", 2 | 3)
            if may_be_text(at(0)) && may_be_text(at(1)) && may_be_text(at(2)) =>
        {
            let mut wants = vec![Want::As(TEXT); types.len()];
            wants.extend((types.len() == 2).then_some(Want::Word("''")));
            wants.push(Want::Named(TEXTS));
            let is_match = name == "regexp_match";
            let function = if is_match { "pg_array_regexp_match" } else { "pg_array_regexp_split" };
            Plan::new(function, TEXTS, wants)
        }
        ("trim_array", 2) => {
            let of = own?;
            Plan::new("pg_array_trim", Type::Array(of), vec![array(of), Want::As(INT), kinds(of)])
        }
        ("array_fill", 2) => {
            let Some(Type::One(of)) = at(0) else { return None };
            let wants = vec![one(of), array(Scalar::Int4), kinds(of)];
            Plan::new("pg_array_fill", Type::Array(of), wants)
        }
        ("array_agg", 1) => {
            let Some(Type::One(of)) = at(0) else { return None };
            Plan::new("array_agg", Type::Array(of), vec![one(of)])
        }
        _ => return measured(name, types, own?),
    })
}

/// An element that is combined with NULL is the first of an array.
fn single(array: Option<Type>, element: Option<Type>) -> Option<Scalar> {
    match (array, element) {
        (None, Some(Type::One(of))) => Some(of),
        _ => None,
    }
}

/// The bounds and the length of an array.
fn measured(name: &str, types: Types<'_>, of: Scalar) -> Option<Plan> {
    let with_dimension = || vec![array(of), Want::As(INT)];
    Some(match (name, types.len()) {
        ("array_length" | "array_upper", 2) => {
            Plan::new("pg_int4_array_length", INT, with_dimension())
        }
        ("array_lower", 2) => Plan::new("pg_int4_array_lower", INT, with_dimension()),
        ("array_ndims", 1) => Plan::new("pg_int4_array_ndims", INT, vec![array(of)]),
        ("array_dims", 1) => Plan::new("pg_text_array_dims", TEXT, vec![array(of)]),
        ("cardinality", 1) => Plan::new("pg_int4_cardinality", INT, vec![array(of)]),
        _ => return None,
    })
}
