//! What is known of literals, functions and pairs of types.

use sqlparser::ast::{Expr, Value};

use super::super::resolve::family;
use super::super::{Scalar, TEXT, Type, Typed};
use super::factors::is_open;
use super::given::declared_as;
use crate::translate::string_of;

pub const fn one(scalar: Scalar) -> Option<Typed> {
    Some(Typed::plain(Type::One(scalar)))
}

pub fn literal(value: &Value) -> Option<Typed> {
    match value {
        Value::Number(text, _) if text.contains(['.', 'e', 'E']) => one(Scalar::Numeric),
        Value::Number(text, _) => match text.parse::<i64>() {
            Ok(number) if i32::try_from(number).is_ok() => one(Scalar::Int4),
            Ok(_) => one(Scalar::Int8),
            Err(_) => one(Scalar::Numeric),
        },
        Value::Boolean(_) => one(Scalar::Bool),
        Value::Placeholder(name) => declared_as(name).map(Typed::plain),
        Value::Null => None,
        _ => one(Scalar::Text),
    }
}

pub fn keyword(name: &str) -> Option<Typed> {
    function_type(&name.to_ascii_lowercase()).map(|scalar| Typed::plain(Type::One(scalar)))
}

/// The type of a sum.
pub fn sum(ty: Type) -> Type {
    Type::One(match ty.scalar() {
        Scalar::Int2 | Scalar::Int4 => Scalar::Int8,
        Scalar::Float4 => Scalar::Float4,
        Scalar::Float8 => Scalar::Float8,
        Scalar::Interval => Scalar::Interval,
        _ => Scalar::Numeric,
    })
}

/// Of two types the one that has the values of both; text if neither has.
pub fn wider(one: Typed, other: Typed) -> Typed {
    const NUMBERS: [Scalar; 6] =
        [Scalar::Int2, Scalar::Int4, Scalar::Int8, Scalar::Numeric, Scalar::Float4, Scalar::Float8];
    let rank = |typed: Typed| NUMBERS.iter().position(|scalar| Type::One(*scalar) == typed.ty);
    match (rank(one), rank(other)) {
        (Some(first), Some(second)) => Typed::plain(Type::One(NUMBERS[first.max(second)])),
        _ if one.ty == other.ty => Typed::plain(one.ty),
        _ if let (Type::Array(first), Type::Array(second)) = (one.ty, other.ty) => {
            let of = wider(Typed::plain(Type::One(first)), Typed::plain(Type::One(second)));
            Typed::plain(Type::Array(of.ty.scalar()))
        }
        _ if let (Some(first), Some(second)) = (moment(one), moment(other)) => {
            Typed::plain(Type::One(MOMENTS[first.max(second)]))
        }
        _ if let [Type::One(first), Type::One(second)] = [one.ty, other.ty]
            && is_text(first)
            && is_text(second) =>
        {
            // Each of them becomes any other, so the first one counts.
            Typed::plain(one.ty)
        }
        // A string without a type takes the other's.
        _ if one.ty == TEXT => other,
        _ if other.ty == TEXT => one,
        _ => Typed::plain(TEXT),
    }
}

/// The type that several expressions become together: strings and NULL count where nothing else does.
pub fn together<'a>(all: impl Iterator<Item = (&'a Expr, Option<Typed>)>) -> Option<Typed> {
    let (open, own): (Vec<_>, Vec<_>) = all.partition(|(expr, _)| is_open(expr));
    let has_string = open.iter().any(|(expr, _)| string_of(expr).is_some());
    let widest = |all: Vec<(&Expr, Option<Typed>)>| {
        let types = all.into_iter().filter_map(|(_, typed)| typed);
        types.reduce(|one, other| if one == other { one } else { wider(one, other) })
    };
    match widest(own) {
        // A string has no length as a type, so together they have none.
        Some(own) if has_string && own.ty == Type::One(Scalar::Bpchar) => {
            Some(Typed::plain(own.ty))
        }
        Some(own) => Some(own),
        None => widest(open),
    }
}

/// The type of the first of two values as `=` compares them; one that is not known takes the other's.
pub fn compared(one: Option<Typed>, other: Option<Typed>) -> Option<Typed> {
    let (Some(first), Some(second)) = (one.or(other), other.or(one)) else { return None };
    let numbers = (family::number(one), family::number(other));
    Some(match numbers {
        (Some(first), Some(second)) => {
            let is_one_kind = family::is_integer(first) && family::is_integer(second)
                || family::is_float(first) && family::is_float(second);
            let common = if is_one_kind || first == Scalar::Float4 {
                first
            } else {
                family::common(first, second)
            };
            Typed::plain(Type::One(common))
        }
        // PostgreSQL has no `=` of `varchar`.
        _ if first.ty == Type::One(Scalar::Varchar) => Typed::plain(TEXT),
        _ if first.ty == second.ty => first,
        _ => Typed::plain(first.ty),
    })
}

pub fn is_bytes(typed: Typed) -> bool {
    typed.ty == Type::One(Scalar::Bytea)
}

fn is_text(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Text | Scalar::Varchar | Scalar::Bpchar)
}

/// Moments, of which a later type has the values of those before it.
const MOMENTS: [Scalar; 3] = [Scalar::Date, Scalar::Timestamp, Scalar::Timestamptz];

fn moment(typed: Typed) -> Option<usize> {
    MOMENTS.iter().position(|scalar| Type::One(*scalar) == typed.ty)
}

/// The types of functions that do not depend on their arguments.
pub fn function_type(name: &str) -> Option<Scalar> {
    Some(match name {
        "count"
        | "row_number"
        | "rank"
        | "dense_rank"
        | "last_insert_rowid"
        | "changes"
        | "total_changes"
        | "pg_relation_size"
        | "pg_table_size"
        | "pg_total_relation_size"
        | "pg_database_size"
        | "unixepoch"
        | "lastval"
        | "currval"
        | "setval" => Scalar::Int8,
        "num_nulls" | "num_nonnulls" | "length" | "char_length" | "character_length"
        | "octet_length" | "bit_length" | "instr" | "strpos" | "position" | "ascii" | "unicode"
        | "sign" | "ntile" | "array_length" | "cardinality" | "json_array_length"
        | "jsonb_array_length" | "pg_backend_pid" => Scalar::Int4,
        "percent_rank" | "cume_dist" | "random" | "sqrt" | "exp" | "ln" | "log" | "log10"
        | "log2" | "pow" | "power" | "pi" | "degrees" | "radians" | "date_part" | "julianday"
        | "total" => Scalar::Float8,
        "bool_and"
        | "bool_or"
        | "every"
        | "pg_table_is_visible"
        | "pg_type_is_visible"
        | "pg_function_is_visible"
        | "has_any_column_privilege"
        | "has_column_privilege"
        | "has_sequence_privilege"
        | "has_table_privilege"
        | "has_schema_privilege"
        | "has_database_privilege"
        | "pg_is_in_recovery"
        | "pg_advisory_unlock"
        | "pg_advisory_unlock_shared"
        | "pg_try_advisory_lock"
        | "pg_try_advisory_lock_shared"
        | "pg_try_advisory_xact_lock"
        | "pg_try_advisory_xact_lock_shared"
        | "starts_with"
        | "regexp_like"
        | "json_valid"
        | "exists" => Scalar::Bool,
        "now"
        | "current_timestamp"
        | "transaction_timestamp"
        | "statement_timestamp"
        | "clock_timestamp"
        | "to_timestamp" => Scalar::Timestamptz,
        "localtimestamp" | "datetime" => Scalar::Timestamp,
        "current_date" | "date" | "make_date" | "to_date" => Scalar::Date,
        "current_time" | "localtime" | "time" => Scalar::Time,
        "age" | "justify_days" | "justify_hours" | "justify_interval" | "make_interval" => {
            Scalar::Interval
        }
        "gen_random_uuid" | "uuid_generate_v4" => Scalar::Uuid,
        "json_agg" | "json_object" | "json_array" | "json_build_object" | "json_build_array"
        | "json_object_agg" | "json_group_array" | "json_group_object" | "to_json"
        | "row_to_json" | "json" | "json_set" => Scalar::Json,
        "jsonb_agg" | "jsonb_build_object" | "jsonb_build_array" | "jsonb_object_agg"
        | "to_jsonb" | "jsonb_set" => Scalar::Jsonb,
        "current_user" | "session_user" | "current_database" | "current_schema"
        | "current_catalog" | "user" | "pg_get_userbyid" => Scalar::Name,
        "zeroblob" | "randomblob" | "unhex" | "decode" | "sha256" => Scalar::Bytea,
        "concat"
        | "concat_ws"
        | "lower"
        | "upper"
        | "substr"
        | "substring"
        | "replace"
        | "trim"
        | "ltrim"
        | "rtrim"
        | "btrim"
        | "hex"
        | "quote"
        | "group_concat"
        | "string_agg"
        | "to_char"
        | "version"
        | "format_type"
        | "strftime"
        | "left"
        | "right"
        | "chr"
        | "md5"
        | "initcap"
        | "reverse"
        | "translate"
        | "split_part"
        | "repeat"
        | "lpad"
        | "rpad"
        | "to_hex"
        | "encode"
        | "typeof"
        | "printf"
        | "format"
        | "quote_nullable"
        | "quote_literal"
        | "obj_description"
        | "col_description"
        | "pg_get_serial_sequence"
        | "pg_get_expr"
        | "pg_get_viewdef"
        | "pg_get_indexdef"
        | "pg_get_constraintdef" => Scalar::Text,
        _ => return None,
    })
}

/// The type in the name of a function of ours: `pg_numeric_add` is of `numeric`, `pg__int4_cat` of `integer[]`.
pub fn named_result(name: &str) -> Option<Typed> {
    let rest = name.strip_prefix("pg_")?;
    let (is_array, rest) = rest.strip_prefix('_').map_or((false, rest), |rest| (true, rest));
    let scalar = Scalar::of_name(rest.split_once('_')?.0)?;
    Some(Typed::plain(if is_array { Type::Array(scalar) } else { Type::One(scalar) }))
}
