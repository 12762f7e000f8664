//! Casts between the names of objects and their OIDs.

use sqlparser::ast::{DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::casts::{base, is_elsewhere};
use super::names::{last, raw, string_of};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Type, Typed};

/// Types of the catalogue that are OIDs, and written as names: functions that find the OID of a
/// name, and the name of an OID.
pub const OBJECTS: &[(&str, &str, &str)] = &[
    ("regclass", "to_regclass", "pg_regclass_name"),
    ("regtype", "to_regtype", "pg_regtype_name"),
    ("regproc", "to_regproc", "pg_regproc_name"),
    ("regprocedure", "to_regprocedure", "pg_regprocedure_name"),
    ("regnamespace", "to_regnamespace", "pg_regnamespace_name"),
    ("regrole", "to_regrole", "pg_get_userbyid"),
];

/// Whether a cast writes an OID as a name.
pub fn is_name_of_object(expr: &Expr, data_type: &DataType) -> bool {
    is_object(data_type) && !is_given(expr)
}

/// Whether an expression is an object by its name: `'t'::regclass`, `to_regclass('t')`.
pub fn is_found_object(expr: &Expr) -> bool {
    match expr {
        Expr::Cast { expr, data_type, .. } => is_object(data_type) && is_given(expr),
        Expr::Function(function) if last(&function.name) == "coalesce" => {
            // Ours have what fails behind it.
            match first_argument(function) {
                Some(Expr::Function(inner)) => is_finder(&last(&inner.name)),
                _ => false,
            }
        }
        Expr::Function(function) => is_finder(&last(&function.name)),
        _ => false,
    }
}

fn is_finder(name: &str) -> bool {
    OBJECTS.iter().any(|(_, find, _)| name == *find)
}

fn first_argument(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.first()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

/// The name of a type that is the OID of an object, and the function that finds one by its name.
pub fn object_finder(data_type: &DataType) -> Option<(&'static str, &'static str)> {
    let name = type_name(data_type);
    let found = OBJECTS.iter().find(|(object, ..)| *object == name);
    found.map(|(object, find, _)| (*object, *find))
}

/// Whether a type is the OID of an object.
pub fn is_object(data_type: &DataType) -> bool {
    object_finder(data_type).is_some()
}

/// The name of a type without its schema and quotes.
pub fn type_name(data_type: &DataType) -> String {
    let name = data_type.to_string().to_lowercase().replace('"', "");
    name.strip_prefix("pg_catalog.").map(str::to_owned).unwrap_or(name)
}

/// `'t'::regclass::text`: an OID that was found by a name is written as one.
pub fn name_of_object(expr: &Expr, typed: Typed) -> Option<Expr> {
    let is_text = matches!(typed.ty, Type::One(Scalar::Text | Scalar::Varchar | Scalar::Name));
    let text = is_text.then(|| expr.to_string())?;
    let found = |(_, find, _): &&(&str, &str, &str)| {
        let text = text.strip_prefix("coalesce(").unwrap_or(&text);
        text.strip_prefix(find).is_some_and(|rest| rest.starts_with('('))
    };
    OBJECTS.iter().find(found).map(|(_, _, write)| raw(format!("{write}({text})")))
}

/// A string or a parameter: the name of an object, whose OID is wanted.
pub fn is_given(expr: &Expr) -> bool {
    string_of(expr).is_some() || expr.to_string().starts_with(['?', '$'])
}

/// The name of a type or a schema that there is not. Those of relations are found when the statement runs.
pub fn check_object(kind: &str, text: &str) -> Result<()> {
    let name = text.trim().to_lowercase().replace('"', "");
    let name = name.strip_prefix("pg_catalog.").unwrap_or(&name).trim_end_matches("[]");
    let is_number = text.trim().parse::<u32>().is_ok() || text.trim() == "-";
    match kind {
        "regtype" if !is_number && Scalar::of_name(base(name)).is_none() && !is_elsewhere(name) => {
            let message = format!("type \"{name:.64}\" does not exist");
            Err(Error::new(sqlstate::UNDEFINED_OBJECT, message))
        }
        "regnamespace"
            if !is_number && !matches!(name, "public" | "pg_catalog" | "information_schema") =>
        {
            let message = format!("schema \"{name:.64}\" does not exist");
            Err(Error::new(sqlstate::INVALID_SCHEMA, message))
        }
        _ => Ok(()),
    }
}
