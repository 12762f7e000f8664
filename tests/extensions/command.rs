//! `sqlite-wasm-run extension`: what is found where, and what it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::guest::guest;
use crate::support::{self, Directory, Outcome};

fn extension(name: &str) -> PathBuf {
    let path = support::repository().join(format!("target/release/extensions/{name}.wasm"));
    assert!(path.is_file(), "`make build` makes `{}`", path.display());
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

#[test]
fn the_list_has_what_is_found_first_first() {
    let directory = Directory::fresh("list");
    fs::copy(extension("uuid"), directory.path().join("uuid.wasm")).expect("the directory is ours");
    let here = text(&directory.path()).to_owned();
    let run = support::ours(&directory.path(), &["extension", "list", "--extension-dir", &here]);
    let run = run.keeps_quiet().exits_with(0);
    let out = run.out();
    let first = out.lines().next().expect("a line");
    assert!(first.starts_with("uuid ") && first.ends_with("uuid.wasm"), "{run}");
    let hidden = |line: &&str| line.starts_with("uuid ") && line.contains("hidden");
    assert_eq!(out.lines().filter(hidden).count(), 1, "{run}");
    assert!(out.lines().any(|line| line.starts_with("sha3 ")), "{run}");
}

#[test]
fn the_list_is_json_too() {
    let directory = Directory::fresh("json");
    let run = support::ours(&directory.path(), &["extension", "list", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    let sha3 = found.as_array().expect("a list").iter().find(|one| one["name"] == "sha3");
    let sha3 = sha3.expect("it is shipped");
    assert!(sha3["path"].as_str().is_some_and(|path| path.ends_with("/sha3.wasm")), "{run}");
    assert_eq!(sha3["hidden"], false, "{run}");
}

#[test]
fn an_extension_is_inspected_by_name_and_by_file() {
    let directory = Directory::fresh("inspect");
    let by_name = support::ours(&directory.path(), &["extension", "inspect", "sha3"]);
    let by_name = by_name.keeps_quiet().exits_with(0);
    let path = extension("sha3");
    let by_file = support::ours(&directory.path(), &["extension", "inspect", text(&path)]);
    let tail = |run: &Outcome| run.out().lines().filter(|l| !l.starts_with("file")).count();
    assert_eq!(tail(&by_name), tail(&by_file), "{by_file}");
    for line in [
        "name         sha3 ",
        "description  SHA-3",
        "contract     0.1.0",
        "scalar       sha3(1), ",
        "aggregate    sha3_agg(1), sha3_agg(2)",
    ] {
        assert!(by_name.out().lines().any(|l| l.starts_with(line)), "`{line}`: {by_name}");
    }
    let needing = support::ours(&directory.path(), &["extension", "inspect", "sha3query"]);
    assert!(needing.out().lines().any(|l| l == "needs        sql:ro"), "{needing}");
}

#[test]
fn json_has_sizes_hash_and_all_registrations() {
    let directory = Directory::fresh("json");
    let path = guest("conformance");
    let run = support::ours(
        &directory.path(),
        &["extension", "inspect", "--describe", "--json", text(&path)],
    );
    let run = run.keeps_quiet().exits_with(0);
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    assert_eq!(found["offer_source"], "described");
    assert_eq!(found["file_bytes"], fs::metadata(&path).expect("it is there").len());
    assert_eq!(found["sha256"].as_str().map(str::len), Some(64), "{run}");
    assert!(found["code_bytes"].as_u64() > Some(10_000), "{run}");
    assert!(found["memory_bytes"].as_u64() >= Some(1 << 20), "{run}");
    assert_eq!(found["refusal"], serde_json::Value::Null);
    let offer = &found["offer"];
    assert_eq!(offer["functions"].as_array().map(Vec::len), Some(31), "{run}");
    assert_eq!(offer["collations"].as_array().map(Vec::len), Some(4), "{run}");
    let store = offer["modules"]
        .as_array()
        .and_then(|all| all.iter().find(|module| module["name"] == "conf_store"));
    assert_eq!(store.map(|store| store["writable"] == true), Some(true), "{run}");
}

#[test]
fn native_code_is_checked_and_not_loaded() {
    let directory = Directory::fresh("precompiled");
    let path = extension("uuid");
    support::ours(&directory.path(), &["precompile", text(&path), "-o", "uuid.cwasm"])
        .exits_with(0);
    let run = support::ours(&directory.path(), &["extension", "inspect", "./uuid.cwasm"]);
    let run = run.keeps_quiet().exits_with(0);
    assert!(run.out().contains("bytes, precompiled") && run.out().contains("seal "), "{run}");
    assert!(!run.out().contains("uuid4"), "{run}");
    let query = [":memory:", "SELECT length(uuid4())"];
    for load in [&["--load", "./uuid.cwasm"][..], &["--extension-dir", ".", "--load", "uuid"]] {
        support::ours(&directory.path(), &[load, &query].concat()).prints("36\n");
    }
}

/// Fails unless `inspect` refuses the file in one line, and `.load` in the same.
#[track_caller]
fn refused(directory: &Directory, file: &str, reason: &str) {
    let inspected = support::ours(&directory.path(), &["extension", "inspect", file]);
    assert!(inspected.err().contains(reason), "`{reason}` was expected: {inspected}");
    assert_eq!(inspected.err().lines().count(), 1, "{inspected}");
    let inspected = inspected.exits_with(121);
    let load = format!(".load {file}");
    let loaded = support::ours(&directory.path(), &[":memory:", &load]);
    let said = inspected.err().trim_start_matches("error: ").replace(text(&directory.path()), "");
    let same = loaded.err().trim_start_matches("Error: ").replace(text(&directory.path()), "");
    assert_eq!(cause_cut(&said.replace("`/", "`./")), cause_cut(&same.replace("`/", "`./")));
}

/// Without the words of the parser: wasmtime has another version of it.
fn cause_cut(said: &str) -> String {
    let ends = said.split_once("valid component: ").zip(said.split_once("; build it again"));
    ends.map_or(said.to_owned(), |((before, _), (_, behind))| format!("{before}{behind}"))
}

#[test]
fn what_does_not_load_says_why_in_the_words_of_load() {
    let directory = Directory::fresh("refused");
    let write = |name: &str, content: &[u8]| {
        fs::write(directory.path().join(name), content).expect("the directory is ours");
    };
    write("text.wasm", b"no component");
    refused(&directory, "./text.wasm", "it is not a WebAssembly component");
    write("module.wasm", b"\0asm\x01\0\0\0");
    refused(&directory, "./module.wasm", "it is a core module and not a component");
    write("empty.wasm", b"\0asm\x0d\0\x01\0");
    refused(
        &directory,
        "./empty.wasm",
        "it is not an extension: it does not export `sqlite-wasm:extension`",
    );
    let other = patched("uuid", b"@0.1.0", b"@0.9.0");
    write("other.wasm", &other);
    refused(&directory, "./other.wasm", "it was made for version 0.9.0 of the contract");
    write("cut.wasm", &other[..other.len() / 2]);
    refused(&directory, "./cut.wasm", "it is not a valid component");
    write("cut.cwasm", &other);
    let run = support::ours(&directory.path(), &["extension", "inspect", "./cut.cwasm"]);
    run.exits_with(121).complains("precompile it again");
}

/// An extension with each `from` in its file as `to`.
fn patched(name: &str, from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut content = fs::read(extension(name)).expect("it is there");
    let mut count = 0;
    for place in 0..content.len() - from.len() {
        let is_contract = content[..place].ends_with(b"sqlite-wasm:extension/extension")
            || content[..place].ends_with(b"sqlite-wasm:extension/types")
            || content[..place].ends_with(b"sqlite-wasm:extension/scalar");
        if is_contract && content[place..].starts_with(from) {
            content[place..place + to.len()].copy_from_slice(to);
            count += 1;
        }
    }
    assert!(count > 0, "nothing to replace");
    content
}

#[test]
fn what_is_not_there_is_one_line() {
    let directory = Directory::fresh("nowhere");
    let run = support::ours(&directory.path(), &["extension", "inspect", "./nowhere.wasm"]);
    assert!(run.err().contains("nowhere.wasm") && run.err().lines().count() == 1, "{run}");
    let run = support::ours(&directory.path(), &["extension", "inspect", "nowhere"]);
    assert!(run.err().contains("--extension-dir") && run.err().lines().count() == 1, "{run}");
}
