//! What is refused, and what is not in `tests/parity`, where all is compared with Python's `zoneinfo`.

use crate::SCALARS;
use crate::names::Names;
use crate::zones::{offset_seconds, offset_text};
use jiff::tz::Offset;
use sqlite_wasm_kit::table::{Scan, scan};
use sqlite_wasm_kit::{Result, Value};

fn call(name: &str, arguments: &[&str]) -> Result<Value> {
    let scalar = SCALARS.iter().find(|scalar| scalar.fits(name, arguments.len()));
    let arguments = arguments.iter().map(|argument| Value::text(*argument)).collect();
    scalar.expect("it is in the list").call(arguments)
}

#[test]
fn local_times_are_those_of_another_zone() {
    let converted =
        call("tz_convert", &["2024-07-01 12:00:00", "America/New_York", "europe/paris"]);
    assert_eq!(converted, Ok(Value::text("2024-07-01 18:00:00")));
    assert_eq!(
        call("tz_to_utc", &["2024-01-01", "+05:30"]),
        Ok(Value::text("2023-12-31 18:30:00"))
    );
    assert_eq!(
        call("tz_from_utc", &["2024-01-01T00:00:00.1230", "Asia/Kathmandu"]),
        Ok(Value::text("2024-01-01 05:45:00.1230"))
    );
    assert_eq!(
        call("tz_format", &["1850-01-01 00:00", "Europe/Amsterdam"]),
        Ok(Value::text("1850-01-01T00:17:30+00:17:30"))
    );
}

#[test]
fn a_time_with_an_offset_is_no_local_time() {
    for time in ["2024-07-01 10:00:00Z", "2024-07-01 12:00+02:00", "2024-07-01T05:00:00 -05:00"] {
        let converted = call("tz_convert", &[time, "Asia/Tokyo", "UTC"]);
        assert_eq!(converted, Ok(Value::text("2024-07-01 10:00:00")), "{time}");
    }
}

#[test]
fn what_occurs_twice_or_never_is_chosen() {
    let choices = [
        ("2024-10-27 02:30:00", "compatible", "2024-10-27 00:30:00"),
        ("2024-10-27 02:30:00", "earlier", "2024-10-27 00:30:00"),
        ("2024-10-27 02:30:00", "later", "2024-10-27 01:30:00"),
        ("2024-03-31 02:30:00", "compatible", "2024-03-31 01:30:00"),
        ("2024-03-31 02:30:00", "earlier", "2024-03-31 00:30:00"),
        ("2024-03-31 02:30:00", "later", "2024-03-31 01:30:00"),
    ];
    for (time, choice, expected) in choices {
        let found = call("tz_to_utc", &[time, "Europe/Berlin", choice]);
        assert_eq!(found, Ok(Value::text(expected)), "{time} {choice}");
        let error = call("tz_to_utc", &[time, "Europe/Berlin", "reject"]).unwrap_err();
        assert!(error.message.starts_with("the local time is ambiguous"), "{}", error.message);
    }
    let error = call("tz_to_utc", &["2024-01-01", "UTC", "other"]).unwrap_err();
    assert!(error.message.starts_with("tz_to_utc: argument 3 must be `compatible`"));
}

#[test]
fn what_is_no_time_gives_null() {
    let long = format!("2024-01-01 00:00:00.{}x", "1".repeat(1_000_000));
    let wrong = [
        "",
        "now",
        "2024",
        "2024-1-1",
        "2024-13-01",
        "2023-02-29",
        "2024-01-01 24:00",
        "2024-01-01 00:60",
        "2024-01-01 00:00:60",
        "2024-01-01 0:00",
        "2024-01-01 00:00:00.",
        "2024-01-01 00:00+1",
        "2024-01-01Z",
        "2024-01-01 00:00+24:00",
        "-2024-01-01",
        "12024-01-01",
        "2024-01-01 00:00:00 PM",
        "２024-01-01",
        &long,
    ];
    for time in wrong {
        assert_eq!(call("tz_convert", &[time, "UTC", "UTC"]), Ok(Value::Null), "{time:.40}");
        assert_eq!(call("tz_offset", &[time, "UTC"]), Ok(Value::Null), "{time:.40}");
    }
    let scalar = SCALARS.iter().find(|scalar| scalar.fits("tz_offset", 2)).unwrap();
    for value in
        [Value::Null, Value::Integer(2460310), Value::Text(vec![0xff]), Value::Blob(vec![])]
    {
        assert_eq!(scalar.call(vec![value, Value::text("UTC")]), Ok(Value::Null));
    }
}

#[test]
fn the_ends_of_time_are_no_panic() {
    let zones = ["Pacific/Kiritimati", "Etc/GMT+12", "+23:59", "-23:59", "UTC"];
    for time in ["0000-01-01 00:00:00", "0000-01-01", "9999-12-31 23:59:59.999999999999"] {
        for from in zones {
            for to in zones {
                let found = call("tz_convert", &[time, from, to]).expect("it is no error");
                assert!(found == Value::Null || matches!(found, Value::Text(_)));
            }
            call("tz_format", &[time, from]).expect("it is no error");
        }
    }
}

#[test]
fn an_unknown_zone_is_an_error_and_can_be_asked_for() {
    for zone in [
        "",
        "Europe",
        "Europe/Nowhere",
        "+5:30",
        "+05:60",
        "+24:00",
        "Etc/Unknown",
        "../Europe/Paris",
        "\0",
    ] {
        assert_eq!(call("tz_is_valid", &[zone]), Ok(Value::Integer(0)), "{zone}");
        let error = call("tz_offset", &["2024-01-01", zone]).unwrap_err();
        assert!(error.message.starts_with("tz_offset: argument 2 must be a time zone"), "{zone}");
    }
    assert_eq!(call("tz_is_valid", &["europe/PARIS"]), Ok(Value::Integer(1)));
}

#[test]
fn the_table_has_each_zone_once() {
    let names = scan(&mut Names, Scan::default(), vec![0]).unwrap();
    assert!(names.len() > 500);
    for (_, row) in &names {
        let Value::Text(name) = &row[0] else { panic!("it is a text") };
        let name = String::from_utf8_lossy(name);
        assert_eq!(call("tz_is_valid", &[&name]), Ok(Value::Integer(1)), "{name}");
    }
}

#[test]
fn offsets_are_read_and_written() {
    assert_eq!(offset_seconds("-03:30"), Some(-12600));
    assert_eq!(offset_seconds("+00:00"), Some(0));
    assert_eq!(offset_text(Offset::from_seconds(-1172).unwrap()), "-00:19:32");
    assert_eq!(offset_text(Offset::from_seconds(0).unwrap()), "+00:00");
}
