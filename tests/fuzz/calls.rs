//! Random calls of `files` and `dispatch` by a hostile component, with any handles, paths and
//! lengths: the component may end, and the host must survive.

use std::fs;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;

use crate::ended;
use crate::support;
use crate::support::attacker::attack;
use crate::support::composed::shipped;
use crate::support::place::{Place, SECRET};

const FILE_CALLS: &[&str] = &[
    "open",
    "open",
    "open",
    "open-descriptor",
    "open-temporary",
    "close",
    "read",
    "write",
    "write",
    "write-anywhere",
    "truncate",
    "sync",
    "size",
    "reserve",
    "lock",
    "unlock",
    "delete",
    "access",
    "resolve",
    "target",
    "attributes",
    "permissions",
    "shm-open",
    "shm-reach",
    "shm-map",
    "shm-lock",
    "shm-close",
    "map-file",
    "unmap-file",
];

const DISPATCH_CALLS: &[&str] = &[
    "load",
    "load",
    "attach",
    "disconnect",
    "resume-nothing",
    "resume-output",
    "connect",
    "scalar-call",
    "inline-call",
    "inline-pending-result",
    "aggregate-start",
    "aggregate-finish",
    "aggregate-abandon",
    "table-open",
    "table-close",
    "table-fetch-batch",
    "table-destroy",
];

fn number(random: &mut Unstructured<'_>) -> Result<u64> {
    Ok(match random.int_in_range(0..=11)? {
        0 => random.arbitrary::<u32>()?.into(),
        1 => u32::MAX.into(),
        2 => u64::MAX,
        3 => i64::MAX as u64,
        4 => 1 << random.int_in_range(0..=63)?,
        5 => 65536 * random.int_in_range(0..=40)?,
        _ => random.int_in_range(0..=3)?,
    })
}

/// Room that is really taken must be small, or more than any device has.
fn room(random: &mut Unstructured<'_>) -> Result<u64> {
    Ok(if random.ratio(1, 3)? {
        u64::MAX - random.int_in_range(0..=9)?
    } else {
        random.int_in_range(0..=1 << 20)?
    })
}

fn path(random: &mut Unstructured<'_>, place: &Place) -> Result<String> {
    let name = *random.choose(&[
        "inside/a",
        "inside/b",
        "inside/a-journal",
        "inside/inner/c",
        "inside",
        "inside/",
        "inside//a",
        "outside/secret.sql",
        "outside/new",
        "inside/../outside/new",
        "inside/link/new",
        "inside/inner/../../outside/secret.db",
        "inside/.",
        "",
        "inside/x.wasm",
        "inside/x",
        "inside-not/secret.sql",
    ])?;
    Ok(match random.int_in_range(0..=14)? {
        0 => "x".repeat(random.int_in_range(0..=9000)?),
        1 => "/".repeat(random.int_in_range(0..=9000)?),
        2 => "inside/a".into(),
        3 => "\u{0}".into(),
        _ => place.name(name),
    })
}

fn call(random: &mut Unstructured<'_>, place: &Place, names: &[&str]) -> Result<String> {
    let name = *random.choose(names)?;
    let text = match name {
        "load" if random.ratio(1, 2)? => (*random.choose(&["uuid", "sha3", "nothing", ""])?).into(),
        _ => path(random, place)?,
    };
    let (a, b, c) = (number(random)?, number(random)?, number(random)?);
    let b = if name == "reserve" { room(random)? } else { b };
    // An argument of a program has no NUL; a component cannot be given one.
    let text = text.replace('\0', "");
    Ok(format!("call={name}::{text}::{a}::{b}::{c}"))
}

fn live(names: &[&str]) {
    const CALLS: usize = 60;
    let place = Place::fresh("calls");
    std::os::unix::fs::symlink("../outside", place.path("inside/link")).expect("it is ours");
    fs::copy(shipped("uuid"), place.path("inside/x.wasm")).expect("there is room");
    arbtest(|random| {
        for name in ["a", "b"] {
            fs::write(place.path("inside").join(name), "x".repeat(70_000)).expect("it is ours");
        }
        let calls = (0..CALLS).map(|_| call(random, &place, names));
        let calls = calls.collect::<Result<Vec<_>>>()?;
        let run = attack(&place.path("inside"), &["--timeout", "20"], &calls);
        ended(&run);
        assert!(!run.out().contains(SECRET), "it saw the secret\n{run}");
        place.is_closed_to(&[support::ours(&place.path("inside"), &[":memory:", "SELECT 1"])]);
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

#[test]
fn random_calls_of_files_harm_nothing() {
    live(FILE_CALLS);
}

#[test]
fn random_calls_of_dispatch_harm_nothing() {
    live(DISPATCH_CALLS);
}

#[test]
fn random_calls_of_both_harm_nothing() {
    live(&[FILE_CALLS, DISPATCH_CALLS].concat());
}
