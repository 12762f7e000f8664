//! The declarations that scalar and aggregate functions share.

use crate::bindings;

/// The function is variadic.
pub const ANY_NUMBER: i8 = -1;

/// Whether the same arguments always give the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Yes: SQLite may use the function in indexes, and call it less often.
    Stable,
    /// No: it is called for each row.
    Volatile,
}

/// Where a function or module may be used, if a schema may be hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// Everywhere, including triggers and views of a schema that is not trusted.
    Innocuous,
    /// In triggers and views only if the schema is trusted.
    Ordinary,
    /// Only in SQL of the application itself. For everything with effects outside the database.
    DirectOnly,
}

/// The encoding in which a function or collation receives text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
}

/// The part of a declaration that scalars and aggregates share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub name: &'static str,
    pub arguments: i8,
    pub result: Stability,
    pub risk: Risk,
    pub encoding: TextEncoding,
    pub reads_subtypes: bool,
    pub gives_subtypes: bool,
    pub numbers_as_text: bool,
}

impl Signature {
    pub const fn new(name: &'static str, arguments: i8, result: Stability, risk: Risk) -> Self {
        Self {
            name,
            arguments,
            result,
            risk,
            encoding: TextEncoding::Utf8,
            reads_subtypes: false,
            gives_subtypes: false,
            numbers_as_text: false,
        }
    }

    pub fn declare(&self, kind: bindings::types::FunctionKind) -> bindings::types::Function {
        use bindings::types::{Function, FunctionFlags as Flags};
        let mut flags = Flags::empty();
        flags.set(Flags::DETERMINISTIC, self.result == Stability::Stable);
        flags.set(Flags::ARGUMENT_SUBTYPES, self.reads_subtypes);
        flags.set(Flags::RESULT_SUBTYPE, self.gives_subtypes);
        flags.set(Flags::NUMBERS_AS_TEXT, self.numbers_as_text);
        let is_scalar = kind == bindings::types::FunctionKind::Scalar;
        let are_few = self.arguments <= wire::InlineArguments::MAX_COUNT as i8;
        flags.set(Flags::INLINE, is_scalar && are_few && !self.reads_subtypes);
        Function {
            name: self.name.into(),
            arguments: self.arguments,
            kind,
            encoding: self.encoding.into(),
            flags,
            risk: self.risk.into(),
        }
    }
}

impl From<Risk> for bindings::types::Risk {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Innocuous => Self::Innocuous,
            Risk::Ordinary => Self::Ordinary,
            Risk::DirectOnly => Self::DirectOnly,
        }
    }
}

impl From<TextEncoding> for bindings::types::TextEncoding {
    fn from(encoding: TextEncoding) -> Self {
        match encoding {
            TextEncoding::Utf8 => Self::Utf8,
            TextEncoding::Utf16Le => Self::Utf16le,
            TextEncoding::Utf16Be => Self::Utf16be,
        }
    }
}

/// Options that most functions do not need, as methods of their tables.
macro_rules! signature_choices {
    ($type:ty) => {
        impl $type {
            /// Receive text in another encoding than UTF-8.
            pub const fn encoding(mut self, encoding: $crate::TextEncoding) -> Self {
                self.signature.encoding = encoding;
                self
            }

            /// Receive the subtypes of the arguments.
            pub const fn reads_subtypes(mut self) -> Self {
                self.signature.reads_subtypes = true;
                self
            }

            /// Receive integers and reals as text, in SQLite's format: for functions that process
            /// the text of any argument.
            pub const fn numbers_as_text(mut self) -> Self {
                self.signature.numbers_as_text = true;
                self
            }

            /// Return results that may have a subtype.
            pub const fn gives_subtypes(mut self) -> Self {
                self.signature.gives_subtypes = true;
                self
            }
        }
    };
}
pub(crate) use signature_choices;
