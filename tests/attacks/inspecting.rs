//! `extension inspect` of a download: nothing of the file runs, it ends, and what
//! it prints is text.

use std::fs;
use std::path::Path;

use crate::payload_did_not_run;
use crate::support::attacker::{self, is_escaped};
use crate::support::composed::{Composed, shipped};
use crate::support::generated::{Program, endless, with_custom_section};
use crate::support::{self, Directory, End, Outcome};

fn inspect(directory: &Path, file: &str) -> [Outcome; 2] {
    [&["extension", "inspect", file][..], &["extension", "inspect", "--json", file]]
        .map(|args| support::ours(directory, args))
}

#[test]
fn native_code_is_not_run_by_inspecting_it() {
    let directory = Directory::fresh("native");
    let uuid = shipped("uuid");
    for (name, component) in
        [("extension", uuid.as_path()), ("program", attacker::portable().as_ref())]
    {
        let payload = attacker::native_payload(component);
        let sealed = attacker::precompiled(component);
        fs::write(directory.path().join(format!("{name}.cwasm")), payload).expect("it is ours");
        fs::write(directory.path().join(format!("{name}-good.cwasm")), sealed).expect("it is ours");
        for file in [format!("{name}.cwasm"), format!("./{name}.cwasm")] {
            inspect(&directory.path(), &file)
                .into_iter()
                .for_each(|run| drop(payload_did_not_run(run)));
        }
        let [table, _] = inspect(&directory.path(), &format!("./{name}-good.cwasm"));
        assert!(table.out().contains("precompiled"), "a good file tells nothing\n{table}");
    }
}

/// Code that computes for ever, where it is run or only instantiated.
#[test]
fn a_component_that_never_ends_is_inspected() {
    let directory = Directory::fresh("endless");
    for starts in [false, true] {
        let program = Program { starts, ..Program::new(endless()) };
        fs::write(directory.path().join("endless.wasm"), program.encode()).expect("it is ours");
        for run in inspect(&directory.path(), "./endless.wasm") {
            assert!(matches!(run.end, End::Exited(_)), "it hung\n{run}");
            assert!(!run.err().contains("time limit"), "it was run\n{run}");
        }
    }
    // The extension's own description never ends.
    let mut content = fs::read(support::guest::guest("malicious")).expect("it is there");
    let mark = b"malicious-manifest:";
    let place = content.windows(mark.len()).position(|at| at == mark).expect("it has the mark");
    content[place + mark.len()..][..18].copy_from_slice(b"loop..............");
    fs::write(directory.path().join("loop.wasm"), content).expect("it is ours");
    for run in inspect(&directory.path(), "./loop.wasm") {
        assert!(matches!(run.end, End::Exited(_)), "it hung\n{run}");
        assert!(!run.err().contains("--extension-timeout"), "it was run\n{run}");
    }
}

#[test]
fn a_list_with_escapes_is_shown_as_text() {
    let composed = Composed::with("escapes", &["uuid"]);
    let whole = fs::read(composed.portable()).expect("it was just made");
    let (json, end) = attacker::list_of(&whole);
    let directory = Directory::fresh("escapes");
    let forged = "error: forged";
    let replacements = [
        ("\"uuid\"", format!("\"uuid\\n{forged}\\u001b[2J\"")),
        ("\"0.1.0\"", format!("\"0.1.0\\r\\u001b[2K{forged}\"")),
        ("\"uuid4/0\"", format!("\"uuid4\\u009b2J\\u202e\\n{forged}/0\"")),
    ];
    for (from, to) in replacements {
        assert!(json.contains(from), "the list has {from}: {json}");
        let malicious = attacker::with_list(&whole[..end], &json.replace(from, &to), &whole);
        fs::write(directory.path().join("malicious.wasm"), malicious).expect("it is ours");
        let [table, json] = inspect(&directory.path(), "./malicious.wasm");
        for run in [&table, &json] {
            is_escaped(&run.stdout, forged, run);
            is_escaped(&run.stderr, forged, run);
        }
        if json.end == End::Exited(0) {
            serde_json::from_slice::<serde_json::Value>(&json.stdout).expect("it is JSON");
        }
    }
    let [table, _] = inspect(&composed.directory(), "./composed.wasm");
    assert!(table.out().contains("uuid") && table.end == End::Exited(0), "{table}");
}

/// Custom sections may hold anything: claims of what the extension registers.
#[test]
fn sections_with_nonsense_are_shown_as_text_or_not_at_all() {
    let directory = Directory::fresh("sections");
    let uuid = fs::read(shipped("uuid")).expect("it is there");
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for name in ["sqlite-wasm:manifest", "sqlite-wasm:composition", "name\u{1b}[2J", "producers"] {
        for content in ["\u{1b}[2J\nerror: forged", "{}", "null", nested.as_str(), ""] {
            let malicious = with_custom_section(&uuid, name, content.as_bytes());
            fs::write(directory.path().join("malicious.wasm"), malicious).expect("it is ours");
            for run in inspect(&directory.path(), "./malicious.wasm") {
                assert!(matches!(run.end, End::Exited(_)), "it crashed or hung\n{run}");
                assert_ne!(run.end, End::Exited(101), "it panicked\n{run}");
                is_escaped(&run.stdout, "error: forged", &run);
                is_escaped(&run.stderr, "error: forged", &run);
            }
        }
    }
}

#[test]
fn what_an_extension_registers_is_still_shown() {
    let [table, json] = inspect(&support::repository(), "uuid");
    assert!(table.out().contains("uuid4(0)"), "{table}");
    assert!(json.out().contains("uuid4"), "{json}");
}
