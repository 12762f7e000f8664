//! A composed file is one program, by whatever way it is read.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::support::attacker;
use crate::support::composed::{Composed, shipped};
use crate::support::generated::with_custom_section;
use crate::support::{self, Directory, End, Outcome};

/// All that reads a composed file.
fn uses(directory: &Path, name: &str) -> [Outcome; 4] {
    let _ = fs::remove_file(directory.join("out.cwasm"));
    let _ = fs::remove_file(directory.join("out.wasm"));
    [
        &[name, ":memory:", "SELECT 6 * 7"][..],
        &["precompile", name, "-o", "out.cwasm"],
        &["extension", "inspect", &format!("./{name}")],
        &["compose", "--cli", name, "--embed", "stats", "-o", "out.wasm"],
    ]
    .map(|args| support::ours(directory, args))
}

#[track_caller]
fn is_refused(what: &str, file: &[u8]) {
    let directory = Directory::fresh("two");
    fs::write(directory.path().join("two.wasm"), file).expect("the directory is ours");
    for run in uses(&directory.path(), "two.wasm") {
        assert_ne!(run.end, End::Exited(0), "{what} was taken\n{run}");
        assert_ne!(run.end, End::Exited(101), "{what}: it panicked\n{run}");
        assert!(matches!(run.end, End::Exited(_)), "{what}: it crashed or hung\n{run}");
    }
}

/// A composed `.wasm`, its list, and where the list's section begins. Composing
/// compiles the CLI, so all tests share it.
fn composed() -> (Vec<u8>, serde_json::Value, usize) {
    static COMPOSED: OnceLock<(Vec<u8>, serde_json::Value, usize)> = OnceLock::new();
    let make = || {
        let composed = Composed::with("one", &["uuid", "sha3query"]);
        let whole = fs::read(composed.portable()).expect("it was just made");
        let (json, end) = attacker::list_of(&whole);
        (whole, serde_json::from_str(&json).expect("the list is JSON"), end)
    };
    COMPOSED.get_or_init(make).clone()
}

#[test]
fn a_recorded_length_that_is_not_the_components_is_refused() {
    let (whole, list, end) = composed();
    let length = list["component_bytes"].as_u64().expect("it is a number") as usize;
    for other in [0, 8, length / 2, length - 1, length + 1, end, whole.len(), usize::MAX >> 1] {
        let mut list = list.clone();
        list["component_bytes"] = other.into();
        let file = attacker::with_list(&whole[..end], &list.to_string(), &whole);
        is_refused(&format!("a component of {other} bytes instead of {length}"), &file);
    }
}

/// Behind the component stand custom sections alone: anything else would be
/// there for those who compile the whole file, and not for the others.
#[test]
fn more_behind_the_component_is_refused() {
    let (whole, list, _) = composed();
    let length = list["component_bytes"].as_u64().expect("it is a number") as usize;
    let uuid = fs::read(shipped("uuid")).expect("it is there");
    let nested = [&[4], attacker::leb128(uuid.len()).as_slice(), &uuid].concat();
    // Empty sections of types, of imports, and of exports; a nested component.
    for more in [&[7, 1, 0][..], &[10, 1, 0], &[11, 1, 0], &nested] {
        let file = [&whole[..length], more].concat();
        let mut list = list.clone();
        list["extensions"] = serde_json::json!([]);
        let file = attacker::with_list(&file, &list.to_string(), &whole);
        is_refused("a section behind the component", &file);
    }
}

/// Parts that lie in each other, or in the component.
#[test]
fn parts_that_overlap_are_refused() {
    let (whole, list, end) = composed();
    let length = list["component_bytes"].as_u64().expect("it is a number");
    let part = |start: u64, end: u64| serde_json::json!({ "start": start, "end": end });
    let bundled = list["extensions"]
        .as_array()
        .expect("a list")
        .iter()
        .position(|one| one["placement"]["bundled"].is_object());
    let bundled = bundled.expect("sha3query needs SQL");
    for range in
        [part(0, length), part(8, 4), part(length, u64::MAX), part(end as u64, whole.len() as u64)]
    {
        let mut list = list.clone();
        list["extensions"][bundled]["placement"]["bundled"]["range"] = range;
        let file = attacker::with_list(&whole[..end], &list.to_string(), &whole);
        is_refused("a part that is elsewhere", &file);
    }
    let mut twice = list.clone();
    let copy = twice["extensions"][bundled].clone();
    twice["extensions"].as_array_mut().expect("a list").push(copy);
    let file = attacker::with_list(&whole[..end], &twice.to_string(), &whole);
    is_refused("a part of two extensions", &file);
}

#[test]
fn a_second_list_is_refused_or_not_seen() {
    let (whole, _, _) = composed();
    let file = with_custom_section(&whole, "sqlite-wasm:composition", b"{}");
    let directory = Directory::fresh("second");
    fs::write(directory.path().join("two.wasm"), file).expect("the directory is ours");
    // By none of the ways has it other extensions than by the others.
    let runs = uses(&directory.path(), "two.wasm");
    let taken: Vec<bool> = runs.iter().map(|run| run.end == End::Exited(0)).collect();
    let sees = runs[2].out().contains("uuid");
    let args = ["two.wasm", ":memory:", "SELECT length(uuid4())"];
    let has = support::ours(&directory.path(), &args).out().contains("36");
    assert!(!taken[0] || has == sees, "it is two programs: {}\n{}", runs[0], runs[2]);
}

#[test]
fn a_file_as_it_was_composed_is_taken() {
    let (whole, list, end) = composed();
    let same = attacker::with_list(&whole[..end], &list.to_string(), &whole);
    assert_eq!(attacker::list_of(&same).1, end);
    let directory = Directory::fresh("same");
    fs::write(directory.path().join("one.wasm"), &same).expect("the directory is ours");
    for run in uses(&directory.path(), "one.wasm") {
        run.exits_with(0);
    }
}
