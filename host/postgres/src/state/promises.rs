//! Values of parameters that this server keeps, and those that would promise what it does not do.

use super::parameters::Parameter;
use super::zones;
use crate::error::{Error, Result, sqlstate};

/// Encodings that need no conversion.
const ENCODINGS: &[(&str, &str)] =
    &[("utf8", "UTF8"), ("unicode", "UTF8"), ("sqlascii", "SQL_ASCII")];

/// Those that would need one.
const OTHER_ENCODINGS: &[&str] = &[
    "latin", "iso88", "win", "windows", "euc", "koi8", "big5", "sjis", "shiftjis", "gbk",
    "gb18030", "uhc", "johab", "mule", "alt", "tcvn", "abc", "vscii", "mskanji",
];

/// Values that mean that nothing is done.
const ONLY: &[(&str, &[&str], &str)] = &[
    ("array_nulls", &["on"], "NULL is an element of an array"),
    ("bytea_output", &["hex"], "bytea is written in hex"),
    ("IntervalStyle", &["postgres", "iso_8601"], "set postgres or iso_8601"),
    ("quote_all_identifiers", &["off"], "names are quoted where they need it"),
    ("standard_conforming_strings", &["on"], "a backslash in '…' is a character; write E'…'"),
    ("transform_null_equals", &["off"], "write IS NULL"),
    ("timezone_abbreviations", &["Default"], "the abbreviations are PostgreSQL's"),
];

/// Locales by whose rules all is written.
const LOCALES: &[&str] = &["", "C", "POSIX", "C.UTF-8", "en_US.UTF-8", "en_US.utf8", "en_US"];

/// A value as it is kept.
///
/// # Errors
///
/// 22023 for a text that is not a value, 0A000 for what this server does not do.
pub fn value(parameter: &Parameter, text: &str) -> Result<String> {
    let value = parameter.read(text)?;
    let name = parameter.name;
    if let Some((_, kept, hint)) = ONLY.iter().find(|(known, ..)| *known == name) {
        return if kept.contains(&value.as_str()) {
            Ok(value)
        } else {
            Err(refused(name, &value).hint(*hint))
        };
    }
    match name {
        "client_encoding" => encoding(parameter, &value),
        "TimeZone" => zones::read(&value).ok_or_else(|| {
            if zones::may_be_one(&value) {
                refused(name, &value).hint("the server's time zone is UTC")
            } else {
                parameter.invalid(&value)
            }
        }),
        "DateStyle" => date_style(parameter, &value),
        "extra_float_digits" if !matches!(value.as_str(), "1" | "2" | "3") => {
            Err(refused(name, &value).hint("numbers are written with all their digits; set 1 to 3"))
        }
        "lc_monetary" | "lc_numeric" | "lc_time" => {
            if LOCALES.contains(&value.as_str()) {
                Ok(value)
            } else {
                Err(refused(name, &value).hint("the locale is C"))
            }
        }
        "default_tablespace" | "temp_tablespaces" => match value.trim_matches('"') {
            "" | "pg_default" => Ok(value),
            other => Err(missing(parameter, &value, &format!("Tablespace \"{other}\""))),
        },
        "default_table_access_method" => match value.as_str() {
            "heap" => Ok(value),
            other => Err(missing(parameter, &value, &format!("Table access method \"{other}\""))),
        },
        // It is in the messages of the server, so it has printable characters only.
        "application_name" => {
            let printed = |byte: u8| if matches!(byte, b' '..=b'~') { byte as char } else { '?' };
            Ok(value.bytes().map(printed).take(MAX_NAME).collect())
        }
        _ => Ok(value),
    }
}

/// Bytes of a name at most.
const MAX_NAME: usize = 63;

fn refused(name: &str, value: &str) -> Error {
    let value: String = value.chars().take(MAX_NAME).collect();
    Error::unsupported(format_args!("{name} = '{value}'"))
}

fn missing(parameter: &Parameter, value: &str, what: &str) -> Error {
    parameter.invalid(value).detail(format!("{what} does not exist."))
}

fn encoding(parameter: &Parameter, value: &str) -> Result<String> {
    let is_part = |c: &char| c.is_ascii_alphanumeric();
    let plain: String = value.chars().filter(is_part).map(|c| c.to_ascii_lowercase()).collect();
    if let Some((_, name)) = ENCODINGS.iter().find(|(known, _)| *known == plain) {
        return Ok((*name).to_owned());
    }
    if OTHER_ENCODINGS.iter().any(|known| plain.starts_with(known)) {
        Err(refused(parameter.name, value).hint("the encoding is UTF8"))
    } else {
        Err(parameter.invalid(value))
    }
}

/// `ISO`, and an order of day, month and year: other formats are not written.
fn date_style(parameter: &Parameter, value: &str) -> Result<String> {
    let mut order = "MDY";
    for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "iso" | "default" => {}
            "mdy" | "us" => order = "MDY",
            word if word.starts_with("noneuro") => order = "MDY",
            "ymd" | "dmy" => {
                return Err(refused(parameter.name, value).hint("write dates as 2026-01-31"));
            }
            word if ["sql", "postgres", "german", "euro"]
                .iter()
                .any(|known| word.starts_with(known)) =>
            {
                return Err(refused(parameter.name, value).hint("dates are written as 2026-01-31"));
            }
            other => {
                let detail = format!("Unrecognized key word: \"{other}\".");
                return Err(parameter.invalid(value).detail(detail));
            }
        }
    }
    Ok(format!("ISO, {order}"))
}

/// Whether this sets who the user is, which may only be who it is already.
///
/// # Errors
///
/// 22023 for a role that does not exist, 0A000 for the seed of random numbers.
pub fn is_identity(name: &str, value: Option<&str>, user: &str) -> Result<bool> {
    let is_own = value.is_none_or(|value| value == user);
    match name {
        "role" if is_own || value == Some("none") => Ok(true),
        "session_authorization" if is_own => Ok(true),
        "role" | "session_authorization" => {
            let message = format!("role \"{}\" does not exist", value.unwrap_or_default());
            Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
        }
        "seed" => Err(Error::unsupported("a seed of random()")),
        _ => Ok(false),
    }
}

/// Whether a client may invent this name.
///
/// # Errors
///
/// 42602 where its parts are no simple names.
pub fn check_own_name(name: &str) -> Result<()> {
    let is_simple = |part: &str| {
        let is_first = |c: char| c.is_alphabetic() || c == '_';
        part.starts_with(is_first) && part.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    if name.len() <= 2 * MAX_NAME && name.split('.').all(is_simple) {
        return Ok(());
    }
    let detail = "Custom parameter names must be two or more simple identifiers separated by dots.";
    let shown: String = name.chars().take(MAX_NAME).collect();
    let message = format!("invalid configuration parameter name \"{shown}\"");
    Err(Error::new("42602", message).detail(detail))
}
