//! Functions of texts.

use sqlparser::ast::Expr;

use super::Rewriter;
use super::expressions::is_short;
use super::names::{once, quoted, raw, string_of};
use crate::error::{Error, Result, sqlstate};

impl Rewriter<'_> {
    /// `substring(text from start for length)`: characters before the first one count, too.
    pub(super) fn substring(
        &self,
        text: &Expr,
        from: Option<&Expr>,
        length: Option<&Expr>,
    ) -> Result<Expr> {
        if from.is_some_and(|from| string_of(from).is_some()) {
            return Err(Error::unsupported("substring with a pattern"));
        }
        let number = |expr: &Expr| expr.to_string().parse::<i64>().ok();
        let place = from.map_or(Some(1), number);
        let count = length.map(|length| number(length).ok_or_else(|| self.length(length)));
        Ok(raw(match (place, count) {
            (_, Some(Ok(..0))) => {
                let message = "negative substring length not allowed";
                return Err(Error::new(sqlstate::SUBSTRING_ERROR, message));
            }
            (Some(place), None) => format!("substr({text}, {})", place.max(1)),
            (Some(place), Some(Ok(count))) => {
                let end = place.saturating_add(count);
                let place = place.max(1);
                format!("substr({text}, {place}, {})", end.saturating_sub(place).max(0))
            }
            (Some(place @ 1..), Some(Err(count))) => format!("substr({text}, {place}, {count})"),
            (Some(place), Some(Err(count))) => {
                format!("substr({text}, 1, max(({count}) - {}, 0))", 1_i64.saturating_sub(place))
            }
            (None, _) => return Ok(self.part_from(text, from, length)),
        }))
    }

    fn part_from(&self, text: &Expr, from: Option<&Expr>, length: Option<&Expr>) -> Expr {
        let from = from.cloned().unwrap_or_else(|| raw("1"));
        match length {
            None => raw(format!("substr({text}, max({from}, 1))")),
            Some(length) => {
                let length = raw(self.length(length));
                once(
                    "substr(x, max(p, 1), max(n + min(p, 1) - 1, 0))",
                    &[("x", text), ("p", &from), ("n", &length)],
                )
            }
        }
    }

    /// A length, which is an error where it is negative. A definition keeps what other programs can read.
    fn length(&self, length: &Expr) -> String {
        if self.is_definition {
            format!("max({length}, 0)")
        } else if is_short(length) {
            format!("iif({length} >= 0, {length}, pg_int4_length({length}))")
        } else {
            format!("pg_int4_length({length})")
        }
    }
}

/// `format('%s %I %L', …)`.
pub fn formatted(pattern: &Expr, arguments: &[Expr]) -> Result<Expr> {
    let pattern = string_of(pattern)
        .ok_or_else(|| Error::unsupported("format with a pattern that is not constant"))?;
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), pattern.as_str());
    let mut arguments: Vec<_> = arguments.iter().map(Some).collect();
    let mut place = 0;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let (given, kind, tail) = specifier(after)?;
        rest = tail;
        if kind == '%' {
            text.push('%');
            continue;
        }
        place = given.unwrap_or(place);
        let argument = arguments.get_mut(place).ok_or_else(|| {
            Error::new(sqlstate::INVALID_PARAMETER_VALUE, "too few arguments for format()")
        })?;
        let argument =
            argument.take().ok_or_else(|| Error::unsupported("an argument of format twice"))?;
        place += 1;
        parts.push(quoted(&std::mem::take(&mut text)));
        parts.push(match kind {
            's' => format!("coalesce(CAST({argument} AS TEXT), '')"),
            'I' => format!("pg_text_format_ident({argument})"),
            _ => format!("coalesce(quote_literal({argument}), 'NULL')"),
        });
    }
    text.push_str(rest);
    parts.push(quoted(&text));
    Ok(raw(format!("({})", parts.join(" || "))))
}

/// What is behind a `%`: the position of an argument, from 0, the kind, and the rest.
fn specifier(after: &str) -> Result<(Option<usize>, char, &str)> {
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (place, after) = match after[digits..].strip_prefix('$') {
        Some(rest) => (after[..digits].parse::<usize>().ok(), rest),
        None => (None, after),
    };
    let kind = after.chars().next().filter(|kind| "sIL%".contains(*kind));
    let kind = kind.filter(|_| place != Some(0));
    let kind = kind.ok_or_else(|| Error::unsupported(format_args!("format with %{after:.10}")))?;
    Ok((place.map(|place| place - 1), kind, &after[1..]))
}
