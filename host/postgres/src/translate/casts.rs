//! Casts, and the types of columns that are created.

use crate::values::Value;
use sqlparser::ast::{self, ArrayElemTypeDef, CastKind, DataType, Expr, ObjectName, UnaryOperator};

use super::Rewriter;
use super::names::{last, literal, raw, string_of};
use super::object_names::{OBJECTS, check_object, is_given, name_of_object, type_name};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Type, Typed};
use crate::values::{self, Format};

/// The type of a cast or of a column.
pub fn typed(data_type: &DataType) -> Option<Typed> {
    if let DataType::Array(element) = data_type {
        let inner = match element {
            ArrayElemTypeDef::SquareBracket(inner, _)
            | ArrayElemTypeDef::AngleBracket(inner)
            | ArrayElemTypeDef::Parenthesis(inner) => typed(inner)?,
            _ => return None,
        };
        return Some(Typed::plain(Type::Array(inner.ty.scalar())));
    }
    let text = data_type.to_string().to_lowercase().replace('"', "");
    let name = text.trim_start_matches("pg_catalog.");
    match data_type {
        // `"char"` is another type than `char`.
        DataType::Custom(name, _) if name.to_string().ends_with("\"char\"") => {
            Some(Typed::plain(Type::One(Scalar::Char)))
        }
        DataType::Custom(..) if Scalar::of_name(base(name)).is_none() => None,
        _ => Typed::declared(name),
    }
}

/// Types that PostgreSQL has, and nothing here.
const ELSEWHERE: &[&str] = &[
    "bit",
    "box",
    "cid",
    "cidr",
    "circle",
    "cstring",
    "datemultirange",
    "daterange",
    "inet",
    "int2vector",
    "int4multirange",
    "int4range",
    "int8multirange",
    "int8range",
    "jsonpath",
    "line",
    "lseg",
    "macaddr",
    "macaddr8",
    "money",
    "nummultirange",
    "numrange",
    "oidvector",
    "path",
    "pg_lsn",
    "pg_snapshot",
    "point",
    "polygon",
    "record",
    "refcursor",
    "regcollation",
    "regconfig",
    "regdictionary",
    "regoper",
    "regoperator",
    "regprocedure",
    "tid",
    "timetz",
    "tsmultirange",
    "tsquery",
    "tsrange",
    "tstzmultirange",
    "tstzrange",
    "tsvector",
    "txid_snapshot",
    "unknown",
    "varbit",
    "void",
    "xid8",
    "xml",
];

pub fn is_elsewhere(name: &str) -> bool {
    ELSEWHERE.contains(&name)
}

fn unknown(name: &ObjectName) -> Error {
    let message = format!("type \"{}\" does not exist", last(name));
    Error::new(sqlstate::UNDEFINED_OBJECT, message)
}

pub fn base(name: &str) -> &str {
    name.split('(').next().unwrap_or_default().trim()
}

impl Rewriter<'_> {
    /// `expr::data_type`.
    pub(super) fn cast(&mut self, expr: &Expr, data_type: &DataType) -> Result<Expr> {
        let own = type_name(data_type);
        let quoted = data_type.to_string().to_lowercase();
        let name = quoted.trim_start_matches("pg_catalog.");
        if let Some((name, find, write)) = OBJECTS.iter().find(|(object, ..)| *object == own) {
            if !is_given(expr) {
                return Ok(raw(format!("{write}({expr})")));
            }
            if let Some(text) = string_of(expr) {
                check_object(name, &text)?;
            }
            let found = format!("{find}({expr})");
            // Other programs that read a definition have no session.
            return Ok(raw(if *name == "regclass" && !self.is_definition {
                format!("coalesce({found}, {})", super::session_calls::no_relation(expr))
            } else {
                found
            }));
        }
        if matches!(name, "regoper" | "regoperator" | "\"any\"" | "cstring") {
            return Ok(expr.clone());
        }
        let typed = typed(data_type).ok_or_else(|| match data_type {
            DataType::Custom(name, _) if !is_elsewhere(&last(name)) => unknown(name),
            _ => Error::unsupported(format_args!("a cast to {data_type}")),
        })?;
        if let Some(name) = name_of_object(expr, typed) {
            return Ok(name);
        }
        match string_of(expr) {
            Some(text) => constant(&text, typed),
            None => Ok(converted(expr, typed)),
        }
    }

    /// A string as a column's default: what is stored.
    pub(super) fn default_of(&mut self, expr: &mut Expr, typed: Typed) -> Result<()> {
        let scalar = typed.ty.scalar();
        if let (Some(number), Type::One(_)) = (number_of(expr), typed.ty)
            && is_number(scalar)
        {
            let stored = values::assigned(&number, scalar, typed)?;
            if stored != number {
                self.replace(expr, raw(stored));
            }
            return Ok(());
        }
        let Some(text) = string_of(expr) else { return Ok(()) };
        if is_moment(scalar) && moment(text.trim(), scalar).is_some() {
            let hint = "write now() or current_date";
            return Err(Error::unsupported(format_args!("DEFAULT '{text:.20}'")).hint(hint));
        }
        let value = values::decode(Some(text.as_bytes()), typed.ty, Format::Text)?;
        let with = match (typed.ty, values::fitting(value, typed)?) {
            (Type::One(Scalar::Jsonb), _) => constant(&text, typed)?,
            (_, Value::Text(same)) if same == text => return Ok(()),
            (Type::One(Scalar::Bool), Value::Integer(number)) => {
                raw(if number == 1 { "true" } else { "false" })
            }
            _ => constant(&text, typed)?,
        };
        self.replace(expr, with);
        Ok(())
    }

    /// The type of a column, where SQLite cannot read Postgres' words or would misunderstand them.
    pub(super) fn column_type(&mut self, data_type: &mut DataType) -> Result<()> {
        let name = data_type.to_string().to_lowercase();
        let is_zoned = name.starts_with("time") && name.ends_with("with time zone");
        if name.starts_with("timetz") || (is_zoned && !name.starts_with("timestamp")) {
            let hint = "use timestamptz, or time";
            return Err(Error::unsupported("time with time zone").hint(hint));
        }
        let Some(typed) = typed(data_type) else {
            return match data_type {
                DataType::Unspecified => Ok(()),
                DataType::Interval { .. } => {
                    Err(Error::unsupported(format_args!("{name}")).hint("use interval"))
                }
                DataType::Custom(name, _)
                    if Typed::declared(&last(name)).is_none() && !is_elsewhere(&last(name)) =>
                {
                    Err(unknown(name))
                }
                // SQLite takes any name; values are sent as text.
                _ => Ok(()),
            };
        };
        let wanted = match (typed.ty, &data_type) {
            (Type::One(Scalar::Timestamp | Scalar::Timestamptz | Scalar::Time), _) => {
                Some(with_digits(typed))
            }
            // An affinity to text: JSON's numbers must keep their digits.
            (Type::One(Scalar::Json), _) => Some("JSON TEXT".to_owned()),
            (Type::One(Scalar::Jsonb), _) => Some("JSONB TEXT".to_owned()),
            (Type::Array(scalar), _) => Some(format!("\"{}[]\" TEXT", scalar.name())),
            _ => None,
        };
        if let Some(wanted) = wanted {
            self.replace(data_type, custom(&wanted));
        }
        Ok(())
    }
}

/// A type that is written as it is.
pub fn custom(text: &str) -> DataType {
    let name = sqlparser::ast::Ident::new(text);
    DataType::Custom(name.into(), Vec::new())
}

/// `expr::type`.
pub fn as_cast(expr: Expr, typed: Typed) -> Expr {
    let data_type = match typed {
        Typed {
            ty: Type::One(scalar @ (Scalar::Varchar | Scalar::Bpchar)),
            modifier: length @ 4..,
        } => custom(&format!("{}({})", scalar.name(), length - 4)),
        Typed { ty: Type::One(scalar), .. } => custom(scalar.name()),
        Typed { ty: Type::Array(scalar), .. } => {
            let element = Box::new(custom(scalar.name()));
            DataType::Array(ArrayElemTypeDef::SquareBracket(element, None))
        }
    };
    Expr::Cast { kind: CastKind::DoubleColon, expr: Box::new(expr), data_type, format: None }
}

fn with_digits(typed: Typed) -> String {
    let name = match typed.ty.scalar() {
        Scalar::Timestamptz => "TIMESTAMPTZ",
        Scalar::Timestamp => "TIMESTAMP",
        _ => "TIME",
    };
    if typed.modifier < 0 { name.to_owned() } else { format!("{name}({})", typed.modifier) }
}

/// A string as a value of a type, as it would be stored.
fn constant(text: &str, typed: Typed) -> Result<Expr> {
    let scalar = typed.ty.scalar();
    if matches!(typed.ty, Type::One(_))
        && is_moment(scalar)
        && let Some(moment) = moment(text.trim(), scalar)
    {
        return Ok(raw(moment));
    }
    if typed.ty == Type::One(Scalar::Jsonb) {
        return Ok(literal(&values::jsonb::canonical(text)?));
    }
    Ok(match values::decode(Some(text.as_bytes()), typed.ty, Format::Text)? {
        Value::Null => raw("NULL"),
        Value::Integer(number) if number < 0 => raw(format!("({number})")),
        Value::Integer(number) => raw(number.to_string()),
        Value::Real(number) if number.is_nan() => {
            return Err(Error::unsupported(format_args!("NaN as {}", scalar.name())));
        }
        Value::Real(number) if number.is_infinite() => {
            raw(if number > 0.0 { "9e999" } else { "(-9e999)" })
        }
        Value::Real(number) => raw(format!("({number:?})")),
        Value::Text(text) => literal(&shortened(&text, typed)),
        Value::Blob(bytes) => raw(format!(
            "x'{}'",
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        )),
    })
}

fn is_number(scalar: Scalar) -> bool {
    use Scalar as S;
    matches!(scalar, S::Int2 | S::Int4 | S::Int8 | S::Numeric | S::Float4 | S::Float8)
}

/// The text of a literal number with its sign.
fn number_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Nested(inner) => number_of(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            number_of(expr).filter(|text| !text.starts_with('-')).map(|text| format!("-{text}"))
        }
        Expr::Value(value) => match &value.value {
            ast::Value::Number(text, _) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Some(text.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_moment(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Timestamp | Scalar::Timestamptz | Scalar::Date)
}

/// `'now'::timestamp` and the other words for a moment.
fn moment(word: &str, scalar: Scalar) -> Option<String> {
    let day = match word.to_ascii_lowercase().as_str() {
        "now" if scalar == Scalar::Date => "date('now')",
        "now" => return Some(super::dates::NOW.to_owned()),
        "today" => "date('now')",
        "tomorrow" => "date('now', '+1 day')",
        "yesterday" => "date('now', '-1 day')",
        "epoch" => "'1970-01-01'",
        _ => return None,
    };
    let is_date = scalar == Scalar::Date;
    Some(if is_date { day.to_owned() } else { format!("({day} || ' 00:00:00')") })
}

/// `varchar(3)` cuts what is longer.
fn shortened(text: &str, typed: Typed) -> String {
    match typed {
        Typed { ty: Type::One(Scalar::Varchar | Scalar::Bpchar), modifier } if modifier >= 4 => {
            let text: String = text.chars().take(modifier as usize - 4).collect();
            if typed.ty == Type::One(Scalar::Bpchar) {
                text.trim_end_matches(' ').to_owned()
            } else {
                text
            }
        }
        _ => text.to_owned(),
    }
}

/// An expression as a value of a type.
fn converted(expr: &Expr, typed: Typed) -> Expr {
    let is_parameter = expr.to_string().starts_with('?') || expr.to_string().starts_with('$');
    if is_parameter {
        // It has the type of the cast, so it is a value of it already.
        return expr.clone();
    }
    raw(match typed.ty {
        Type::Array(_) => format!("pg_array_json({expr})"),
        Type::One(scalar) => match scalar {
            // Postgres rounds; SQLite cuts. An expression must not be written twice: casts of casts
            // would grow without bound.
            Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => match expr {
                Expr::Value(_) if !expr.to_string().contains(['.', 'e', 'E']) => expr.to_string(),
                _ => format!("pg_integer({expr})"),
            },
            Scalar::Oid => format!("CAST({expr} AS INTEGER)"),
            Scalar::Float4 | Scalar::Float8 => format!("CAST({expr} AS REAL)"),
            Scalar::Numeric => match typed.scale() {
                Some(scale) => format!("round({expr}, {scale})"),
                None => format!("CAST({expr} AS NUMERIC)"),
            },
            Scalar::Bool => format!("pg_boolean({expr})"),
            Scalar::Bytea => format!("CAST({expr} AS BLOB)"),
            Scalar::Date => format!("date({expr})"),
            Scalar::Time => super::dates::canonical(&format!("strftime('%H:%M:%f', {expr})")),
            Scalar::Timestamp | Scalar::Timestamptz => {
                super::dates::canonical(&format!("strftime('%Y-%m-%d %H:%M:%f', {expr})"))
            }
            Scalar::Uuid => format!("lower({expr})"),
            Scalar::Varchar if typed.modifier >= 4 => {
                format!("substr({expr}, 1, {})", typed.modifier - 4)
            }
            Scalar::Bpchar if typed.modifier >= 4 => {
                format!("rtrim(substr({expr}, 1, {}))", typed.modifier - 4)
            }
            _ => format!("CAST({expr} AS TEXT)"),
        },
    })
}
