//! Messages to a client, written one behind the other.

use sqlite_sandbox::types::ValueRef;
use sqlite_wasm_postgres::types::Typed;
use sqlite_wasm_postgres::types::infer::Output;
use sqlite_wasm_postgres::types::parameters::Parameter;
use sqlite_wasm_postgres::values::{self, Format};
use sqlite_wasm_postgres::{Error, Result};

use super::store::Analysed;

/// How grave a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    /// The connection ends.
    Fatal,
    Warning,
    Notice,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
            Self::Warning => "WARNING",
            Self::Notice => "NOTICE",
        }
    }
}

/// Messages that wait to be sent.
#[derive(Debug, Default)]
pub struct Out(pub Vec<u8>);

impl Out {
    /// A message, whose length is known when it is written.
    pub fn message(&mut self, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.begin(tag);
        write(&mut self.0);
        self.end(start);
    }

    fn begin(&mut self, tag: u8) -> usize {
        self.0.extend([tag, 0, 0, 0, 0]);
        self.0.len() - 4
    }

    fn end(&mut self, start: usize) {
        let length = (self.0.len() - start) as u32;
        self.0[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// A message without content.
    pub fn empty(&mut self, tag: u8) {
        self.message(tag, |_| ());
    }

    /// Authentication, with this code and what belongs to it.
    pub fn authentication(&mut self, code: u32, data: &[u8]) {
        self.message(b'R', |out| {
            out.extend(code.to_be_bytes());
            out.extend_from_slice(data);
        });
    }

    pub fn parameter(&mut self, name: &str, value: &str) {
        self.message(b'S', |out| {
            put_text(out, name);
            put_text(out, value);
        });
    }

    /// The key with which another connection cancels a statement of this one.
    pub fn key(&mut self, process: i32, secret: u32) {
        self.message(b'K', |out| {
            out.extend(process.to_be_bytes());
            out.extend(secret.to_be_bytes());
        });
    }

    pub fn ready(&mut self, indicator: u8) {
        self.message(b'Z', |out| out.push(indicator));
    }

    pub fn complete(&mut self, tag: &str) {
        self.message(b'C', |out| put_text(out, tag));
    }

    pub fn report(&mut self, severity: Severity, error: &Error) {
        let tag = match severity {
            Severity::Warning | Severity::Notice => b'N',
            _ => b'E',
        };
        let position = error.position.map(|position| position.to_string());
        let violated = error.violated.as_deref().cloned().unwrap_or_default();
        self.message(tag, |out| {
            let fields = [
                (b'S', Some(severity.word())),
                (b'V', Some(severity.word())),
                (b'C', Some(error.code)),
                (b'M', Some(error.message.as_str())),
                (b'D', error.detail.as_deref()),
                (b'H', error.hint.as_deref()),
                (b'P', position.as_deref()),
                (b'W', violated.context.as_deref()),
                (b's', violated.table.as_ref().map(|_| "public")),
                (b't', violated.table.as_deref()),
                (b'c', violated.column.as_deref()),
                (b'n', violated.constraint.as_deref()),
                (b'R', error.reported_by()),
            ];
            for (field, text) in fields {
                if let Some(text) = text {
                    out.push(field);
                    put_text(out, text);
                }
            }
            out.push(0);
        });
    }

    /// What was said on a channel.
    pub fn notification(&mut self, process: i32, channel: &str, payload: &str) {
        self.message(b'A', |out| {
            out.extend(process.to_be_bytes());
            put_text(out, channel);
            put_text(out, payload);
        });
    }

    pub fn parameter_types(&mut self, parameters: &[Parameter]) {
        self.message(b't', |out| {
            out.extend((parameters.len() as u16).to_be_bytes());
            parameters.iter().for_each(|one| out.extend(one.ty.oid().to_be_bytes()));
        });
    }

    /// The columns of a statement's rows; NoData if it returns none.
    pub fn columns(&mut self, analysed: Option<&Analysed>, formats: &[Format]) {
        match analysed.filter(|one| one.returns_rows()) {
            Some(one) => self.row_description(&one.columns, &one.origins, formats),
            None => self.empty(b'n'),
        }
    }

    /// The columns of rows.
    pub fn row_description(
        &mut self,
        columns: &[Output],
        origins: &[(u32, i16)],
        formats: &[Format],
    ) {
        self.message(b'T', |out| {
            out.extend((columns.len() as u16).to_be_bytes());
            for (index, column) in columns.iter().enumerate() {
                put_text(out, &column.name);
                let (table, number) = origins.get(index).copied().unwrap_or_default();
                out.extend(table.to_be_bytes());
                out.extend(number.to_be_bytes());
                out.extend(column.typed.ty.oid().to_be_bytes());
                out.extend(column.typed.ty.size().to_be_bytes());
                out.extend(column.typed.modifier.to_be_bytes());
                out.extend(code(format_of(formats, index)).to_be_bytes());
            }
        });
    }

    /// A row.
    ///
    /// # Errors
    ///
    /// Where a value is not of its column's type, with the index of the column. Nothing is written then.
    pub fn row<'a>(
        &mut self,
        values: impl Iterator<Item = (ValueRef<'a>, Typed, Format)>,
    ) -> Result<(), (Error, usize)> {
        let start = self.begin(b'D');
        self.0.extend([0; 2]);
        let mut count = 0_u16;
        for (value, typed, format) in values {
            if let Err(error) = self.value(value, typed, format) {
                self.0.truncate(start - 1);
                return Err((error, count.into()));
            }
            count = count.saturating_add(1);
        }
        self.0[start + 4..start + 6].copy_from_slice(&count.to_be_bytes());
        self.end(start);
        Ok(())
    }

    fn value(&mut self, value: ValueRef<'_>, typed: Typed, format: Format) -> Result<()> {
        let at = self.0.len();
        self.0.extend([0xff; 4]);
        if values::encode(value.into(), typed, format, &mut self.0)? {
            let length = (self.0.len() - at - 4) as u32;
            self.0[at..at + 4].copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    /// The beginning of COPY: `G` to receive, `H` to send.
    pub fn copy(&mut self, tag: u8, is_binary: bool, columns: usize) {
        let format = u8::from(is_binary);
        self.message(tag, |out| {
            out.push(format);
            out.extend((columns as u16).to_be_bytes());
            (0..columns).for_each(|_| out.extend([0, format]));
        });
    }
}

/// The format of a column, of which a client gives none, one for all, or one each.
pub fn format_of(formats: &[Format], index: usize) -> Format {
    match formats {
        [] => Format::Text,
        [all] => *all,
        each => each.get(index).copied().unwrap_or(Format::Text),
    }
}

fn code(format: Format) -> u16 {
    match format {
        Format::Text | Format::Iso8601 => 0,
        Format::Binary => 1,
    }
}

/// Text with a zero byte behind it, which it cannot contain itself.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlite_wasm_postgres::types::TEXT;

    #[test]
    fn messages_have_their_lengths() {
        let mut out = Out::default();
        out.complete("SELECT 1");
        assert_eq!(out.0, b"C\0\0\0\x0dSELECT 1\0");
        out.0.clear();
        out.report(Severity::Error, &Error::new("22023", "a\0b"));
        assert_eq!(out.0, b"E\0\0\0\x1eSERROR\0VERROR\0C22023\0Mab\0\0");
    }

    #[test]
    fn a_row_that_fails_leaves_nothing() {
        let mut out = Out::default();
        let text = (ValueRef::Text(b"x"), Typed::plain(TEXT), Format::Text);
        let null = (ValueRef::Null, Typed::plain(TEXT), Format::Text);
        out.row([text, null].into_iter()).unwrap();
        assert_eq!(out.0, b"D\0\0\0\x0f\0\x02\0\0\0\x01x\xff\xff\xff\xff");
        let int = Typed::declared("integer").unwrap();
        let wrong = (ValueRef::Text(b"x"), int, Format::Binary);
        let length = out.0.len();
        assert_eq!(out.row([text, wrong].into_iter()).unwrap_err().1, 1);
        assert_eq!(out.0.len(), length);
    }
}
