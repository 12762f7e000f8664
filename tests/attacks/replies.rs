//! The caller's side of `dispatch`, in a component that is not an engine: calls that wait for SQL,
//! and invalid inline arguments.

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
    ends_as(
        &directory,
        &options,
        &[
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
        ],
    );
}

/// Fails unless each call ends in this way.
#[track_caller]
fn ends_as(directory: &Directory, options: &[&str], actions: &[(&str, &str)]) {
    let calls: Vec<_> = actions.iter().map(|(action, _)| action).collect();
    let run = attack(&directory.path(), options, &calls).exits_with(0);
    let line = |(action, end): &(&str, &str)| {
        let name = action["call=".len()..].split("::").next().unwrap_or_default();
        format!("{name}: {end}\n")
    };
    assert_eq!(run.out(), actions.iter().map(line).collect::<String>(), "{run}");
}

/// Heads of other classes, of more than eight words together, and with a gap. The heads are
/// the words too; see the guest.
#[test]
fn inline_arguments_of_another_form_are_refused() {
    let directory = Directory::fresh("inline");
    fs::copy(guest("conformance"), directory.path().join("conformance.wasm")).expect("room");
    let mut actions = vec![("call=load::conformance".to_owned(), "0 0")];
    for heads in [
        0x5,
        0xffff_ffff_ffff_00fe,
        0xffff_ffff_ffff_4103,
        0xffff_ffff_0001_4004,
        0x2103_0903_0903_0903,
        0xffff_0001_ffff_0001,
        0x0000_ffff_ffff_ffff,
        u64::MAX - 1,
    ] {
        actions.push((format!("call=inline-call::::0::0::{heads}"), "0 0"));
        actions.push(("call=inline-pending-result::::0::0".to_owned(), FAILED));
    }
    let actions: Vec<_> = actions.iter().map(|(action, end)| (action.as_str(), *end)).collect();
    ends_as(&directory, &["--extension-dir", "."], &actions);
}
