//! `json` and `jsonb`.

use super::super::super::{Scalar, Type};
use super::{BOOL, INT, Plan, TEXT, TEXTS, Types, Want, is_integer, may_be_text, scalar};

const JSON: Type = Type::One(Scalar::Json);
const JSONB: Type = Type::One(Scalar::Jsonb);

fn is_json(ty: Option<Type>) -> bool {
    ty == Some(JSON) || ty == Some(JSONB)
}

pub fn operator(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    let own = left.filter(|_| is_json(left));
    let is_binary = own == Some(JSONB);
    let pick = |json, jsonb| if is_binary { jsonb } else { json };
    let key = if is_integer(right) { Want::Same } else { Want::As(TEXT) };
    let has_key = is_integer(right) || may_be_text(right);
    let has_path = right.is_none_or(|right| right == TEXTS);
    let value = Want::As(own.unwrap_or(JSONB));
    match op {
        "->" if has_key => {
            Some(Plan::new(pick("pg_json_get", "pg_jsonb_get"), own?, vec![value, key]))
        }
        "->>" if has_key => {
            own?;
            Some(Plan::new(pick("pg_text_json_get", "pg_text_jsonb_get"), TEXT, vec![value, key]))
        }
        "#>" if has_path => {
            let wants = vec![value, Want::As(TEXTS)];
            Some(Plan::new(pick("pg_json_path", "pg_jsonb_path"), own?, wants))
        }
        "#>>" if has_path => {
            own?;
            let wants = vec![value, Want::As(TEXTS)];
            Some(Plan::new(pick("pg_text_json_path", "pg_text_jsonb_path"), TEXT, wants))
        }
        _ => changing(op, left, right),
    }
}

/// Operators of `jsonb` only.
fn changing(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    let is_left = left == Some(JSONB);
    let are_both = (is_left && (right == Some(JSONB) || right.is_none()))
        || (left.is_none() && right == Some(JSONB));
    let both = vec![Want::As(JSONB), Want::As(JSONB)];
    let texts = || vec![Want::As(JSONB), Want::As(TEXTS)];
    let is_path = right.is_none_or(|right| right == TEXTS);
    Some(match op {
        "@>" if are_both => Plan::new("pg_bool_jsonb_contains", BOOL, both),
        "<@" if are_both => Plan::new("pg_bool_jsonb_contains", BOOL, both).swapped(),
        "||" if are_both => Plan::new("pg_jsonb_concat", JSONB, both),
        "?" if is_left && may_be_text(right) => {
            Plan::new("pg_bool_jsonb_exists", BOOL, vec![Want::As(JSONB), Want::As(TEXT)])
        }
        "?|" if is_left && is_path => Plan::new("pg_bool_jsonb_exists_any", BOOL, texts()),
        "?&" if is_left && is_path => Plan::new("pg_bool_jsonb_exists_all", BOOL, texts()),
        "#-" if is_left && is_path => Plan::new("pg_jsonb_delete_path", JSONB, texts()),
        "-" if is_left && is_integer(right) => {
            Plan::new("pg_jsonb_delete", JSONB, vec![Want::As(JSONB), Want::Same])
        }
        "-" if is_left && right == Some(TEXTS) => Plan::new("pg_jsonb_delete_keys", JSONB, texts()),
        "-" if is_left && may_be_text(right) => {
            Plan::new("pg_jsonb_delete", JSONB, vec![Want::As(JSONB), Want::As(TEXT)])
        }
        _ => return None,
    })
}

pub fn function(name: &str, types: Types<'_>) -> Option<Plan> {
    let first = types.first().copied().flatten();
    let is_binary = name.starts_with("jsonb") || name == "to_jsonb";
    let own = if is_binary { JSONB } else { JSON };
    let pick = |json, jsonb| if is_binary { jsonb } else { json };
    let count = types.len();
    // The text of either, where a function says in its name which.
    let fits = first.is_none_or(|first| first == own) && count > 0;
    let path = |extra: usize| {
        let mut wants = vec![Want::As(JSONB), Want::As(TEXTS)];
        wants.extend(std::iter::repeat_n(Want::As(JSONB), extra.min(1)));
        wants.extend(std::iter::repeat_n(Want::As(BOOL), extra.saturating_sub(1)));
        wants
    };
    let pairs = |at: usize| if at.is_multiple_of(2) { Want::Key } else { Want::Json };
    Some(match name {
        "json_build_object" | "jsonb_build_object" => {
            let wants = (0..count).map(pairs).collect();
            Plan::new(pick("pg_json_object", "pg_jsonb_object"), own, wants)
        }
        "json_build_array" | "jsonb_build_array" => {
            let wants = vec![Want::Json; count];
            Plan::new(pick("pg_json_array", "pg_jsonb_array"), own, wants)
        }
        // The name of SQLite's function too, whose result is a text.
        "to_json" | "to_jsonb" | "row_to_json" if count == 1 => {
            Plan::new(pick("pg_json_of", "pg_jsonb_of"), own, vec![Want::Json])
        }
        "array_to_json" if count == 1 && matches!(first, Some(Type::Array(_))) => {
            Plan::new("pg_json_of", JSON, vec![Want::Json])
        }
        "json_array_length" | "jsonb_array_length" if count == 1 && fits => {
            Plan::new("pg_int4_json_length", INT, vec![Want::As(own)])
        }
        "json_typeof" | "jsonb_typeof" if count == 1 && fits => {
            Plan::new("pg_text_json_typeof", TEXT, vec![Want::As(own)])
        }
        "json_strip_nulls" | "jsonb_strip_nulls" if count == 1 && fits => {
            let function = pick("pg_json_strip_nulls", "pg_jsonb_strip_nulls");
            Plan::new(function, own, vec![Want::As(own)])
        }
        "jsonb_pretty" if count == 1 && fits => {
            Plan::new("pg_text_jsonb_pretty", TEXT, vec![Want::As(JSONB)])
        }
        "jsonb_set" if matches!(count, 3 | 4) && fits => {
            Plan::new("pg_jsonb_set", JSONB, path(count - 2))
        }
        "jsonb_insert" if matches!(count, 3 | 4) && fits => {
            Plan::new("pg_jsonb_insert", JSONB, path(count - 2))
        }
        // Sets among the columns: SQLite steps through the list.
        "json_array_elements" | "jsonb_array_elements" if count == 1 && fits => {
            Plan::new(pick("pg_json_elements", "pg_jsonb_elements"), own, vec![Want::As(own)])
        }
        "json_array_elements_text" | "jsonb_array_elements_text" if count == 1 && fits => {
            let function = pick("pg_json_elements_text", "pg_jsonb_elements_text");
            Plan::new(function, TEXT, vec![Want::As(own)])
        }
        "json_object_keys" | "jsonb_object_keys" if count == 1 && fits => {
            Plan::new(pick("pg_json_keys", "pg_jsonb_keys"), TEXT, vec![Want::As(own)])
        }
        "json_agg" | "jsonb_agg" if count == 1 => {
            Plan::new(pick("pg_json_agg", "pg_jsonb_agg"), own, vec![Want::Json])
        }
        "json_object_agg" | "jsonb_object_agg" if count == 2 => {
            let function = pick("pg_json_object_agg", "pg_jsonb_object_agg");
            Plan::new(function, own, vec![Want::Key, Want::Json])
        }
        _ => return extracted(name, types),
    })
}

/// `json_extract_path(json, step, …)`, whose steps become an array where the call is written.
fn extracted(name: &str, types: Types<'_>) -> Option<Plan> {
    let (own, function, result) = match name {
        "json_extract_path" => (JSON, "pg_json_path", JSON),
        "jsonb_extract_path" => (JSONB, "pg_jsonb_path", JSONB),
        "json_extract_path_text" => (JSON, "pg_text_json_path", TEXT),
        "jsonb_extract_path_text" => (JSONB, "pg_text_jsonb_path", TEXT),
        _ => return None,
    };
    let (first, steps) = types.split_first()?;
    let fits = first.is_none_or(|first| first == own)
        && steps.iter().all(|step| scalar(*step).is_some() || step.is_none());
    let mut wants = vec![Want::As(own)];
    wants.extend(std::iter::repeat_n(Want::As(TEXT), steps.len()));
    fits.then(|| Plan::new(function, result, wants))
}
