//! Changes of a column that the parser does not know: identity columns and collations. `translate/spelling/tokens/alterations.rs`
//! spells them as defaults.

use sqlparser::ast::{
    self, ColumnOption, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, SequenceOptions,
};

use super::super::names::{last, string_of};
use super::super::numbering::check_options;
use super::super::{parse, spelling};
use super::Step;
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Typed};

/// The collations of bytes, which is how all texts are compared.
const BYTES: &[&str] = &["default", "C", "POSIX", "ucs_basic"];

/// A change of how a column is numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// `ADD GENERATED AS IDENTITY`.
    Add {
        /// `ALWAYS`.
        is_always: bool,
    },
    /// `SET GENERATED`, and `RESTART`.
    Set {
        /// `ALWAYS`; `None` for as it is.
        is_always: Option<bool>,
        /// The next value.
        restart: Option<i64>,
    },
    /// `DROP IDENTITY`.
    Drop {
        /// `IF EXISTS`.
        if_exists: bool,
    },
}

/// The change of a column that a default stands for; `None` for a real one.
pub fn of_default(column: &str, value: &Expr) -> Option<Result<Step>> {
    let Expr::Function(function) = value else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    if last(&function.name) != spelling::CHANGE {
        return None;
    }
    let text = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => string_of(expr),
        _ => None,
    };
    let arguments: Vec<_> = list.args.iter().filter_map(text).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let identity = |change: Identity| Ok(Step::Identity { column: column.to_owned(), change });
    Some(match arguments[..] {
        ["drop identity", if_exists] => {
            identity(Identity::Drop { if_exists: !if_exists.is_empty() })
        }
        ["set identity", mode, restart, ref options @ ..] => {
            set(mode, restart, options).and_then(identity)
        }
        ["collate", name] => Ok(Step::Collate { column: column.to_owned(), name: name.to_owned() }),
        _ => return None,
    })
}

fn set(mode: &str, restart: &str, options: &[&str]) -> Result<Identity> {
    for option in options {
        check_options(&read(option)?)?;
    }
    let restart = match restart {
        "" => None,
        number => Some(number.parse::<i64>().map_err(|_| syntax(number))?),
    };
    if let Some(number) = restart.filter(|number| *number < 1) {
        let message = format!("RESTART value ({number}) cannot be less than MINVALUE (1)");
        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    }
    let is_always = (!mode.is_empty()).then_some(mode == "always");
    Ok(Identity::Set { is_always, restart })
}

/// An option of a sequence.
fn read(option: &str) -> Result<Vec<SequenceOptions>> {
    let sql = format!("CREATE TABLE t (c INT GENERATED ALWAYS AS IDENTITY ({option}))");
    let Some(ast::Statement::CreateTable(table)) = parse(&sql)? else {
        return Err(syntax(option));
    };
    let columns = table.columns.into_iter().flat_map(|column| column.options);
    let given = columns.filter_map(|option| match option.option {
        ColumnOption::Generated { sequence_options, .. } => sequence_options,
        _ => None,
    });
    Ok(given.flatten().collect())
}

/// Check that a column of a type may have a collation: only those of bytes are there.
///
/// # Errors
///
/// 42704 for another one, 42804 for a type that has none.
pub fn check_collation(name: &str, typed: Option<Typed>) -> Result<()> {
    let own = name.strip_prefix("pg_catalog.").unwrap_or(name);
    if !BYTES.contains(&own) {
        let message = format!("collation \"{name:.128}\" for encoding \"UTF8\" does not exist");
        return Err(Error::new(sqlstate::UNDEFINED_OBJECT, message));
    }
    let is_text = |typed: Typed| {
        use Scalar as S;
        matches!(typed.ty.scalar(), S::Text | S::Varchar | S::Bpchar | S::Name)
    };
    match typed.filter(|typed| !is_text(*typed)) {
        Some(typed) => {
            let message = format!("collations are not supported by type {}", typed.ty.name());
            Err(Error::new(sqlstate::DATATYPE_MISMATCH, message))
        }
        None => Ok(()),
    }
}

/// The steps, where a collation is a part of the change of the type.
pub fn with_collations(steps: Vec<Step>) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        match (step, merged.last_mut()) {
            (Step::Collate { name, .. }, Some(Step::Type { collation, .. })) => {
                *collation = Some(name);
            }
            (step, _) => merged.push(step),
        }
    }
    merged
}

fn syntax(near: &str) -> Error {
    Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{near:.64}\""))
}
