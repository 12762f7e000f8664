//! Sizes and times, on the command line and in the file.

use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use sqlite_wasm_runtime::units::{parse_duration, parse_size};

/// A size in bytes, such as `64M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

/// A time, such as `500ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
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

impl TryFrom<String> for Size {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<String> for Time {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
