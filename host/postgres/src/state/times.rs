//! Times as settings: `5s`, `100ms`, and numbers, which are milliseconds.

use std::time::Duration;

/// The units, with their milliseconds, from the longest on.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)];

/// The longest time that Postgres' settings have.
const MOST: f64 = i32::MAX as f64;

/// The milliseconds of a text.
pub fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit {
        "" => 1.0,
        "us" => 0.001,
        unit => UNITS.iter().find(|(known, _)| *known == unit)?.1 as f64,
    };
    let time = number.trim().parse::<f64>().ok()? * factor;
    // What is shorter than a millisecond would be no limit at all.
    let time = if time > 0.0 { time.round().max(1.0) } else { time };
    (0.0..=MOST).contains(&time).then_some(time as u64)
}

/// The time that a setting and the server's limit allow together: 0 is no limit.
pub fn within(limit: Option<Duration>, milliseconds: u64) -> u64 {
    let limit = limit.map_or(0, |limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
    match (limit, milliseconds) {
        (0, time) | (time, 0) => time,
        (limit, time) => limit.min(time),
    }
}

/// A time as SHOW has it, in the longest unit that fits.
pub fn shown(milliseconds: u64) -> String {
    if milliseconds == 0 {
        return "0".to_owned();
    }
    let fits = |(_, factor): &&(&str, u64)| milliseconds.is_multiple_of(*factor);
    let (unit, factor) = UNITS.iter().find(fits).unwrap_or(&UNITS[4]);
    format!("{}{unit}", milliseconds / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1500", Some(1500)),
            (" 5 s", Some(5000)),
            ("1.5min", Some(90_000)),
            ("10us", Some(1)),
            ("2d", Some(172_800_000)),
            ("-1", None),
            ("5 weeks", None),
            ("1e12", None),
            ("NaN", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
        assert_eq!(
            [0, 90_000, 1500, 5000, 7_200_000].map(shown),
            ["0", "90s", "1500ms", "5s", "2h"]
        );
    }

    #[test]
    fn the_servers_limit_holds() {
        let limit = Some(Duration::from_secs(10));
        assert_eq!([0, 1, 20_000].map(|time| within(limit, time)), [10_000, 1, 10_000]);
        assert_eq!([0, 5].map(|time| within(None, time)), [0, 5]);
    }
}
