//! The arguments in the parentheses: options and columns.

use crate::columns::Column;
use sqlite_wasm_kit::Result;

/// How content is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Format {
    pub delimiter: u8,
    pub quote: u8,
    pub has_header: bool,
}

/// What the parentheses say.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    pub filename: Option<String>,
    pub format: Format,
    pub columns: Vec<Column>,
}

/// Options during parsing, each at most once.
#[derive(Default)]
struct Given {
    filename: Option<String>,
    delimiter: Option<u8>,
    quote: Option<u8>,
    header: Option<bool>,
    columns: Vec<Column>,
}

impl Arguments {
    /// `delimiter` is that of the module, 0 for none.
    pub fn parse(arguments: &[String], delimiter: u8) -> Result<Self> {
        let mut given = Given::default();
        arguments.iter().try_for_each(|argument| given.add(argument.trim()))?;
        let delimiter = given.delimiter.or((delimiter != 0).then_some(delimiter));
        let delimiter = delimiter.ok_or("no delimiter; say it, as in delimiter='|'")?;
        let quote = given.quote.unwrap_or(b'"');
        if delimiter == quote {
            return Err("delimiter and quote are the same".into());
        }
        let format = Format { delimiter, quote, has_header: given.header.unwrap_or(true) };
        Ok(Self { filename: given.filename, format, columns: given.columns })
    }
}

impl Given {
    fn add(&mut self, argument: &str) -> Result<()> {
        let Some((name, value)) = option(argument) else {
            self.columns.push(Column::parse(argument)?);
            return Ok(());
        };
        match name {
            "filename" => once(&mut self.filename, name, text(name, value)?),
            "delimiter" => once(&mut self.delimiter, name, letter(name, value)?),
            "quote" => once(&mut self.quote, name, letter(name, value)?),
            "header" => once(&mut self.header, name, boolean(value)?),
            _ => {
                Err(format!("no option {name:?}; there are filename, delimiter, quote and header")
                    .into())
            }
        }
    }
}

/// `NAME=VALUE`; a column's name in quotes may have such a sign too.
fn option(argument: &str) -> Option<(&str, &str)> {
    let (name, value) = argument.split_once('=')?;
    let name = name.trim_end();
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then(|| (name, value.trim_start()))
}

fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("the option {name} is given twice").into()),
    }
}

/// The text inside quotes, in which each doubled quote becomes one.
pub fn unquoted(value: &str) -> Option<String> {
    ['\'', '"'].into_iter().find_map(|quote| {
        let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()))
    })
}

fn text(name: &str, value: &str) -> Result<String> {
    unquoted(value).ok_or_else(|| format!("the value of {name} must be in quotes").into())
}

/// One byte, or `\t`, `\n` or `\0`.
fn letter(name: &str, value: &str) -> Result<u8> {
    match text(name, value)?.as_bytes() {
        b"\\t" => Ok(b'\t'),
        b"\\n" => Ok(b'\n'),
        b"\\0" => Ok(0),
        &[letter] => Ok(letter),
        _ => Err(format!("the value of {name} must be one letter of ASCII").into()),
    }
}

fn boolean(value: &str) -> Result<bool> {
    let value = unquoted(value).unwrap_or_else(|| value.to_owned());
    match value.to_ascii_lowercase().as_str() {
        "yes" | "y" | "on" | "true" | "1" => Ok(true),
        "no" | "n" | "off" | "false" | "0" => Ok(false),
        _ => Err("the value of header must be yes or no".into()),
    }
}
