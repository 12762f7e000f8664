//! What PostgreSQL 15 reads in texts of intervals.

use super::Interval;
use crate::read::Fault;

/// Texts, and the interval or the SQLSTATE that they are there.
const CASES: &[(&str, &str)] = &[
    ("1 month - 1 day", "1 mon -1 days"),
    ("1 day - 2 hours", "1 day -02:00:00"),
    ("P1Y-1D", "1 year -1 days"),
    ("P1-2", "1 year 2 mons"),
    ("P0001-02", "1 year 2 mons"),
    ("1h30m", "01:30:00"),
    ("1 day, 2 hours", "1 day 02:00:00"),
    ("1 d 1 d", "22007"),
    ("1 2 3", "22007"),
    ("1 hour 04:05", "22007"),
    ("P00010203T040506", "1 year 2 mons 3 days 04:05:06"),
    ("P1Y2M3DT4H5M6.5S", "1 year 2 mons 3 days 04:05:06.5"),
    ("P0001-02-03T04:05:06", "1 year 2 mons 3 days 04:05:06"),
    ("PT", "00:00:00"),
    ("P", "22007"),
    ("p1y", "22007"),
    ("P1YT", "1 year"),
    ("PT1H-30M", "00:30:00"),
    ("1.5 months", "1 mon 15 days"),
    ("1.5 years", "1 year 6 mons"),
    ("-1.5 days", "-1 days -12:00:00"),
    ("0.5 us", "00:00:00"),
    ("1.5 us", "00:00:00.000001"),
    ("1:02:03.5", "01:02:03.5"),
    ("04:05.5", "00:04:05.5"),
    ("-04:05", "-04:05:00"),
    ("+04:05", "04:05:00"),
    ("- 04:05", "-04:05:00"),
    ("1 -04:05", "1 day -04:05:00"),
    ("1 +2:03:04", "1 day 02:03:04"),
    ("-1-2", "-1 years -2 mons"),
    ("1-2", "1 year 2 mons"),
    ("1-12", "22015"),
    ("+1-2 3 4:5:6", "1 year 2 mons 3 days 04:05:06"),
    ("3 4:05", "3 days 04:05:00"),
    ("@ 1 minute ago", "-00:01:00"),
    ("@ 1 hour 2 mins ago", "-01:02:00"),
    ("1 day ago 2 hours", "-1 days -02:00:00"),
    ("2000 years", "2000 years"),
    ("999999999 years", "22008"),
    ("178956970 years 8 months", "22008"),
    ("1 fortnight", "22007"),
    ("hour", "22007"),
    ("1 quarter", "22007"),
    ("1.5 weeks", "10 days 12:00:00"),
    ("1 century 2 decades", "120 years"),
    ("1 millisecond 2 us", "00:00:00.001002"),
    ("1.5 seconds 1 ms", "22007"),
    ("4:60", "22015"),
    ("4:05:61", "22015"),
    ("25:00", "25:00:00"),
    ("1e3 seconds", "22007"),
    ("1 sec 1 sec", "22007"),
    ("3 days 2", "3 days 00:00:02"),
    ("2", "00:00:02"),
    ("-2.5", "-00:00:02.5"),
    (".5 day", "12:00:00"),
    ("5. day", "5 days"),
    ("1day2hours", "22007"),
    ("1day 2hours", "1 day 02:00:00"),
    ("2020-01-01", "22007"),
    ("1/2", "22007"),
    ("1 day at 2:00", "22007"),
    ("1 day+2 hours", "22007"),
    ("infinity", "22007"),
    ("9223372036854775807 us", "2562047788:00:54.775807"),
    ("9223372036854775808 us", "22015"),
    ("1 mon 1 month", "22007"),
    ("P1.5Y", "1 year 6 mons"),
    ("P1W2D", "9 days"),
    ("P-1Y", "-1 years"),
    ("P1Y1Y", "2 years"),
    ("P10101", "10101 years"),
    ("PT101010", "10:10:10"),
    ("PT10:10", "10:10:00"),
    ("P1M2", "22007"),
    ("100000000:00:00", "100000000:00:00"),
    ("1 ago", "22007"),
    ("", "22007"),
    ("-infinity", "22007"),
    ("1 year -1 mon +3 days -04:05:06.789", "11 mons 3 days -04:05:06.789"),
    ("1-", "1 year"),
    ("1 milliseconds", "00:00:00.001"),
];

#[test]
fn texts_are_read_as_in_postgres() {
    for (text, wanted) in CASES {
        let found = match Interval::parse(text, None) {
            Ok(found) => found.to_string(),
            Err(Fault::Range) => "22008".to_owned(),
            Err(Fault::Amount) => "22015".to_owned(),
            Err(_) => "22007".to_owned(),
        };
        assert_eq!(found, *wanted, "{text}");
    }
}

#[test]
fn the_last_unit_may_be_given() {
    for (text, unit, wanted) in [
        ("1", "day", "1 day"),
        ("04:05", "minute to second", "00:04:05"),
        ("04:05", "second", "04:05:00"),
        ("1 2", "day to hour", "1 day 02:00:00"),
        ("1-2", "month", "1 year 2 mons"),
    ] {
        assert_eq!(Interval::parse(text, Some(unit)).unwrap().to_string(), wanted, "{text} {unit}");
    }
}
