//! Functions.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName,
};

use super::expressions::list;
use super::names::{literal, once, parts, raw, string_of};
use super::unknown::is_refused;
use super::{Rewriter, dates, session_calls, texts};
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::named_result;
use crate::walk::visit_expressions;

/// Functions that SQLite has by another name.
const RENAMED: &[(&str, &str)] = &[
    ("char_length", "length"),
    ("character_length", "length"),
    ("octet_length", "octet_length"),
    ("strpos", "instr"),
    ("chr", "pg_text_chr"),
    ("btrim", "trim"),
    ("power", "pow"),
    ("ceiling", "ceil"),
    ("bool_and", "min"),
    ("every", "min"),
    ("bool_or", "max"),
    ("array_agg", "json_group_array"),
    ("json_agg", "json_group_array"),
    ("jsonb_agg", "json_group_array"),
    ("json_object_agg", "json_group_object"),
    ("jsonb_object_agg", "json_group_object"),
    ("json_build_object", "json_object"),
    ("jsonb_build_object", "json_object"),
    ("json_build_array", "json_array"),
    ("jsonb_build_array", "json_array"),
    ("cardinality", "json_array_length"),
    ("jsonb_array_length", "json_array_length"),
    ("json_typeof", "json_type"),
    ("jsonb_typeof", "json_type"),
    ("to_json", "json_quote"),
    ("to_jsonb", "json_quote"),
    ("substring", "substr"),
];

/// A UUID of version 4, whose variant is in two bits of its fourth group, by RFC 9562.
const RANDOM_UUID: &str = "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || \
    substr(hex(randomblob(2)), 2) || '-' || substr('89AB', 1 + (random() & 3), 1) || \
    substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))";

/// Aggregates that are NULL without rows, and of SQLite's an empty array.
const SOME: &[&str] = &["array_agg", "json_agg", "jsonb_agg"];

impl Rewriter<'_> {
    pub(super) fn function(&mut self, function: &mut Function) -> Result<Option<Expr>> {
        self.unqualified(&mut function.name)?;
        let [name] = parts(&function.name)[..] else { return Ok(None) };
        let name = name.value.to_ascii_lowercase();
        let is_set = name.ends_with("_each_of");
        if (named_result(&name).is_some() || name.starts_with("pg_array_")) && !is_set {
            // Ours, which may be in each other hundreds deep: nothing is written anew.
            return Ok(None);
        }
        if !function.within_group.is_empty() {
            return Err(Error::unsupported("WITHIN GROUP"));
        }
        if is_refused(&name) {
            return Err(Error::unsupported(format_args!("the function {name}")));
        }
        let arguments = match &function.args {
            FunctionArguments::None => {
                return Ok(self.keyword(&Ident::new(&name)).or_else(|| constant(&name)));
            }
            FunctionArguments::List(list) => plain(&list.args),
            FunctionArguments::Subquery(query) if name == "array" => {
                return Ok(Some(raw(format!(
                    "(WITH pg_rows(x) AS ({query}) SELECT json_group_array(x) FROM pg_rows)"
                ))));
            }
            FunctionArguments::Subquery(_) => return Ok(None),
        };
        if let Some(arguments) = &arguments
            && let Some(value) = self.set(&name, arguments)?
        {
            return Ok(Some(value));
        }
        if let Some(arguments) = &arguments
            && let Some(sql) = self.call(&name, arguments)?
        {
            return Ok(Some(sql));
        }
        let is_some = SOME.contains(&name.as_str());
        if let Some((_, renamed)) = RENAMED.iter().find(|(from, to)| *from == name && from != to) {
            self.replace(&mut function.name, ObjectName::from(Ident::new(*renamed)));
        }
        Ok(is_some.then(|| raw(format!("nullif({function}, '[]')"))))
    }

    /// `pg_catalog.f` is `f`.
    fn unqualified(&mut self, name: &mut ObjectName) -> Result<()> {
        let [schema, function] = parts(name)[..] else { return Ok(()) };
        match super::names::folded(schema).as_str() {
            "pg_catalog" | "public" | "information_schema" => {
                let function = function.clone();
                self.replace(name, ObjectName::from(function));
                Ok(())
            }
            other => {
                let message = format!("schema \"{other}\" does not exist");
                Err(Error::new(sqlstate::INVALID_SCHEMA, message))
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> Result<Option<Expr>> {
        if let Some(call) = session_calls::call(name, arguments, self.is_definition)? {
            return Ok(Some(call));
        }
        Ok(Some(match (name, arguments) {
            ("now" | "transaction_timestamp" | "statement_timestamp" | "clock_timestamp", []) => {
                raw(dates::NOW)
            }
            ("current_timestamp" | "localtimestamp", []) => raw(dates::NOW),
            ("current_timestamp" | "localtimestamp", [precision]) => {
                raw(dates::now_to(&precision.to_string())?)
            }
            ("current_time" | "localtime", [_]) => raw("time('now')"),
            ("current_database", []) => literal(&self.context.database),
            ("current_user" | "session_user", []) => literal(&self.context.user),
            ("current_schema", []) => literal("public"),
            ("version", []) => literal(crate::state::VERSION_TEXT),
            ("pg_backend_pid", []) => raw(self.context.process.to_string()),
            ("format", [pattern, arguments @ ..]) => texts::formatted(pattern, arguments)?,
            ("substring" | "substr", [text, from]) => self.substring(text, Some(from), None)?,
            ("substring" | "substr", [text, from, length]) => {
                self.substring(text, Some(from), Some(length))?
            }
            ("gen_random_uuid" | "uuid_generate_v4", []) => raw(RANDOM_UUID),
            ("random", []) => raw("((random() & 9007199254740991) / 9007199254740992.0)"),
            ("mod", [a, b]) => raw(format!("(({a}) % ({}))", self.divided_by(b)?)),
            ("greatest", [_, ..]) => extreme("max", arguments)?,
            ("least", [_, ..]) => extreme("min", arguments)?,
            ("div", [a, b]) => raw(format!("CAST(({a}) / ({}) AS INTEGER)", self.divided_by(b)?)),
            ("left", [text, count]) => once(
                "substr(x, 1, iif(n < 0, max(0, length(x) + n), n))",
                &[("x", text), ("n", count)],
            ),
            ("right", [text, count]) => once(
                "substr(x, iif(n < 0, 1 - n, max(1, length(x) - n + 1)))",
                &[("x", text), ("n", count)],
            ),
            ("date_trunc", [_, _, _]) => {
                return Err(Error::unsupported("date_trunc with a time zone"));
            }
            ("date_trunc", [field, moment]) => match string_of(field) {
                Some(field) => raw(dates::truncated(&field, moment)?),
                None => {
                    return Err(Error::unsupported("date_trunc with a field that is not constant"));
                }
            },
            ("date_part", [field, moment]) => match string_of(field) {
                Some(field) => raw(dates::extracted(&field, moment)?),
                None => {
                    return Err(Error::unsupported("date_part with a field that is not constant"));
                }
            },
            ("to_char", [moment, pattern]) => match string_of(pattern) {
                Some(pattern) => raw(dates::formatted(moment, &pattern)?),
                None => {
                    return Err(Error::unsupported("to_char with a pattern that is not constant"));
                }
            },
            ("to_timestamp", [seconds]) => raw(dates::canonical(&format!(
                "strftime('%Y-%m-%d %H:%M:%f', {seconds}, 'unixepoch')"
            ))),
            ("timezone", [zone, moment])
                if string_of(zone).is_some_and(|zone| crate::state::is_utc(&zone)) =>
            {
                moment.clone()
            }
            ("array_length", [array, _]) => raw(format!("nullif(json_array_length({array}), 0)")),
            ("array_to_string", [array, between]) => raw(format!(
                "(SELECT group_concat(value, {between}) FROM json_each(pg_array_json({array})))"
            )),
            (
                "regexp_match"
                | "regexp_matches"
                | "string_to_array"
                | "unnest"
                | "json_each"
                | "jsonb_each"
                | "json_each_text"
                | "jsonb_each_text"
                | "row_to_json"
                | "json_object_keys"
                | "jsonb_object_keys"
                | "jsonb_set"
                | "jsonb_insert"
                | "array_remove"
                | "array_replace"
                | "json_populate_record"
                | "jsonb_populate_record"
                | "json_to_record"
                | "jsonb_to_record"
                | "json_to_recordset"
                | "jsonb_to_recordset"
                | "jsonb_path_query"
                | "jsonb_path_exists"
                | "justify_days"
                | "isfinite"
                | "regexp_split_to_array",
                _,
            ) => {
                return Err(Error::unsupported(format_args!("the function {name}")));
            }
            ("json_object", [_]) | ("jsonb_object", _) => {
                return Err(Error::unsupported(format_args!("{name} of an array")));
            }
            ("row", _) => raw(format!("({})", list(arguments))),
            _ => return Ok(None),
        }))
    }

    fn divided_by(&mut self, by: &Expr) -> Result<Expr> {
        let mut by = by.clone();
        self.divisor(&mut by)?;
        Ok(by)
    }
}

/// The largest or smallest value. SQLite's function with several arguments is NULL where one of them
/// is; its aggregate ignores NULL, as Postgres does.
fn extreme(aggregate: &str, arguments: &[Expr]) -> Result<Expr> {
    let window = visit_expressions(&arguments.to_vec(), |expr| match expr {
        Expr::Function(function) if function.over.is_some() => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    if window.is_break() {
        // In a subquery it would see one row.
        return Err(Error::unsupported("a window function in greatest or least"));
    }
    let names: Vec<_> = (0..arguments.len()).map(|index| format!("x{index}")).collect();
    let values: Vec<_> = names.iter().map(String::as_str).zip(arguments).collect();
    let all = names.iter().map(|name| format!("SELECT {name} AS v")).collect::<Vec<_>>();
    Ok(once(&format!("(SELECT {aggregate}(v) FROM ({}))", all.join(" UNION ALL ")), &values))
}

/// Functions without parentheses.
fn constant(name: &str) -> Option<Expr> {
    (name == "localtimestamp").then(|| raw(dates::NOW))
}

/// The arguments, where all are expressions.
fn plain(arguments: &[FunctionArg]) -> Option<Vec<Expr>> {
    let expression = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    };
    arguments.iter().map(expression).collect()
}
