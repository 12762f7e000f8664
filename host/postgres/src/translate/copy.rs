//! The statement COPY.

use std::collections::HashSet;

use sqlparser::ast::{
    self, CopyLegacyCsvOption, CopyLegacyOption, CopyOption, CopySource, CopyTarget, Ident,
};

use super::names::{folded, last, quoted_name};
use super::queries::names;
use super::{Action, Context, Rewriter, Statement, Tree};
use crate::error::{Error, Result, sqlstate};
use crate::lex::Piece;

/// How the data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// Columns between tabs, with escapes.
    Text,
    /// Comma-separated values.
    Csv,
    /// Binary values.
    Binary,
}

/// The options of COPY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// How the data is written.
    pub format: CopyFormat,
    /// Between columns.
    pub delimiter: u8,
    /// What NULL is.
    pub null: String,
    /// Whether the first line has the names.
    pub has_header: bool,
    /// Whether the names there must be those of the columns.
    pub matches_header: bool,
    /// Around a value, in CSV.
    pub quote: u8,
    /// Before a quote in a value, in CSV.
    pub escape: u8,
    /// The columns whose values are in quotes, in CSV; all where none is named.
    pub force_quote: Option<Vec<String>>,
    /// The columns in which NULL may be in quotes, in CSV.
    pub force_null: Vec<String>,
    /// The columns that have no NULL, in CSV.
    pub force_not_null: Vec<String>,
}

impl CopyOptions {
    /// The defaults of a format.
    pub fn of(format: CopyFormat) -> Self {
        let is_csv = format == CopyFormat::Csv;
        Self {
            format,
            delimiter: if is_csv { b',' } else { b'\t' },
            null: if is_csv { String::new() } else { "\\N".to_owned() },
            has_header: false,
            matches_header: false,
            quote: b'"',
            escape: b'"',
            force_quote: None,
            force_null: Vec::new(),
            force_not_null: Vec::new(),
        }
    }

    /// The columns that options name.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        let all = [self.force_quote.as_ref(), Some(&self.force_null), Some(&self.force_not_null)];
        all.into_iter().flatten().flatten()
    }
}

/// A COPY with a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The table; `None` for a query.
    pub table: Option<String>,
    /// The columns of the table, in their order; all where none is named.
    pub columns: Vec<String>,
    /// Whether the client sends the data.
    pub is_in: bool,
    /// Whether only rows are inserted for which a condition holds.
    pub is_filtered: bool,
    /// How it is written.
    pub options: CopyOptions,
}

impl Copy {
    /// `HEADER MATCH`.
    ///
    /// # Errors
    ///
    /// 0A000 for COPY TO.
    pub fn match_header(&mut self, is_match: bool) -> Result<()> {
        if is_match && !self.is_in {
            let message = "cannot use \"match\" with HEADER in COPY TO";
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        self.options.matches_header = is_match;
        Ok(())
    }

    /// The query of `columns` of the table.
    pub fn select(&self, columns: &[String]) -> String {
        let table = quoted_name(self.table.as_deref().unwrap_or_default());
        let names: Vec<_> = columns.iter().map(|name| quoted_name(name)).collect();
        format!("SELECT {} FROM {table}", names.join(", "))
    }

    /// The statement that inserts one row of `columns`.
    pub fn insert(&self, columns: &[String]) -> String {
        let table = quoted_name(self.table.as_deref().unwrap_or_default());
        let names: Vec<_> = columns.iter().map(|name| quoted_name(name)).collect();
        let values: Vec<_> = (1..=columns.len()).map(|index| format!("?{index}")).collect();
        format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
    }
}

/// COPY; [`Statement::sql`] selects what is sent to the client, or the columns that it sends.
pub fn statement(piece: &Piece<'_>, tree: ast::Statement, context: &Context) -> Result<Statement> {
    let ast::Statement::Copy { source, to, target, options, legacy_options, .. } = tree else {
        return Err(Error::unsupported("this COPY"));
    };
    if !matches!((to, &target), (true, CopyTarget::Stdout) | (false, CopyTarget::Stdin)) {
        let message = "COPY reads and writes no files and programs of the server";
        return Err(
            Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message).hint("use \\copy of psql")
        );
    }
    let mut parsed = None;
    let (table, columns, sql) = match source {
        CopySource::Table { mut table_name, columns } => {
            Rewriter::new(context, piece.text.len()).relation(&mut table_name)?;
            let sql = format!("SELECT {} FROM {table_name}", selected(&columns));
            (Some(last(&table_name)), columns, sql)
        }
        CopySource::Query(_) if !to => return Err(Error::unsupported("COPY (query) FROM")),
        CopySource::Query(query) => {
            let mut query = ast::Statement::Query(query);
            parsed = Some(Tree::new(query.clone()));
            Rewriter::new(context, piece.text.len()).statement(&mut query)?;
            (None, Vec::new(), query.to_string())
        }
    };
    let columns: Vec<String> = columns.iter().map(folded).collect();
    let mut named = HashSet::new();
    if let Some(again) = columns.iter().find(|name| !named.insert(*name)) {
        let message = format!("column \"{again}\" specified more than once");
        return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    let options = read_options(&options, &legacy_options)?;
    let copy = Copy { table, columns, is_in: !to, is_filtered: false, options };
    check_forced(&copy)?;
    let action = Action::Copy(Box::new(copy));
    Ok(Statement { action, command: "COPY".to_owned(), parsed, ..Statement::new(piece, sql) })
}

fn selected(columns: &[Ident]) -> String {
    if columns.is_empty() { "*".to_owned() } else { names(columns) }
}

fn read_options(options: &[CopyOption], legacy: &[CopyLegacyOption]) -> Result<CopyOptions> {
    let mut read = CopyOptions::of(format_of(options, legacy)?);
    let mut kinds = Vec::new();
    for option in options {
        let kind = std::mem::discriminant(option);
        if kinds.contains(&kind) {
            let message = "conflicting or redundant options";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        kinds.push(kind);
        set(&mut read, option)?;
    }
    let has_escape = |option: &CopyOption| matches!(option, CopyOption::Escape(_));
    if !options.iter().any(has_escape) {
        read.escape = read.quote;
    }
    for option in legacy {
        match option {
            CopyLegacyOption::Delimiter(delimiter) => read.delimiter = byte(*delimiter)?,
            CopyLegacyOption::Null(null) => read.null.clone_from(null),
            CopyLegacyOption::Binary | CopyLegacyOption::Header => {}
            CopyLegacyOption::Csv(options) => {
                let quote = options.iter().find_map(|option| match option {
                    CopyLegacyCsvOption::Quote(quote) => Some(*quote),
                    _ => None,
                });
                read.escape = quote.map_or(Ok(read.escape), byte)?;
                options.iter().try_for_each(|option| set_csv(&mut read, option))?;
            }
            other => return Err(Error::unsupported(format_args!("COPY … {other}"))),
        }
    }
    check_used(&read, options)?;
    check(read)
}

/// Whether options have a meaning for the format.
fn check_used(read: &CopyOptions, options: &[CopyOption]) -> Result<()> {
    let in_binary = |name: &str| format!("cannot specify {name} in BINARY mode");
    let of_csv = |name: &str| format!("COPY {name} available only in CSV mode");
    let is_binary = read.format == CopyFormat::Binary;
    let is_csv = read.format == CopyFormat::Csv;
    for option in options {
        let (code, message) = match option {
            CopyOption::Delimiter(_) if is_binary => {
                (sqlstate::SYNTAX_ERROR, in_binary("DELIMITER"))
            }
            CopyOption::Null(_) if is_binary => (sqlstate::SYNTAX_ERROR, in_binary("NULL")),
            CopyOption::Header(true) if is_binary => {
                (sqlstate::FEATURE_NOT_SUPPORTED, in_binary("HEADER"))
            }
            CopyOption::Quote(_) if !is_csv => (sqlstate::FEATURE_NOT_SUPPORTED, of_csv("quote")),
            CopyOption::Escape(_) if !is_csv => (sqlstate::FEATURE_NOT_SUPPORTED, of_csv("escape")),
            _ => continue,
        };
        return Err(Error::new(code, message));
    }
    Ok(())
}

fn format_of(options: &[CopyOption], legacy: &[CopyLegacyOption]) -> Result<CopyFormat> {
    for option in legacy {
        match option {
            CopyLegacyOption::Binary => return Ok(CopyFormat::Binary),
            CopyLegacyOption::Csv(_) => return Ok(CopyFormat::Csv),
            _ => {}
        }
    }
    let named = options.iter().find_map(|option| match option {
        CopyOption::Format(name) => Some(name.value.to_lowercase()),
        _ => None,
    });
    match named.as_deref() {
        None | Some("text") => Ok(CopyFormat::Text),
        Some("csv") => Ok(CopyFormat::Csv),
        Some("binary") => Ok(CopyFormat::Binary),
        Some(other) => {
            let message = format!("COPY format \"{other}\" not recognized");
            Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
        }
    }
}

fn set(read: &mut CopyOptions, option: &CopyOption) -> Result<()> {
    match option {
        CopyOption::Format(_) | CopyOption::Freeze(_) => {}
        CopyOption::Delimiter(delimiter) => read.delimiter = byte(*delimiter)?,
        CopyOption::Null(null) => read.null.clone_from(null),
        CopyOption::Header(has_header) => read.has_header = *has_header,
        CopyOption::Quote(quote) => read.quote = byte(*quote)?,
        CopyOption::Escape(escape) => read.escape = byte(*escape)?,
        CopyOption::ForceQuote(columns) => read.force_quote = Some(folded_all(columns)),
        CopyOption::ForceNull(columns) => read.force_null = folded_all(columns),
        CopyOption::ForceNotNull(columns) => read.force_not_null = folded_all(columns),
        CopyOption::Encoding(name) if is_utf8(name) => {}
        other => return Err(Error::unsupported(format_args!("COPY … {other}"))),
    }
    Ok(())
}

fn set_csv(read: &mut CopyOptions, option: &CopyLegacyCsvOption) -> Result<()> {
    match option {
        CopyLegacyCsvOption::Header => read.has_header = true,
        CopyLegacyCsvOption::Quote(quote) => read.quote = byte(*quote)?,
        CopyLegacyCsvOption::Escape(escape) => read.escape = byte(*escape)?,
        CopyLegacyCsvOption::ForceQuote(columns) => read.force_quote = Some(folded_all(columns)),
        CopyLegacyCsvOption::ForceNotNull(columns) => read.force_not_null = folded_all(columns),
    }
    Ok(())
}

fn folded_all(columns: &[Ident]) -> Vec<String> {
    columns.iter().map(folded).collect()
}

/// Whether what is forced has a meaning for this COPY.
fn check_forced(copy: &Copy) -> Result<()> {
    let options = &copy.options;
    for (name, is_used, is_in) in [
        ("quote", options.force_quote.is_some(), false),
        ("not null", !options.force_not_null.is_empty(), true),
        ("null", !options.force_null.is_empty(), true),
    ] {
        let problem = match () {
            () if !is_used => continue,
            () if options.format != CopyFormat::Csv => "available only in CSV mode",
            () if copy.is_in && !is_in => "only available using COPY TO",
            () if !copy.is_in && is_in => "only available using COPY FROM",
            () => continue,
        };
        let message = format!("COPY force {name} {problem}");
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    Ok(())
}

fn is_utf8(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "utf8" | "utf-8" | "unicode" | "sql_ascii")
}

fn byte(character: char) -> Result<u8> {
    let byte = u8::try_from(character).ok().filter(u8::is_ascii);
    let message = "a delimiter, quote or escape must be a single one-byte character";
    byte.ok_or_else(|| Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
}

fn refused(message: &str) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// Characters that would make the data ambiguous.
fn check(read: CopyOptions) -> Result<CopyOptions> {
    let is_letter = read.delimiter.is_ascii_lowercase()
        || read.delimiter.is_ascii_digit()
        || matches!(read.delimiter, b'\\' | b'.' | b'\n' | b'\r');
    if is_letter && read.format == CopyFormat::Text {
        return Err(refused("COPY delimiter cannot be a letter, digit, point or backslash"));
    }
    if matches!(read.delimiter, b'\n' | b'\r') || read.null.contains(['\n', '\r']) {
        return Err(refused("COPY delimiter and NULL cannot contain the end of a line"));
    }
    if read.format == CopyFormat::Csv && read.delimiter == read.quote {
        return Err(refused("COPY delimiter and quote must be different"));
    }
    let is_csv = read.format == CopyFormat::Csv;
    let in_null = |byte: u8| read.null.as_bytes().contains(&byte);
    let what = match () {
        () if read.format == CopyFormat::Binary => return Ok(read),
        () if in_null(read.delimiter) => "COPY delimiter",
        () if is_csv && in_null(read.quote) => "CSV quote character",
        () => return Ok(read),
    };
    let message = format!("{what} must not appear in the NULL specification");
    Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
}
