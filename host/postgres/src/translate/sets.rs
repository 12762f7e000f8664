//! Functions that return sets, among the columns of SELECT.
//!
//! Those of one SELECT advance together, as in Postgres: their position is that of one more table in
//! FROM, `pg_places`, which has as many rows as the longest of them. What is shorter is NULL then.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, GroupByExpr, Ident, ObjectName, Query, Select, SelectItem, TableFactor,
    TableWithJoins, VisitorMut,
};

use super::Rewriter;
use super::expressions::{array, list};
use super::names::{folded, parts, raw};
use super::visit::flow;
use crate::error::{Error, Result, sqlstate};
use crate::walk::WalkMut;

const SETS: &[&str] = &[
    "unnest",
    "generate_subscripts",
    "generate_series",
    "json_array_elements",
    "json_array_elements_text",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "_pg_expandarray",
    "pg_json_each_of",
    "pg_jsonb_each_of",
    "pg_text_each_of",
    PLACE,
];

/// The position in the sets of the same SELECT, from 1: what WITH ORDINALITY counts.
pub const PLACE: &str = "pg_set_place";

/// Marks a function that returns a set, where it may be: no name of a client has it.
const MARK: char = '\0';

/// Bytes of arguments at most. They are written twice, so that sets in each other would grow
/// without bound.
const MAX_ARGUMENTS: usize = 16 << 10;

/// Sets of a SELECT at most: PostgreSQL's own targets are fewer than 1,664, and each set is
/// counted and stepped through for each row.
const MAX_SETS: usize = 100;

/// Functions of one row that may occur with sets: nothing shows of another whether it is an
/// aggregate. Those with the beginnings in [`SCALAR_BEGINNINGS`] are of one row too.
const SCALARS: &[&str] = &[
    "abs",
    "age",
    "array",
    "array_length",
    "array_lower",
    "array_position",
    "array_to_string",
    "array_upper",
    "ascii",
    "btrim",
    "cardinality",
    "ceil",
    "ceiling",
    "char_length",
    "chr",
    "coalesce",
    "col_description",
    "concat",
    "concat_ws",
    "date_part",
    "date_trunc",
    "div",
    "exp",
    "floor",
    "format",
    "format_type",
    "gen_random_uuid",
    "greatest",
    "initcap",
    "instr",
    "json_array",
    "json_array_length",
    "json_build_array",
    "json_build_object",
    "json_extract",
    "json_object",
    "json_typeof",
    "jsonb_array_length",
    "jsonb_build_array",
    "jsonb_build_object",
    "jsonb_typeof",
    "least",
    "left",
    "length",
    "ln",
    "log",
    "lower",
    "lpad",
    "ltrim",
    "md5",
    "mod",
    "now",
    "nullif",
    "obj_description",
    "octet_length",
    "power",
    "random",
    "repeat",
    "replace",
    "reverse",
    "right",
    "round",
    "row",
    "rpad",
    "rtrim",
    "sign",
    "split_part",
    "sqrt",
    "strpos",
    "substr",
    "substring",
    "trim",
    "trunc",
    "upper",
    "version",
];

const SCALAR_BEGINNINGS: &[&str] = &["pg_", "has_", "to_", "quote_", "current_", "session_"];

/// The position in the sets.
const AT: &str = "pg_places.pg_at";

/// Finds the functions of a SELECT itself.
#[derive(Default)]
struct Marker {
    depth: u32,
    sets: usize,
    /// Sets around the expression.
    inside: u32,
    /// Whether there is a function that may be of many rows.
    has_aggregate: bool,
}

impl VisitorMut for Marker {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        match expr {
            Expr::Function(function) if self.depth == 0 => flow(self.function(function)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        if let Expr::Function(function) = expr
            && self.depth == 0
            && is_marked(function)
        {
            self.inside -= 1;
        }
        ControlFlow::Continue(())
    }
}

/// Whether a function returns a set.
pub fn is_set_name(name: &str) -> bool {
    SETS.contains(&name)
}

fn is_marked(function: &Function) -> bool {
    parts(&function.name).first().is_some_and(|name| name.value.starts_with(MARK))
}

fn is_scalar(name: &str) -> bool {
    SCALARS.contains(&name) || SCALAR_BEGINNINGS.iter().any(|start| name.starts_with(start))
}

impl Marker {
    fn function(&mut self, function: &mut Function) -> Result<()> {
        let parts = parts(&function.name);
        let is_own =
            |schema: &Ident| matches!(folded(schema).as_str(), "pg_catalog" | "information_schema");
        let name = match parts[..] {
            [name] => folded(name),
            [schema, name] if is_own(schema) => folded(name),
            _ => {
                self.has_aggregate = true;
                return Ok(());
            }
        };
        let is_set = is_set_name(&name);
        self.has_aggregate |= function.over.is_some() || !(is_set || is_scalar(&name));
        if is_set && function.over.is_none() {
            if self.inside > 0 {
                return Err(Error::unsupported("a set in the arguments of a set"));
            }
            (self.inside, self.sets) = (self.inside + 1, self.sets + 1);
            if self.sets > MAX_SETS {
                let message = format!("a SELECT has more than {MAX_SETS} sets");
                return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
            }
            function.name = ObjectName::from(Ident::new(format!("{MARK}{name}")));
        }
        Ok(())
    }
}

impl Rewriter<'_> {
    /// Mark the sets among the columns, before what is inside them is rewritten.
    pub(super) fn mark_sets(&mut self, select: &mut Select) -> Result<()> {
        self.sets.push(Vec::new());
        let mut marker = Marker::default();
        for item in &mut select.projection {
            let alias = item_name(item);
            let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item
            else {
                continue;
            };
            let before = marker.sets;
            if let ControlFlow::Break(error) = expr.walk_mut(&mut marker) {
                return Err(error);
            }
            if let (Some(alias), true) = (alias, marker.sets > before) {
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        if marker.sets == 0 {
            return Ok(());
        }
        let is_grouped =
            !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
        let has_wildcard =
            select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
        if is_grouped || marker.has_aggregate || has_wildcard {
            Err(Error::unsupported(
                "a set beside `*`, GROUP BY, OVER or a function that is not known to be of one row",
            ))
        } else {
            Ok(())
        }
    }

    /// Put the table of positions behind the others.
    pub(super) fn place_sets(&mut self, select: &mut Select) {
        let sets = self.sets.pop().unwrap_or_default();
        if sets.is_empty() {
            return;
        }
        let counts: Vec<_> = sets.iter().map(|count| format!("coalesce({count}, 0)")).collect();
        let places = format!("pg_places(max(0, {}))", counts.join(", "));
        let relation = TableFactor::Table {
            name: ObjectName::from(Ident::new(places)),
            alias: None,
            args: None,
            with_hints: Vec::new(),
            version: None,
            with_ordinality: false,
            partitions: Vec::new(),
            json_path: None,
            sample: None,
            index_hints: Vec::new(),
        };
        select.from.push(TableWithJoins { relation, joins: Vec::new() });
        self.is_changed = true;
    }

    /// A marked function: its value at the position.
    pub(super) fn set(&mut self, name: &str, arguments: &[Expr]) -> Result<Option<Expr>> {
        let Some(name) = name.strip_prefix(MARK) else { return Ok(None) };
        if list(arguments).len() > MAX_ARGUMENTS {
            let message = "the arguments of a set are too long";
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, message));
        }
        let (count, value) = match (name, arguments) {
            (PLACE, []) => ("0".to_owned(), format!("{AT} + 1")),
            ("unnest", [values]) => of_array(&array(values), |values| format!("{values} ->> {AT}")),
            ("_pg_expandarray", [values]) => of_array(&array(values), |values| {
                format!("json_object('x', {values} ->> {AT}, 'n', {AT} + 1)")
            }),
            ("generate_subscripts", [values, _]) => (
                format!("json_array_length({})", array(values)),
                format!("pg_subscript({values}, {AT})"),
            ),
            ("generate_series", [start, stop]) => of_series(start, stop, &raw("1")),
            ("generate_series", [start, stop, step]) => of_series(start, stop, step),
            (name, [values]) if name.ends_with("_text") || name.ends_with("_each_of") => {
                of_array(&values.to_string(), |values| format!("{values} ->> {AT}"))
            }
            (_, [values]) => of_array(&values.to_string(), |values| format!("{values} -> {AT}")),
            _ => return Err(Error::unsupported(format_args!("these arguments of {name}"))),
        };
        self.written(count.len())?;
        if let Some(sets) = self.sets.last_mut() {
            sets.push(count);
        }
        Ok(Some(raw(format!("({value})"))))
    }
}

/// The count and the value of an array, which is JSON.
fn of_array(values: &str, value: impl FnOnce(&str) -> String) -> (String, String) {
    (format!("json_array_length({values})"), value(&format!("({values})")))
}

fn of_series(start: &Expr, stop: &Expr, step: &Expr) -> (String, String) {
    let count = format!("pg_series_count({start}, {stop}, {step})");
    (count, format!("pg_series_at({start}, {stop}, {step}, {AT})"))
}

/// The name of a column that is such a function itself.
fn item_name(item: &SelectItem) -> Option<Ident> {
    match item {
        SelectItem::UnnamedExpr(Expr::Function(function)) => {
            parts(&function.name).last().map(|name| Ident::new(folded(name)))
        }
        _ => None,
    }
}
