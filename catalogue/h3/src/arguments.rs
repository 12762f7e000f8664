//! Cells, edges, vertices and resolutions as SQL has them.

use h3o::{CellIndex, DirectedEdgeIndex, Resolution, VertexIndex};
use sqlite_wasm_kit::{FromValue, IntoOutput, Output, Result, Value};

/// Whether an index is an integer or its text; results are of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Text,
}

impl Kind {
    /// This index in SQL.
    pub fn write(self, index: impl Into<u64>) -> Value {
        let bits: u64 = index.into();
        match self {
            // The first bit of an index is always 0.
            Self::Integer => Value::Integer(bits as i64),
            Self::Text => Value::text(format!("{bits:x}")),
        }
    }
}

/// What has the form of an index; it need not be one.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub bits: u64,
    pub kind: Kind,
}

impl Index {
    /// The bits of a value; `None` if the value has another form.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(bytes) => {
                let text = std::str::from_utf8(bytes).ok()?;
                let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
                let bits = u64::from_str_radix(text, 16).ok().filter(|_| is_hexadecimal)?;
                Some(Self { bits, kind: Kind::Text })
            }
            value => {
                let bits = value.whole()? as u64;
                Some(Self { bits, kind: Kind::Integer })
            }
        }
    }
}

/// A valid index of type `T`, with the kind in which it was given; `None` for other values.
#[derive(Clone, Copy, Debug)]
pub struct Given<T>(pub Option<(T, Kind)>);

pub type Cell = Given<CellIndex>;
pub type Edge = Given<DirectedEdgeIndex>;
pub type Vertex = Given<VertexIndex>;

impl<T: TryFrom<u64>> Given<T> {
    pub fn read(value: &Value) -> Self {
        let index = Index::read(value);
        Self(index.and_then(|it| Some((T::try_from(it.bits).ok()?, it.kind))))
    }

    /// The result of a function of the index; NULL if the value is not a valid index.
    pub fn map<R: IntoOutput>(self, function: impl FnOnce(T) -> R) -> Result<Output> {
        self.0.map(|(index, _)| function(index)).into_output()
    }

    /// The same, where it is another index, written as this one was.
    pub fn find<R: Into<u64>>(self, function: impl FnOnce(T) -> Option<R>) -> Option<Value> {
        self.0.and_then(|(index, kind)| Some(kind.write(function(index)?)))
    }
}

impl<T: TryFrom<u64>> FromValue for Given<T> {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        Ok(Self::read(&value))
    }
}

/// A resolution.
#[derive(Clone, Copy, Debug)]
pub struct Fineness(pub Resolution);

impl FromValue for Fineness {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        let number = value.whole().and_then(|it| u8::try_from(it).ok());
        let resolution = number.and_then(|it| Resolution::try_from(it).ok());
        resolution.map(Self).ok_or("a resolution, 0 to 15")
    }
}

/// A unit, of lengths or of areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Radians,
    Kilometres,
    Metres,
}

/// The unit of a length.
pub struct Length(pub Unit);

impl FromValue for Length {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        match &*value.into_bytes() {
            b"rads" => Ok(Self(Unit::Radians)),
            b"km" => Ok(Self(Unit::Kilometres)),
            b"m" => Ok(Self(Unit::Metres)),
            _ => Err("`km`, `m` or `rads`"),
        }
    }
}

/// The unit of an area.
pub struct Square(pub Unit);

impl FromValue for Square {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        match &*value.into_bytes() {
            b"rads^2" => Ok(Self(Unit::Radians)),
            b"km^2" => Ok(Self(Unit::Kilometres)),
            b"m^2" => Ok(Self(Unit::Metres)),
            _ => Err("`km^2`, `m^2` or `rads^2`"),
        }
    }
}
