//! `extension inspect` on what somebody has sent: nothing of the file runs, no
//! file takes long or much memory, and no text reaches the terminal as it is.

use std::fs::{self, File};
use std::path::PathBuf;

use crate::support::artifact::EMPTY_COMPONENT;
use crate::support::bomb::{bomb, custom_section};
use crate::support::composed::{Composed, shipped};
use crate::support::guest::guest;
use crate::support::watched::watch;
use crate::support::{self, Directory, End, Input, Outcome};

/// Exit code for a file that cannot be used.
const ARTIFACT: i32 = 121;

/// What inspecting may use, however large the file is.
const MAX_BYTES: u64 = 128 << 20;

fn inspect(directory: &Directory, args: &[&str]) -> Outcome {
    support::ours(&directory.path(), &[&["extension", "inspect"], args].concat())
}

fn file(name: &str, content: &[u8]) -> (Directory, PathBuf) {
    let directory = Directory::fresh("inspect");
    let path = directory.path().join(name);
    fs::write(&path, content).expect("the directory is ours");
    (directory, path)
}

/// The guest `malicious` whose manifest does this.
fn malicious(word: &str) -> Vec<u8> {
    const MARK: &[u8] = b"malicious-manifest:";
    let mut content = fs::read(guest("malicious")).expect("it is there");
    let at = (0..content.len()).find(|at| content[*at..].starts_with(MARK)).expect("a mark");
    let word = format!("{word:.<18}");
    content[at + MARK.len()..][..18].copy_from_slice(&word.as_bytes()[..18]);
    content
}

#[track_caller]
fn is_plain(run: &Outcome) {
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    assert!(!run.stdout.iter().chain(&run.stderr).any(is_control), "{run}");
    assert!(!run.out().contains('\u{202e}') && !run.err().contains('\u{202e}'), "{run}");
}

#[test]
fn nothing_runs_unless_requested() {
    for word in ["loop", "panic", "memory", "recursion"] {
        let (directory, _) = file("malicious.wasm", &malicious(word));
        let run = inspect(&directory, &["./malicious.wasm"]).exits_with(0).keeps_quiet();
        assert!(run.out().contains("contract     0.1.0"), "{run}");
        assert!(run.out().contains("not recorded; `--describe`"), "{run}");
    }
    // Control: with `--describe` it runs, and fails in its own way.
    let (directory, _) = file("malicious.wasm", &malicious("panic"));
    let run = inspect(&directory, &["--describe", "./malicious.wasm"]).exits_with(ARTIFACT);
    run.complains("the malicious panic");
    let (directory, _) = file("malicious.wasm", &malicious("valid"));
    let run = inspect(&directory, &["--describe", "./malicious.wasm"]).exits_with(0);
    assert!(run.out().contains("reported by the extension"), "{run}");
}

#[test]
fn large_files_take_little_memory() {
    let directory = Directory::fresh("large");
    let path = directory.path();
    for name in ["huge.wasm", "huge.cwasm"] {
        let huge = File::create(path.join(name)).expect("the directory is ours");
        huge.set_len(16 << 30).expect("a file may have holes");
    }
    fs::write(path.join("bomb.wasm"), bomb(878_000)).expect("the directory is ours");
    for (name, code, why) in [
        ("./huge.wasm", ARTIFACT, "it is larger than"),
        ("./huge.cwasm", ARTIFACT, "it is larger than"),
        ("./bomb.wasm", ARTIFACT, "it is not an extension"),
    ] {
        let args = ["extension", "inspect", name];
        let command = support::command(&support::our_binary(), &args, &path);
        let run = watch(command, &Input::Nothing, |_| ());
        let outcome = run.outcome.exits_with(code).complains(why);
        assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
        // The first one is read as far as it may be.
        let most = if name == "./huge.wasm" { MAX_BYTES + (300 << 20) } else { MAX_BYTES };
        assert!(run.peak_bytes < most, "{} bytes: {outcome}", run.peak_bytes);
    }
}

#[test]
fn outside_text_is_escaped_and_json_stays_json() {
    let mut wasm = fs::read(guest("conformance")).expect("it is there");
    custom_section(&mut wasm, "a\u{1b}]0;title\u{7}\u{202e}b", b"content");
    let (directory, path) = file("a\u{1b}[2J\u{202e}.wasm", &wasm);
    let name = path.to_str().expect("UTF-8");
    let run = inspect(&directory, &[name]).exits_with(0).keeps_quiet();
    is_plain(&run);
    assert!(run.out().contains(r"a\u{1b}]0;title\u{7}\u{202e}b (7 bytes)"), "{run}");
    assert!(run.out().contains(r"a\u{1b}[2J"), "{run}");
    let json = inspect(&directory, &["--json", name]).exits_with(0);
    let found: serde_json::Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    let sections = found["sections"].as_array().expect("a list");
    assert!(sections.iter().any(|one| one["name"] == "a\u{1b}]0;title\u{7}\u{202e}b"), "{json}");
    // What is refused is named in the same way.
    fs::write(&path, b"no component").expect("the directory is ours");
    let run = inspect(&directory, &[name]).exits_with(ARTIFACT);
    is_plain(&run);
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn a_record_is_shown_as_a_claim_and_compared_when_requested() {
    let conformance = fs::read(guest("conformance")).expect("it is there");
    let (directory, path) = file("mine.wasm", &conformance);
    let name = path.to_str().expect("UTF-8");
    let plain = inspect(&directory, &[name]).exits_with(0);
    assert!(!plain.out().contains("conf_echo"), "{plain}");
    support::ours(&directory.path(), &["extension", "record", name]).exits_with(0).keeps_quiet();
    let recorded = fs::read(&path).expect("it is there");
    let run = inspect(&directory, &[name]).exits_with(0).keeps_quiet();
    assert!(
        run.out().contains("conf_echo(1)") && run.out().contains("recorded in the file"),
        "{run}"
    );
    // The same again; it still loads.
    support::ours(&directory.path(), &["extension", "record", name]).exits_with(0);
    assert!(fs::read(&path).expect("it is there") == recorded);
    let load = ["--load", "./mine.wasm", ":memory:", "SELECT conf_echo(1)"];
    support::ours(&directory.path(), &load).prints("1\n");
    // One that lies.
    let at = recorded.windows(9).rposition(|text| text == b"conf_echo").expect("its name");
    let mut lying = recorded.clone();
    lying[at..at + 9].copy_from_slice(b"conf_fake");
    fs::write(&path, &lying).expect("the directory is ours");
    let run = inspect(&directory, &[name]).exits_with(0);
    assert!(run.out().contains("conf_fake"), "{run}");
    let run = inspect(&directory, &["--describe", name]).exits_with(ARTIFACT);
    let run = run.complains("its file records another manifest than it has");
    assert!(run.out().contains("conf_echo") && !run.out().contains("conf_fake"), "{run}");
}

#[test]
fn a_record_that_is_no_manifest_is_refused() {
    let name = |text: &str| format!(r#"{{"name":"{text}","version":"1"}}"#);
    for record in ["", "[]", "{", &name("x"), &"[".repeat(100_000)] {
        let mut wasm = fs::read(guest("conformance")).expect("it is there");
        custom_section(&mut wasm, "sqlite-wasm:manifest", record.as_bytes());
        let (directory, _) = file("mine.wasm", &wasm);
        let run = inspect(&directory, &["./mine.wasm"]).exits_with(ARTIFACT);
        let run = run.complains("its section `sqlite-wasm:manifest` is damaged");
        assert_eq!(run.err().lines().count(), 1, "{run}");
        is_plain(&run);
    }
}

/// A file that every reader refuses in one line, for this reason.
#[track_caller]
fn everybody_refuses(content: &[u8], why: &str) {
    let (directory, _) = file("mine.wasm", content);
    let read: &[&[&str]] = &[
        &["mine.wasm", ":memory:", "SELECT 1"],
        &["--no-cache", "mine.wasm", ":memory:", "SELECT 1"],
        &["precompile", "mine.wasm", "-o", "out.cwasm"],
        &["extension", "inspect", "./mine.wasm"],
        &["compose", "--cli", "mine.wasm", "--embed", "series", "-o", "out.wasm"],
    ];
    for args in read {
        let run = support::ours(&directory.path(), args).complains(why);
        assert_eq!(run.err().lines().count(), 1, "{run}");
        assert!(run.end != End::Exited(0), "{run}");
    }
    assert!(
        !directory.path().join("out.cwasm").exists() && !directory.path().join("out.wasm").exists()
    );
}

#[test]
fn a_composed_file_is_one_program_for_every_reader() {
    let composed = Composed::with("two-programs", &["sha3", "uuid"]);
    let good = fs::read(composed.portable()).expect("it is there");
    // Another component in front of, or behind, what the list calls the component.
    let list = b"\"component_bytes\":";
    let at = good.windows(list.len()).rposition(|text| text == list).expect("a list");
    let digit = at + list.len();
    let mut shorter = good.clone();
    shorter[digit] = if shorter[digit] == b'1' { b'2' } else { shorter[digit] - 1 };
    everybody_refuses(&shorter, "its list of extensions");
    // A section that the list does not name, in front of the list's own.
    let extension = fs::read(shipped("text")).expect("it is there");
    let start = good.windows(23).rposition(|text| text == b"sqlite-wasm:composition");
    let start = start.expect("the section's name");
    // Its id, its length and the length of its name precede it.
    let start = (1..8).map(|back| start - back).find(|at| good[*at] == 0).expect("a section");
    let mut more = good[..start].to_vec();
    custom_section(&mut more, "sqlite-wasm:extension", &extension);
    more.extend(&good[start..]);
    everybody_refuses(&more, "its list of extensions");
    // Control: as it was made, it runs.
    composed.run(&[":memory:", "SELECT length(uuid4())"]).prints("36\n");
    let (directory, _) = file("mine.wasm", &good);
    support::ours(&directory.path(), &["mine.wasm", ":memory:", "SELECT length(uuid4())"])
        .prints("36\n");
    inspect(&directory, &["./mine.wasm"]).exits_with(0).keeps_quiet();
}

#[test]
fn a_list_of_many_things_takes_little_memory() {
    let many = format!("[{}]", vec![r#""""#; 5_000_000].join(","));
    for list in [
        format!(r#"{{"component_bytes":8,"cli":{{"start":0,"end":8}},"extensions":{many}}}"#),
        format!(
            r#"{{"component_bytes":8,"cli":{{"start":0,"end":8}},"extensions":[{{"registers":{many}}}]}}"#
        ),
        "[".repeat(15 << 20),
    ] {
        let mut content = list.clone().into_bytes();
        content.extend((list.len() as u32).to_le_bytes());
        content.extend(b"sqwascp2");
        let mut wasm = EMPTY_COMPONENT.to_vec();
        custom_section(&mut wasm, "sqlite-wasm:composition", &content);
        let (directory, _) = file("mine.wasm", &wasm);
        let args = ["--max-memory", "64M", "mine.wasm", ":memory:", "SELECT 1"];
        let command = support::command(&support::our_binary(), &args, &directory.path());
        let run = watch(command, &Input::Nothing, |_| ());
        let outcome = run.outcome.exits_with(ARTIFACT);
        assert_eq!(outcome.err().lines().count(), 1, "{outcome}");
        assert!(run.peak_bytes < MAX_BYTES, "{} bytes: {outcome}", run.peak_bytes);
    }
}
