//! Expressions.

use sqlparser::ast::{
    AccessExpr, Array, BinaryOperator, DateTimeField, Expr, Ident, Subscript, TrimWhereField,
    TypedString, UnaryOperator, Value, ValueWithSpan,
};

use super::names::{folded, literal, once, quoted, raw, string_of};
use super::patterns::glob;
use super::{Rewriter, dates};
use crate::error::{Error, Result};

impl Rewriter<'_> {
    /// Strings as SQLite writes them. The parser's own writer would take a backslash for an escape.
    pub(super) fn value(&mut self, value: &mut ValueWithSpan) -> Result<()> {
        let text = match &value.value {
            Value::SingleQuotedString(text) => text,
            Value::EscapedStringLiteral(text) | Value::UnicodeStringLiteral(text) => {
                self.is_changed = true;
                text
            }
            Value::DollarQuotedString(text) => {
                self.is_changed = true;
                &text.value
            }
            Value::HexStringLiteral(_) | Value::Null | Value::Boolean(_) | Value::Number(..) => {
                return Ok(());
            }
            Value::Placeholder(name) => {
                // `$1`: the text without other changes has it too.
                value.value = Value::Placeholder(name.replacen('$', "?", 1));
                return Ok(());
            }
            other => return Err(Error::unsupported(format_args!("the literal {other}"))),
        };
        if text.contains('\0') {
            return Err(Error::new(
                crate::error::sqlstate::NOT_IN_REPERTOIRE,
                "a string contains a zero",
            ));
        }
        value.value = Value::Number(quoted(text), false);
        Ok(())
    }

    /// An expression whose parts have been rewritten.
    pub(super) fn expression(&mut self, expr: &mut Expr) -> Result<()> {
        if let Expr::CompoundIdentifier(parts) = expr {
            return self.column_name(parts);
        }
        if let Some(with) = self.rewritten_expression(expr)? {
            match &with {
                Expr::Identifier(text) => self.written(text.value.len())?,
                Expr::Value(ValueWithSpan { value: Value::Number(text, _), .. }) => {
                    self.written(text.len())?;
                }
                _ => {}
            }
            self.replace(expr, with);
        }
        Ok(())
    }

    fn rewritten_expression(&mut self, expr: &mut Expr) -> Result<Option<Expr>> {
        Ok(Some(match expr {
            Expr::Cast { expr, data_type, .. } => self.cast(expr, data_type)?,
            Expr::TypedString(TypedString { data_type, value, .. }) => {
                let text = Expr::Value(value.clone());
                self.cast(&text, data_type)?
            }
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                like(expr, pattern, escape_char.as_deref(), *negated, Case::Sensitive)?
            }
            Expr::ILike { negated, any: false, expr, pattern, escape_char } => {
                like(expr, pattern, escape_char.as_deref(), *negated, Case::Insensitive)?
            }
            Expr::Like { .. } | Expr::ILike { .. } => return Err(Error::unsupported("LIKE ANY")),
            Expr::SimilarTo { .. } => return Err(Error::unsupported("SIMILAR TO")),
            Expr::IsUnknown(inner) => raw(format!("({inner}) IS NULL")),
            Expr::IsNotUnknown(inner) => raw(format!("({inner}) IS NOT NULL")),
            Expr::BinaryOp { left, op, right } => {
                if matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo) {
                    self.divisor(right)?;
                }
                return binary(left, op, right);
            }
            // Two signs side by side would be a comment.
            Expr::UnaryOp { op: UnaryOperator::Minus, expr }
                if matches!(
                    **expr,
                    Expr::UnaryOp { .. } | Expr::Value(_) | Expr::Identifier(_)
                ) && expr.to_string().starts_with('-') =>
            {
                let inner = std::mem::replace(&mut **expr, Expr::Value(Value::Null.into()));
                self.replace(&mut **expr, Expr::Nested(Box::new(inner)));
                return Ok(None);
            }
            Expr::UnaryOp { op, expr } => return unary(op, expr),
            Expr::AnyOp { left, compare_op, right, .. } => {
                quantified(left, compare_op, right, false)?
            }
            Expr::AllOp { left, compare_op, right } => quantified(left, compare_op, right, true)?,
            Expr::Array(Array { elem, .. }) => raw(format!("json_array({})", list(elem))),
            Expr::AtTimeZone { timestamp, time_zone } => at_time_zone(timestamp, time_zone)?,
            Expr::Extract { field, expr, .. } => raw(dates::extracted(&field_name(field), expr)?),
            Expr::Position { expr, r#in } => raw(format!("instr({in}, {expr})", in = r#in)),
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                self.substring(expr, substring_from.as_deref(), substring_for.as_deref())?
            }
            Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
                let inner = trim_characters.as_ref().and_then(|list| list.first());
                match (trim_where, trim_what.as_deref().or(inner)) {
                    (None, None) => return Ok(None),
                    (place, what) => trim(place.as_ref(), what, expr),
                }
            }
            Expr::Overlay { .. } => return Err(Error::unsupported("OVERLAY")),
            Expr::Collate { expr, collation } => match super::names::last(collation).as_str() {
                "default" => (**expr).clone(),
                "C" | "c" | "POSIX" | "posix" | "ucs_basic" => {
                    raw(format!("{expr} COLLATE BINARY"))
                }
                _ => return Ok(None),
            },
            Expr::Function(function) => {
                self.order_within(function);
                return self.function(function);
            }
            Expr::Identifier(name) => return Ok(self.keyword(name)),
            Expr::Interval(_) => return Ok(None),
            Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => {
                return Err(Error::unsupported("GROUPING SETS, CUBE and ROLLUP"));
            }
            Expr::CompoundFieldAccess { root, access_chain } => subscript(root, access_chain)?,
            _ => return Ok(None),
        }))
    }

    /// What SQLite divides by: it makes NULL of a division by zero. A definition keeps what other
    /// programs can read.
    pub(super) fn divisor(&mut self, by: &mut Expr) -> Result<()> {
        let number = by.to_string().parse::<f64>();
        if self.is_definition || number.is_ok_and(|number| number != 0.0) {
            return Ok(());
        }
        // A short one is written more than once, and calls nothing.
        let checked = if is_short(by) {
            format!("iif({by}, {by}, pg_divisor({by}))")
        } else {
            format!("pg_divisor({by})")
        };
        self.written(checked.len())?;
        self.replace(by, raw(checked));
        Ok(())
    }

    /// Words that are calls without parentheses.
    pub(super) fn keyword(&self, name: &Ident) -> Option<Expr> {
        if name.quote_style.is_some() {
            return None;
        }
        Some(match name.value.to_ascii_lowercase().as_str() {
            "current_user" | "session_user" | "user" | "current_role" => {
                literal(&self.context.user)
            }
            "current_catalog" => literal(&self.context.database),
            "current_schema" => literal("public"),
            "current_timestamp" | "localtimestamp" => raw(dates::NOW),
            "localtime" => raw("time('now')"),
            _ => return None,
        })
    }
}

/// Whether it is a column or a parameter, and no piece of SQL.
pub(super) fn is_short(expr: &Expr) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = |name: &Ident| {
        name.value.len() <= 64 && (name.quote_style.is_some() || name.value.chars().all(is_part))
    };
    match expr {
        Expr::Identifier(name) => is_name(name),
        Expr::CompoundIdentifier(parts) => parts.iter().all(is_name),
        Expr::Value(value) => matches!(value.value, Value::Placeholder(_)),
        _ => false,
    }
}

pub fn list(expressions: &[Expr]) -> String {
    expressions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn field_name(field: &DateTimeField) -> String {
    field.to_string().trim_matches('\'').to_owned()
}

#[derive(Clone, Copy, PartialEq)]
enum Case {
    Sensitive,
    Insensitive,
}

/// LIKE compares cases in Postgres and not in SQLite; GLOB does, and may use an index.
fn like(
    expr: &Expr,
    pattern: &Expr,
    escape: Option<&Expr>,
    is_not: bool,
    case: Case,
) -> Result<Expr> {
    let escape = match escape.map(string_of) {
        None => Some('\\'),
        Some(Some(text)) if text.chars().count() <= 1 => text.chars().next(),
        Some(_) => return Err(Error::unsupported("ESCAPE with something else than a character")),
    };
    let not = if is_not { "NOT " } else { "" };
    if case == Case::Insensitive {
        string_of(pattern).map(|text| glob(&text, escape)).transpose()?;
        let escape =
            escape.map_or(String::new(), |c| format!(" ESCAPE {}", quoted(&c.to_string())));
        return Ok(raw(format!("({expr} {not}LIKE {pattern}{escape})")));
    }
    let glob = match string_of(pattern) {
        Some(text) => quoted(&glob(&text, escape)?),
        None if escape == Some('\\') => format!("pg_like_glob({pattern})"),
        None => {
            let escape = escape.map_or(String::new(), |c| c.to_string());
            format!("pg_like_glob({pattern}, {})", quoted(&escape))
        }
    };
    Ok(raw(format!("({expr} {not}GLOB {glob})")))
}

/// An operator by its name, for `OPERATOR(pg_catalog.~)` too.
pub fn operator(op: &BinaryOperator) -> String {
    match op {
        BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().cloned().unwrap_or_default(),
        other => other.to_string(),
    }
}

fn binary(left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<Option<Expr>> {
    let name = operator(op);
    let is_custom = matches!(op, BinaryOperator::PGCustomBinaryOperator(_));
    if let (true, Some(span)) = (matches!(name.as_str(), "+" | "-"), dates::span(right)) {
        return Ok(Some(raw(dates::moved(left, span?, name == "-"))));
    }
    if let ("+", Some(span)) = (name.as_str(), dates::span(left)) {
        return Ok(Some(raw(dates::moved(right, span?, false))));
    }
    Ok(Some(match name.as_str() {
        "~" => raw(format!("pg_regex({left}, {right}, '')")),
        "~*" => raw(format!("pg_regex({left}, {right}, 'i')")),
        "!~" => raw(format!("(NOT pg_regex({left}, {right}, ''))")),
        "!~*" => raw(format!("(NOT pg_regex({left}, {right}, 'i'))")),
        "~~" => like(left, right, None, false, Case::Sensitive)?,
        "~~*" => like(left, right, None, false, Case::Insensitive)?,
        "!~~" => like(left, right, None, true, Case::Sensitive)?,
        "!~~*" => like(left, right, None, true, Case::Insensitive)?,
        "^" => raw(format!("pow({left}, {right})")),
        "#" => once("(x | y) - (x & y)", &[("x", left), ("y", right)]),
        "#>" | "#>>" | "@>" | "<@" | "?" | "?|" | "?&" | "@@" | "@?" | "&&" | "#-" | "^@"
        | "-|-" => {
            return Err(Error::unsupported(format_args!("the operator {name}")));
        }
        _ if is_custom => raw(format!("({left} {name} {right})")),
        _ => return Ok(None),
    }))
}

fn unary(op: &UnaryOperator, expr: &Expr) -> Result<Option<Expr>> {
    Ok(match op {
        UnaryOperator::Plus
        | UnaryOperator::Minus
        | UnaryOperator::Not
        | UnaryOperator::BitwiseNot => None,
        UnaryOperator::PGAbs => Some(raw(format!("abs({expr})"))),
        UnaryOperator::PGSquareRoot => Some(raw(format!("sqrt({expr})"))),
        other => return Err(Error::unsupported(format_args!("the operator {other}"))),
    })
}

/// `left op ANY (right)`: the values of a subquery, or of an array, which is JSON.
fn quantified(left: &Expr, op: &BinaryOperator, right: &Expr, is_all: bool) -> Result<Expr> {
    let (values, is_query) = match right {
        Expr::Subquery(query) => (query.to_string(), true),
        Expr::Nested(inner) => return quantified(left, op, inner, is_all),
        // ANY and ALL of NULL are NULL, as of a NULL among the elements.
        _ => (format!("SELECT value FROM json_each(coalesce({}, '[null]'))", array(right)), false),
    };
    let operator = operator(op);
    Ok(raw(match (operator.as_str(), is_all) {
        ("=", false) => format!("({left} IN ({values}))"),
        ("<>" | "!=", true) => format!("({left} NOT IN ({values}))"),
        ("<>" | "!=" | "<" | "<=" | ">" | ">=", false) if !is_query => {
            format!("EXISTS ({values} WHERE {left} {operator} value)")
        }
        ("=" | "<" | "<=" | ">" | ">=", true) if !is_query => {
            format!("NOT EXISTS ({values} WHERE NOT ({left} {operator} value))")
        }
        _ => {
            let word = if is_all { "ALL" } else { "ANY" };
            return Err(Error::unsupported(format_args!("{operator} {word}")));
        }
    }))
}

/// An array as JSON: a parameter is that already, a column may have Postgres' own text.
pub fn array(expr: &Expr) -> String {
    let text = expr.to_string();
    let is_json = ["?", "json_", "pg_array_json"].iter().any(|start| text.starts_with(start));
    if is_json { text } else { format!("pg_array_json({text})") }
}

/// `array[1]`, and `(composite).field`, where the composite is JSON.
fn subscript(root: &Expr, chain: &[AccessExpr]) -> Result<Expr> {
    match chain {
        // The parser takes the name of a table for a composite.
        [AccessExpr::Dot(Expr::Identifier(column)), rest @ ..] if !rest.is_empty() => {
            let mut parts = match root {
                Expr::Identifier(name) => vec![name.clone()],
                Expr::CompoundIdentifier(parts) => parts.clone(),
                _ => return Err(Error::unsupported("this subscript")),
            };
            parts.push(column.clone());
            subscript(&Expr::CompoundIdentifier(parts), rest)
        }
        [AccessExpr::Subscript(Subscript::Index { index })] => {
            Ok(raw(format!("({} ->> {})", array(root), place(root, index))))
        }
        [AccessExpr::Dot(Expr::Identifier(field))] => {
            Ok(raw(format!("({root} ->> {})", quoted(&folded(field)))))
        }
        _ => Err(Error::unsupported("this subscript")),
    }
}

/// Columns of the catalogue that are vectors, which begin at 0.
const VECTORS: &[&str] = &["indkey", "indclass", "indoption", "indcollation", "proargtypes"];

/// Where an element is in the JSON of an array, from 0; NULL for nowhere, since SQLite would count a
/// negative position from the end. What has the name of a vector may be a user's array: its values say
/// where they begin.
fn place(root: &Expr, index: &Expr) -> String {
    let first = if is_vector(root) { format!("array_lower({root}, 1)") } else { "1".to_owned() };
    match index.to_string().parse::<u64>() {
        Ok(1..) if !is_vector(root) => format!("(({index}) - 1)"),
        _ => format!("nullif(max(({index}) - {first}, -1), -1)"),
    }
}

fn is_vector(expr: &Expr) -> bool {
    let name = match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    };
    name.is_some_and(|name| VECTORS.contains(&folded(name).as_str()))
}

fn at_time_zone(timestamp: &Expr, zone: &Expr) -> Result<Expr> {
    let name = string_of(zone).unwrap_or_default();
    if !crate::state::is_utc(&name) {
        return Err(Error::unsupported(format_args!("AT TIME ZONE {zone}: only UTC")));
    }
    Ok(timestamp.clone())
}

fn trim(place: Option<&TrimWhereField>, what: Option<&Expr>, expr: &Expr) -> Expr {
    let function = match place {
        Some(TrimWhereField::Leading) => "ltrim",
        Some(TrimWhereField::Trailing) => "rtrim",
        _ => "trim",
    };
    let what = what.map_or(String::new(), |what| format!(", {what}"));
    raw(format!("{function}({expr}{what})"))
}
