//! The values are those of PostgreSQL 15.

use crate::numbers::check;

#[test]
fn times_are_those_of_postgres() {
    check(&[
        ("pg_timestamptz_of", &["2024-01-05T10:00:00+02:30"], "2024-01-05 07:30:00"),
        ("pg_timestamp_of", &["20240105T101112"], "2024-01-05 10:11:12"),
        ("pg_timestamp_of", &["x"], "22007: invalid input syntax for type timestamp: \"x\""),
        (
            "pg_date_of",
            &["2024-02-30"],
            "22008: date/time field value out of range: \"2024-02-30\"",
        ),
        ("pg_interval_of", &["P1Y2M3DT4H5M6.5S"], "1 year 2 mons 3 days 04:05:06.5"),
        ("pg_interval_of", &["1 day -1 hour"], "1 day -01:00:00"),
        ("pg_interval_of", &["1.5 months"], "1 mon 15 days"),
        ("pg_interval_of", &["-1 day 2 hours"], "-1 days +02:00:00"),
        ("pg_interval_of", &["x"], "22007: invalid input syntax for type interval: \"x\""),
        ("pg_timestamp_add", &["2024-01-31 10:00:00", "1 mon"], "2024-02-29 10:00:00"),
        ("pg_interval_age", &["2001-04-10", "1957-06-13"], "43 years 9 mons 27 days"),
        ("pg_interval_mul", &["1 mon", "2"], "2 mons"),
        ("pg_numeric_extract", &["second", "2024-01-05 10:00:06.5", "timestamp"], "6.500000"),
        ("pg_numeric_extract", &["week", "2021-01-01", "date"], "53"),
        (
            "pg_numeric_extract",
            &["hour", "2021-01-01", "date"],
            "0A000: unit \"hour\" not supported for type date",
        ),
        ("pg_timestamp_trunc", &["quarter", "2024-05-17 10:00:00"], "2024-04-01 00:00:00"),
        (
            "pg_text_to_char",
            &["2024-01-05 15:04:05", "FMMonth DDth, YYYY HH12:MI AM", "timestamp"],
            "January 05th, 2024 03:04 PM",
        ),
        ("pg_text_to_char", &["1234.5", "FM9,999.00", "numeric"], "1,234.50"),
        ("pg_text_to_char", &["-12", "9999", "int4"], "  -12"),
        ("pg_text_to_char", &["0.01", "FM9.9", "numeric"], "0."),
        ("pg_text_to_char", &["1.5", "9.", "numeric"], " 2"),
        ("pg_text_to_char", &["-123", "FM9.99", "int4"], "-#.##"),
        (
            "pg_text_to_char",
            &[
                "2024-03-05 00:04:05.0678",
                "FMMS|FF2TH|of|hh24|Hh|DDSPTH|\"a\\\"b\"|TMMonth",
                "timestamp",
            ],
            "067|06TH|+00|00|Hh|05TH|a\"b|March",
        ),
        (
            "pg_text_to_char",
            &["1 year 2 mons 3 days -01:30:00", "YYYY MM DD HH24:MI RM DDD", "interval"],
            "0001 02 03 -01:-30 II   423",
        ),
        (
            "pg_text_to_char",
            &["1 day", "Day", "interval"],
            "22007: invalid format specification for an interval value",
        ),
        ("pg_date_scan", &["05 Jan 2024", "DD Mon YYYY"], "2024-01-05"),
        ("pg_date_scan", &["2024-09-3", "IYYY-IW-ID"], "2024-02-28"),
        ("pg_date_scan", &["60 2024", "DDD YYYY"], "2024-02-29"),
        (
            "pg_timestamptz_scan",
            &["2024-1-2 3 pm -02", "YYYY-MM-DD HH AM TZH"],
            "2024-01-02 17:00:00",
        ),
        ("pg_timestamptz_scan", &["2024 5", "YYYY MS"], "2024-01-01 00:00:00.5"),
        (
            "pg_date_scan",
            &["Jan 2024", "Month YYYY"],
            "22007: invalid value \"Jan 2024\" for \"MONTH\"",
        ),
        (
            "pg_date_scan",
            &["2024 2025", "YYYY YYYY"],
            "22007: conflicting values for \"YYYY\" field in formatting string",
        ),
        ("pg_date_scan", &["2024 1", "YYYY IW"], "22007: invalid combination of date conventions"),
        ("pg_date_scan", &["12", "MM"], "0A000: years outside of 1 to 9999 are not supported"),
        ("pg_timestamp_at_zone", &["2024-01-05 10:00:00", "+02:00"], "2024-01-05 08:00:00"),
    ]);
}

#[test]
fn any_text_is_read() {
    arbtest::arbtest(|u| {
        let text: String = u.arbitrary()?;
        let _ = postgres_types::Interval::parse(&text, None);
        let _ = postgres_types::read::stamp(&text, true);
        let _ = postgres_types::read::time(&text);
        let pattern: String = u.arbitrary()?;
        let _ = super::scan::read(&text, &pattern);
        let _ = super::format::shown(
            &sqlite_wasm_kit::Value::text("2024-01-05 10:00:00"),
            &pattern,
            "timestamp",
        );
        let _ = super::numbers::shown(&sqlite_wasm_kit::Value::Integer(-7), &pattern);
        Ok(())
    });
}
