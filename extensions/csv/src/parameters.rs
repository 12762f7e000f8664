//! The arguments in the parentheses, and the columns that follow from them.

use std::rc::Rc;

use sql_tokens::quoted_name;
use sqlite_wasm_kit::Result;

use crate::rows::Rows;

/// Limit on the columns of a table: SQLite's (`SQLITE_MAX_COLUMN`). Without it `columns=1000000000`
/// would need a declaration of ten gigabytes.
const MAX_COLUMNS: usize = 2000;

/// Where rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    File(String),
    Data(Rc<str>),
}

/// The parameters of a table.
#[derive(Debug, PartialEq)]
pub struct Parameters {
    pub source: Source,
    pub schema: Option<String>,
    pub has_header: bool,
    columns: Option<usize>,
}

/// Parameters during parsing, each at most once.
#[derive(Default)]
struct Given {
    filename: Option<String>,
    data: Option<String>,
    schema: Option<String>,
    header: Option<bool>,
    columns: Option<usize>,
}

impl Parameters {
    pub fn parse(arguments: &[String]) -> Result<Self> {
        let mut given = Given::default();
        arguments.iter().try_for_each(|argument| given.add(argument.trim()))?;
        let source = match (given.filename, given.data) {
            (Some(name), None) => Source::File(name),
            (None, Some(data)) => Source::Data(data.into()),
            _ => return Err("must specify either filename= or data= but not both".into()),
        };
        Ok(Self {
            source,
            schema: given.schema,
            has_header: given.header.unwrap_or(false),
            columns: given.columns,
        })
    }

    /// The columns' names; reads the first row if they depend on it.
    pub fn names(&self) -> Result<Vec<String>> {
        let is_named = self.has_header && self.schema.is_none();
        if let Some(columns) = self.columns.filter(|_| !is_named) {
            return Ok(numbered(0..columns));
        }
        let mut rows = Rows::open(&self.source)?;
        // An empty file is one empty field, as in csv.c.
        let Some(first) = rows.next()? else {
            return Ok(numbered(0..self.columns.unwrap_or(1)));
        };
        if first.len() > MAX_COLUMNS {
            let found = first.len();
            return Err(rows.error(&format!("{found} columns; {MAX_COLUMNS} are allowed")));
        }
        if !is_named {
            return Ok(numbered(0..first.len()));
        }
        let first: Option<Vec<String>> = first.iter().map(name).collect();
        let mut names = first.ok_or_else(|| rows.error("the header is no text in UTF-8"))?;
        let columns = self.columns.unwrap_or(names.len());
        names.truncate(columns);
        // csv.c counts these from 1.
        names.extend(numbered(names.len() + 1..columns + 1));
        Ok(names)
    }
}

impl Given {
    fn add(&mut self, argument: &str) -> Result<()> {
        let bad = || format!("bad parameter: '{argument}'");
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name.trim_end(), value.trim_start()),
            None if argument == "header" => ("header", "yes"),
            None => return Err(bad().into()),
        };
        match name {
            "filename" => once(&mut self.filename, name, unquoted(value)),
            "data" => once(&mut self.data, name, unquoted(value)),
            "schema" => once(&mut self.schema, name, unquoted(value)),
            "header" => once(&mut self.header, name, boolean(value).ok_or_else(bad)?),
            "columns" => once(&mut self.columns, name, count(value)?),
            _ => Err(bad().into()),
        }
    }
}

fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("more than one '{name}' parameter").into()),
    }
}

fn boolean(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" | "1" => Some(true),
        "no" | "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

fn count(value: &str) -> Result<usize> {
    match value.parse() {
        Ok(columns @ 1..=MAX_COLUMNS) => Ok(columns),
        Ok(0) | Err(_) => Err("column= value must be positive".into()),
        Ok(_) => Err(format!("columns= value must be at most {MAX_COLUMNS}").into()),
    }
}

/// The content of a string literal; other text unchanged.
fn unquoted(value: &str) -> String {
    for quote in ['\'', '"'] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    value.to_owned()
}

/// A field as a name that is valid in a declaration.
fn name(field: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(field).ok()?;
    (!name.contains('\0')).then(|| name.to_owned())
}

fn numbered(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("c{number}")).collect()
}

/// The CREATE TABLE statement with these columns.
pub fn declaration(names: &[String]) -> String {
    let columns = names.iter().map(|name| quoted_name(name) + " TEXT");
    format!("CREATE TABLE x({})", columns.collect::<Vec<_>>().join(","))
}
