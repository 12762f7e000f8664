//! The data of COPY: readers that take it in pieces, and writers.
//!
//! A reader keeps one row at most, up to [`MAX_ROW`], and no more fields of it than the table has
//! columns; nothing else of the data is kept.

mod binary;
mod csv;
mod text;

use crate::values::{Value, ValueRef};

use crate::error::{Error, Result, sqlstate};
use crate::translate::{CopyFormat, CopyOptions};
use crate::types::Typed;
use crate::values::{self, Format};

/// Bytes of a row at most. A client that never ends its row must not fill the server's memory.
pub const MAX_ROW: usize = 64 << 20;

/// Bytes that stay allocated between rows.
const SHRUNK: usize = 32 << 10;

/// A column's bytes; `None` for NULL.
pub type Field = Option<Vec<u8>>;

/// Why a row with more fields than the table has columns is refused, before they are kept: each
/// takes more memory than its byte in the row.
const TOO_MANY_FIELDS: &str = "extra data after last expected column";

/// Reads what a client sends.
#[derive(Debug)]
pub struct Reader {
    options: CopyOptions,
    table: String,
    names: Vec<String>,
    types: Vec<Typed>,
    /// What has arrived of a row.
    kept: Vec<u8>,
    /// Up to where `kept` was looked through.
    seen: usize,
    csv: csv::State,
    forced: Vec<csv::Forced>,
    has_begun: bool,
    has_ended: bool,
    /// Lines, from 1; rows of binary data.
    line: u64,
}

impl Reader {
    /// A reader of rows for a table with these columns.
    pub fn new(options: CopyOptions, table: &str, columns: Vec<(String, Typed)>) -> Self {
        let has_begun = options.format != CopyFormat::Binary && !options.has_header;
        let (names, types): (Vec<String>, _) = columns.into_iter().unzip();
        let forced = |name| csv::Forced {
            is_null: options.force_null.contains(name),
            is_not_null: options.force_not_null.contains(name),
        };
        let forced = names.iter().map(forced).collect();
        Self {
            options,
            table: table.to_owned(),
            names,
            types,
            kept: Vec::new(),
            seen: 0,
            csv: csv::State::default(),
            forced,
            has_begun,
            has_ended: false,
            line: 0,
        }
    }

    /// Take a piece of data, and pass on each row that is complete.
    ///
    /// # Errors
    ///
    /// 22P04 for data of another form, those of [`values::decode`] with the line, 54000 for a row
    /// that is too long, and those of `row`. After an error the reader is of no use.
    pub fn push(&mut self, data: &[u8], mut row: impl FnMut(&[Value]) -> Result<()>) -> Result<()> {
        self.kept.extend_from_slice(data);
        let mut used = 0;
        while !self.has_ended {
            let Some((fields, length)) = self.next(used)? else { break };
            used += length;
            self.seen = used;
            if let Some(fields) = fields {
                let values = self.values(&fields)?;
                row(&values)?;
            }
        }
        if self.has_ended {
            used = self.kept.len();
        }
        self.kept.drain(..used);
        self.kept.shrink_to(SHRUNK);
        self.seen = self.seen.saturating_sub(used);
        self.check_length()
    }

    /// The bytes of an unfinished row that it keeps.
    pub fn kept(&self) -> usize {
        self.kept.capacity()
    }

    /// The end of the data.
    ///
    /// # Errors
    ///
    /// Those of [`Self::push`] for a last row without its end.
    pub fn finish(mut self, row: impl FnMut(&[Value]) -> Result<()>) -> Result<()> {
        let is_text = self.options.format != CopyFormat::Binary;
        if is_text && !self.kept.is_empty() {
            self.push(b"\n", row)?;
        }
        // Some clients leave out the end of binary data.
        if !self.kept.is_empty() || !(is_text || self.has_begun) {
            return Err(self.bad("unexpected end of the data"));
        }
        Ok(())
    }

    fn check_length(&self) -> Result<()> {
        if self.kept.len() <= MAX_ROW {
            return Ok(());
        }
        let message = format!("a row of COPY is longer than {MAX_ROW} bytes");
        Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message))
    }

    /// The next row from this byte of what is kept, and its length; no fields for a header.
    fn next(&mut self, from: usize) -> Result<Option<(Option<Vec<Field>>, usize)>> {
        match self.options.format {
            CopyFormat::Binary => self.next_binary(from),
            format => self.next_line(from, format == CopyFormat::Csv),
        }
    }

    fn next_line(
        &mut self,
        from: usize,
        is_csv: bool,
    ) -> Result<Option<(Option<Vec<Field>>, usize)>> {
        let start = self.seen.max(from);
        let found = if is_csv {
            let end = self.csv.end(&self.kept[start..], &self.options);
            end.ok_or(self.kept.len() - start)
        } else {
            text::end(&self.kept[start..])
        };
        let end = match found {
            Ok(end) => end,
            Err(seen) => {
                self.seen = start + seen;
                return Ok(None);
            }
        };
        let length = start + end + 1 - from;
        self.line += 1;
        let line = &self.kept[from..from + length - 1];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line == b"\\." {
            self.has_ended = true;
            return Ok(None);
        }
        let is_header = !std::mem::replace(&mut self.has_begun, true);
        if is_header && !self.options.matches_header {
            return Ok(Some((None, length)));
        }
        let fields = if is_csv {
            csv::fields(line, &self.options, &self.forced)
        } else {
            text::fields(line, &self.options, self.types.len())
        };
        let fields = fields.map_err(|message| self.bad(message))?;
        if is_header {
            self.check_header(&fields)?;
            return Ok(Some((None, length)));
        }
        Ok(Some((Some(fields), length)))
    }

    /// `HEADER MATCH`: the names are those of the columns.
    fn check_header(&self, fields: &[Field]) -> Result<()> {
        let count = (fields.len(), self.names.len());
        if count.0 != count.1 {
            let message = format!(
                "wrong number of fields in header line: got {}, expected {}",
                count.0, count.1
            );
            return Err(self.bad(&message));
        }
        let pairs = fields.iter().zip(&self.names);
        let other =
            pairs.enumerate().find(|(_, (field, name))| field.as_deref() != Some(name.as_bytes()));
        match other {
            None => Ok(()),
            Some((at, (_, name))) => {
                let message = format!(
                    "column name mismatch in header line field {}: expected \"{name}\"",
                    at + 1
                );
                Err(self.bad(&message))
            }
        }
    }

    fn next_binary(&mut self, from: usize) -> Result<Option<(Option<Vec<Field>>, usize)>> {
        let rest = &self.kept[from..];
        if !self.has_begun {
            let header = binary::header(rest).map_err(|message| self.bad(message))?;
            let Some(length) = header else { return Ok(None) };
            self.has_begun = true;
            return Ok(Some((None, length)));
        }
        match binary::tuple(rest, self.types.len()).map_err(|message| self.bad(message))? {
            binary::Tuple::Incomplete => Ok(None),
            binary::Tuple::End => {
                self.has_ended = true;
                Ok(None)
            }
            binary::Tuple::Row(fields, length) => {
                self.line += 1;
                Ok(Some((Some(fields), length)))
            }
        }
    }

    fn bad(&self, message: &str) -> Error {
        Error::new(sqlstate::BAD_COPY_FORMAT, message).context(self.place())
    }

    fn place(&self) -> String {
        let kind = if self.options.format == CopyFormat::Binary { "row" } else { "line" };
        format!("COPY {}, {kind} {}", self.table, self.line)
    }

    /// A wrong value, by its first characters.
    fn place_of(&self, column: usize, field: &Field) -> String {
        /// As many as PostgreSQL shows.
        const SHOWN: usize = 100;
        let name = self.names.get(column).map_or("", String::as_str);
        let value = match field {
            _ if self.options.format == CopyFormat::Binary => String::new(),
            None => ": null input".to_owned(),
            Some(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                let shown: String = text.chars().take(SHOWN).collect();
                let rest = if shown.len() < text.len() { "..." } else { "" };
                format!(": \"{shown}{rest}\"")
            }
        };
        format!("{}, column {name}{value}", self.place())
    }

    fn values(&self, fields: &[Field]) -> Result<Vec<Value>> {
        if fields.len() < self.types.len() {
            return Err(self.bad("missing data for a column"));
        }
        let format = match self.options.format {
            CopyFormat::Binary => Format::Binary,
            _ => Format::Text,
        };
        let value = |(column, (field, typed)): (usize, (&Field, &Typed))| {
            let value = values::decode(field.as_deref(), typed.ty, format);
            value
                .and_then(|value| values::fitting(value, *typed))
                .map_err(|error| error.context(self.place_of(column, field)))
        };
        fields.iter().zip(&self.types).enumerate().map(value).collect()
    }
}

/// Writes what a client receives.
#[derive(Debug)]
pub struct Writer {
    options: CopyOptions,
    types: Vec<Typed>,
    /// Whether the values of each column are in quotes.
    quoted: Vec<bool>,
    field: Vec<u8>,
}

impl Writer {
    /// A writer of rows with columns of these types.
    pub fn new(options: CopyOptions, types: Vec<Typed>) -> Self {
        Self { options, types, quoted: Vec::new(), field: Vec::new() }
    }

    /// What comes before the rows.
    pub fn begin(&mut self, names: &[&str], out: &mut Vec<u8>) {
        if let Some(forced) = &self.options.force_quote {
            let is_forced = |name: &&str| forced.is_empty() || forced.iter().any(|one| one == name);
            self.quoted = names.iter().map(is_forced).collect();
        }
        match self.options.format {
            CopyFormat::Binary => binary::put_header(out),
            _ if !self.options.has_header => {}
            format => {
                for (index, name) in names.iter().enumerate() {
                    self.separate(index, out);
                    self.put_field(format, name.as_bytes(), false, out);
                }
                out.push(b'\n');
            }
        }
    }

    /// A row.
    ///
    /// # Errors
    ///
    /// Those of [`values::encode`].
    pub fn row<'a>(
        &mut self,
        values: impl ExactSizeIterator<Item = ValueRef<'a>>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let format = self.options.format;
        if format == CopyFormat::Binary {
            out.extend_from_slice(&(values.len() as i16).to_be_bytes());
        }
        for (index, value) in values.enumerate() {
            let typed = self.types.get(index).copied().unwrap_or(Typed::plain(crate::types::TEXT));
            let mut field = std::mem::take(&mut self.field);
            field.clear();
            let as_format =
                if format == CopyFormat::Binary { Format::Binary } else { Format::Text };
            let is_null = !values::encode(value, typed, as_format, &mut field)?;
            match format {
                CopyFormat::Binary => binary::put_field((!is_null).then_some(&field[..]), out),
                _ => {
                    self.separate(index, out);
                    if is_null {
                        out.extend_from_slice(self.options.null.as_bytes())
                    } else {
                        let is_quoted = self.quoted.get(index).is_some_and(|quoted| *quoted);
                        self.put_field(format, &field, is_quoted, out)
                    }
                }
            }
            self.field = field;
        }
        if format != CopyFormat::Binary {
            out.push(b'\n');
        }
        Ok(())
    }

    /// What comes after the rows.
    pub fn end(&self, out: &mut Vec<u8>) {
        if self.options.format == CopyFormat::Binary {
            out.extend_from_slice(&(-1_i16).to_be_bytes());
        }
    }

    fn separate(&self, index: usize, out: &mut Vec<u8>) {
        if index > 0 {
            out.push(self.options.delimiter);
        }
    }

    fn put_field(&self, format: CopyFormat, field: &[u8], is_quoted: bool, out: &mut Vec<u8>) {
        match format {
            CopyFormat::Csv => {
                csv::put(field, &self.options, is_quoted, self.types.len() == 1, out);
            }
            _ => text::put(field, self.options.delimiter, out),
        }
    }
}

#[cfg(test)]
mod tests;
