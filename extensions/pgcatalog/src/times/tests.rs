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
        ("pg_date_scan", &["05 Jan 2024", "DD Mon YYYY"], "2024-01-05"),
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
