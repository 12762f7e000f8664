//! `EXPLAIN`: its options, and a query in parentheses, which the parser takes for options.

use sql_tokens::Kind;
use sqlparser::ast::{Expr, UtilityOption, Value};

use super::names::folded;
use super::string_of;
use crate::error::{Error, Result, sqlstate};
use crate::lex::tokens;

/// The form of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanFormat {
    /// A row for each step.
    #[default]
    Text,
    /// One row with a tree in JSON.
    Json,
    /// One row with a tree in XML.
    Xml,
    /// One row with a tree in YAML.
    Yaml,
}

const FORMATS: [(&str, PlanFormat); 4] = [
    ("text", PlanFormat::Text),
    ("json", PlanFormat::Json),
    ("xml", PlanFormat::Xml),
    ("yaml", PlanFormat::Yaml),
];

/// Options that are on or off. SQLite's plan has nothing of them.
const SWITCHES: [&str; 8] =
    ["analyze", "verbose", "costs", "buffers", "settings", "wal", "timing", "summary"];

/// The form that options name.
///
/// # Errors
///
/// PostgreSQL's, for options and values that it does not know.
pub fn format(options: Option<&[UtilityOption]>) -> Result<PlanFormat> {
    let mut format = PlanFormat::Text;
    for option in options.unwrap_or_default() {
        let name = folded(&option.name);
        if name == "format" {
            format = format_of(option.arg.as_ref())?;
        } else if SWITCHES.contains(&name.as_str()) {
            check_switch(&name, option.arg.as_ref())?;
        } else {
            let message = format!("unrecognized EXPLAIN option \"{name}\"");
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
    }
    Ok(format)
}

fn format_of(value: Option<&Expr>) -> Result<PlanFormat> {
    let Some(value) = value else {
        return Err(Error::new(sqlstate::SYNTAX_ERROR, "format requires a parameter"));
    };
    let name = word(value);
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format).ok_or_else(|| {
        let message = format!("unrecognized value for EXPLAIN option \"format\": \"{name}\"");
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
    })
}

fn check_switch(name: &str, value: Option<&Expr>) -> Result<()> {
    match value.map(|value| word(value).to_ascii_lowercase()).as_deref() {
        None | Some("true" | "false" | "on" | "off" | "0" | "1") => Ok(()),
        Some(_) => {
            let message = format!("{name} requires a Boolean value");
            Err(Error::new(sqlstate::SYNTAX_ERROR, message))
        }
    }
}

fn word(value: &Expr) -> String {
    match value {
        Expr::Identifier(name) => folded(name),
        Expr::Value(value) if matches!(value.value, Value::Boolean(_) | Value::Number(..)) => {
            value.to_string()
        }
        other => string_of(other).unwrap_or_else(|| other.to_string()),
    }
}

/// `EXPLAIN (SELECT …)` as the parser reads it: with a word before the parenthesis that means nothing here.
pub fn with_query_in_parentheses(sql: &str) -> Option<String> {
    let mut words = tokens(sql).filter(|token| token.kind != Kind::Space);
    words.next().filter(|word| word.is("explain"))?;
    let open = words.next().filter(|word| word.is("("))?;
    let first = words.find(|word| !word.is("("))?;
    ["select", "values", "with", "table"]
        .iter()
        .any(|word| first.is(word))
        .then(|| format!("{}VERBOSE {}", &sql[..open.start], &sql[open.start..]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::one;
    use super::super::{Action, Context, translate};
    use super::*;

    #[test]
    fn options_name_the_form() {
        for (options, format) in [
            ("ANALYZE VERBOSE", PlanFormat::Text),
            ("(FORMAT JSON, ANALYZE)", PlanFormat::Json),
            ("(analyze false, costs off, format 'yaml')", PlanFormat::Yaml),
            ("(FORMAT XML, BUFFERS 1)", PlanFormat::Xml),
            ("(FORMAT json, FORMAT TEXT)", PlanFormat::Text),
        ] {
            let statement = one(&format!("EXPLAIN {options} SELECT 1"));
            assert_eq!(statement.action, Action::Explain(format), "{options}");
            assert_eq!(statement.sql, "EXPLAIN QUERY PLAN SELECT 1");
        }
    }

    #[test]
    fn unknown_options_are_refused() {
        for (options, code) in [
            ("(FORMAT)", "42601"),
            ("(FORMAT html)", "22023"),
            ("(COSTS maybe)", "42601"),
            ("(NOSUCH)", "42601"),
        ] {
            let error = translate(&format!("EXPLAIN {options} SELECT 1"), &Context::default());
            assert_eq!(error.unwrap_err().code, code, "{options}");
        }
    }

    #[test]
    fn a_query_may_be_in_parentheses() {
        for sql in [
            "EXPLAIN (SELECT 1)",
            "explain ((SELECT 1) UNION SELECT 2)",
            "EXPLAIN (FORMAT JSON) (SELECT 1)",
        ] {
            assert!(one(sql).sql.starts_with("EXPLAIN QUERY PLAN "), "{sql}");
        }
    }
}
