//! The caller's side of a call that waits for SQL, by a component that is no engine.

use std::fs;

use crate::support::Directory;
use crate::support::attacker::attack;
use crate::support::guest::guest;

/// What [`attack`] prints for a failure of a call, and for its request.
const FAILED: &str = "1 0";
const PENDING: &str = "1 1";

/// The first call returns the request itself, and the reply to it returns the result: two
/// crossings. Another reply than the one that is waited for changes nothing.
#[test]
fn a_call_with_one_request_is_two_crossings() {
    let directory = Directory::fresh("replies");
    fs::copy(guest("querying"), directory.path().join("querying.wasm")).expect("there is room");
    let options = ["--extension-dir", ".", "--grant", "querying=sql"];
    let actions = [
        ("call=load::querying", "0 0"),
        ("call=attach::::0", "0 1"),
        ("call=resume-nothing::::1::0", FAILED),
        // It prepares a statement.
        ("call=connect::::1", PENDING),
        ("call=resume-output::::1::0", FAILED),
        ("call=connect::::1", FAILED),
        ("call=resume-nothing::::1::1", FAILED),
        ("call=resume-nothing::::1::1", FAILED),
        // What has failed can be called again. A reply of no bytes is not one to `prepare`.
        ("call=connect::::1", PENDING),
        ("call=resume-nothing::::1::0", FAILED),
        ("call=disconnect::::1", "0 0"),
    ];
    let run = attack(&directory.path(), &options, &actions.map(|(action, _)| action)).exits_with(0);
    let name = |action: &str| action["call=".len()..].split("::").next().map(str::to_owned);
    let expected = actions.map(|(action, end)| format!("{}: {end}\n", name(action).expect("one")));
    assert_eq!(run.out(), expected.concat(), "{run}");
}
