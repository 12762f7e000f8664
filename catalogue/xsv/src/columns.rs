//! Columns, and what their types make of a field.

use crate::arguments::unquoted;
use sql_tokens::quoted_name;
use sqlite_wasm_kit::{Result, Value};

/// Limit on the columns of a table: SQLite's (`SQLITE_MAX_COLUMN`).
pub const MAX_COLUMNS: usize = 2000;

/// What a field becomes, by SQLite's rules for the type of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Affinity {
    Integer,
    Real,
    Numeric,
    Text,
}

impl Affinity {
    fn of(declared: &str) -> Self {
        let lower = declared.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["int"]) {
            Self::Integer
        } else if lower.is_empty() || has(&["char", "clob", "text", "blob"]) {
            Self::Text
        } else if has(&["real", "floa", "doub"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }

    /// The value of a field; a field that is not numeric stays text.
    pub fn value(self, field: &str) -> Value {
        let integer = || field.parse().ok().map(Value::Integer);
        // Rust would also take words such as `nan`, which SQLite makes NULL.
        let is_number =
            || field.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let real = || is_number().then(|| field.parse().ok().map(Value::Real))?;
        let number = match self {
            Self::Integer => integer(),
            Self::Real => real(),
            Self::Numeric => integer().or_else(real),
            Self::Text => None,
        };
        number.unwrap_or_else(|| Value::text(field))
    }
}

/// A column that an argument declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: String,
    declared: String,
    pub affinity: Affinity,
}

impl Column {
    /// `NAME TYPE`; the name may be in quotes.
    pub fn parse(argument: &str) -> Result<Self> {
        let refused = || format!("{argument:?} is neither an option nor a column");
        let (name, declared) = match argument.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let (name, declared) = argument.split_at(argument.rfind(quote).unwrap_or(0) + 1);
                (unquoted(name).ok_or_else(refused)?, declared)
            }
            _ => {
                let end = argument.find(char::is_whitespace).unwrap_or(argument.len());
                (argument[..end].to_owned(), &argument[end..])
            }
        };
        let declared = declared.trim();
        if name.is_empty() || name.contains('\0') || !is_type(declared) {
            return Err(refused().into());
        }
        Ok(Self { name, declared: declared.to_owned(), affinity: Affinity::of(declared) })
    }

    fn declaration(&self) -> String {
        format!("{} {}", quoted_name(&self.name), self.declared)
    }
}

/// Whether a text is the type of a column, as in `decimal(5, 2)`: it becomes a part of a statement.
fn is_type(text: &str) -> bool {
    let (words, size) = match text.split_once('(') {
        Some((words, size)) => (words, size.strip_suffix(')')),
        None => (text, Some("")),
    };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b' ';
    words.bytes().all(is_word)
        && size.is_some_and(|size| size.bytes().all(|byte| is_word(byte) || byte == b','))
}

/// The statement that declares a table of these columns; `first` are those before them.
pub fn declaration(first: Option<&str>, columns: &[Column]) -> Result<String> {
    check_count(columns.len())?;
    let all = first.map(str::to_owned).into_iter().chain(columns.iter().map(Column::declaration));
    Ok(format!("CREATE TABLE x({})", all.collect::<Vec<_>>().join(",")))
}

/// The same of names alone, whose fields are text.
pub fn declaration_of_names(names: impl ExactSizeIterator<Item = String>) -> Result<String> {
    check_count(names.len())?;
    let columns: Vec<_> = names.map(|name| quoted_name(&name)).collect();
    Ok(format!("CREATE TABLE x({})", columns.join(",")))
}

fn check_count(count: usize) -> Result<()> {
    match count {
        0..=MAX_COLUMNS => Ok(()),
        _ => Err(format!("{count} columns; {MAX_COLUMNS} are allowed").into()),
    }
}
