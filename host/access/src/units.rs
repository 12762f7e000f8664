//! Sizes and times, on the command line and in the file.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use sqlite_wasm_runtime::limits::units::{parse_duration, parse_size};

/// A value of the file: a text as on the command line, or a count of bytes or seconds.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A size in bytes, such as `64M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Size(pub u64);

/// A time, such as `500ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Time(pub Duration);

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_size(text).map(Self)
    }
}

impl FromStr for Time {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_duration(text).map(Self)
    }
}

impl TryFrom<Written> for Size {
    type Error = anyhow::Error;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        written.to_string().parse()
    }
}

impl TryFrom<Written> for Time {
    type Error = anyhow::Error;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        written.to_string().parse()
    }
}
