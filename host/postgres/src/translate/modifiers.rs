//! What is in parentheses behind the name of a type.

use sqlparser::ast::DataType;

use crate::error::{Error, Result, sqlstate};

/// The longest `varchar(n)`.
const MAX_LENGTH: i64 = 10_485_760;

/// The most digits of `numeric(p, s)`, and of `s` on both sides of the point.
const MAX_DIGITS: i64 = 1000;

/// The bits of the longest float.
const MAX_BITS: i64 = 53;

/// Check the modifier of a type.
///
/// # Errors
///
/// 22023 for one that PostgreSQL does not take, 0A000 for one that this server does not.
pub fn check_modifier(data_type: &DataType) -> Result<()> {
    let text = data_type.to_string().to_lowercase();
    let Some((name, rest)) = text.split_once('(') else { return Ok(()) };
    let inside = rest.split(')').next().unwrap_or_default();
    let numbers: Option<Vec<i64>> =
        inside.split(',').map(|number| number.trim().parse().ok()).collect();
    let Some(numbers) = numbers else { return Ok(()) };
    let refused = |message: String| Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    if text.contains('[') {
        let hint = format!("use {}[]", name.trim());
        return Err(Error::unsupported(format_args!("{text}")).hint(hint));
    }
    let kind = match name.trim() {
        "varchar" | "character varying" | "char varying" => "varchar",
        "char" | "character" | "bpchar" => "char",
        "numeric" | "decimal" | "dec" => "numeric",
        "float" => "float",
        "interval" => "interval",
        _ => return Ok(()),
    };
    match (kind, &numbers[..]) {
        ("varchar" | "char", [..1]) => {
            refused(format!("length for type {kind} must be at least 1"))
        }
        ("varchar" | "char", [length]) if *length > MAX_LENGTH => {
            refused(format!("length for type {kind} cannot exceed {MAX_LENGTH}"))
        }
        ("numeric", [digits, ..]) if !(1..=MAX_DIGITS).contains(digits) => {
            refused(format!("NUMERIC precision {digits} must be between 1 and {MAX_DIGITS}"))
        }
        ("numeric", [_, scale]) if scale.abs() > MAX_DIGITS => {
            refused(format!("NUMERIC scale {scale} must be between -{MAX_DIGITS} and {MAX_DIGITS}"))
        }
        ("numeric", [_, ..0]) => Err(Error::unsupported("numeric with a negative scale")),
        ("interval", [..6]) => Err(Error::unsupported(text).hint("use interval")),
        ("float", [..1]) => refused("precision for type float must be at least 1 bit".into()),
        ("float", [bits]) if *bits > MAX_BITS => {
            refused(format!("precision for type float must be less than {} bits", MAX_BITS + 1))
        }
        _ => Ok(()),
    }
}
