//! Manifests that no host should take, contracts of other shapes, and random
//! ones: each is refused in one clear line, by `.load` and by `inspect`.

use std::fs;

use crate::support::guest::guest;
use crate::support::{self, Directory, Outcome};

/// The bytes before the word in the guest's file.
const MARK: &[u8] = b"malicious-manifest:";

/// The room for the word.
const WORD_BYTES: usize = 18;

/// The malicious extension with another manifest.
fn malicious(word: &str) -> Vec<u8> {
    let mut content = fs::read(guest("malicious")).expect("it is there");
    let find = |place: &usize| content[*place..].starts_with(MARK);
    let place = (0..content.len()).find(find).expect("the guest has the mark") + MARK.len();
    let word = format!("{word:.<WORD_BYTES$}");
    content[place..place + WORD_BYTES].copy_from_slice(&word.as_bytes()[..WORD_BYTES]);
    content
}

fn load(content: &[u8], options: &[&str]) -> Outcome {
    let directory = Directory::fresh("manifest");
    fs::write(directory.path().join("malicious.wasm"), content).expect("the directory is ours");
    let rest = [":memory:", ".load ./malicious", "SELECT 'alive'"];
    let run = support::ours(&directory.path(), &[options, &rest].concat());
    let args = ["extension", "inspect", "--describe", "./malicious.wasm"];
    // With the usual limits, so not for those that wait for one.
    if options.is_empty() {
        let inspected = support::ours(&directory.path(), &args);
        let said = inspected.err().trim_start_matches("error: ").replace(".wasm", "");
        let directory = format!("{}/", directory.path().display());
        let same = run.err().trim_start_matches("Error: ").replace(".wasm", "");
        assert_eq!(said, same.replace(&directory, "./"));
    }
    run
}

#[track_caller]
fn refused(word: &str, reason: &str) {
    refused_with(word, &[], reason);
}

#[track_caller]
fn refused_with(word: &str, options: &[&str], reason: &str) {
    let run = load(&malicious(word), options);
    assert!(run.err().contains(reason) && run.err().contains("malicious"), "{word}: {run}");
    assert_eq!(run.err().lines().count(), 1, "{word}: {run}");
    assert!(run.err().len() < 2000, "{word}: {run}");
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    assert!(!run.stderr.iter().any(is_control), "{word}: {run}");
}

#[test]
fn a_valid_manifest_loads() {
    let run = load(&malicious("valid"), &[]);
    assert_eq!((&*run.out(), &*run.err()), ("alive\n", ""));
}

#[test]
fn names_have_limits() {
    for word in ["huge-name", "long-name", "empty-name", "nul-name", "escape-name", "shadow-name"] {
        refused(word, "it registers a name that is empty, longer than 255 bytes, or has control");
    }
    for word in ["own-name", "no-name"] {
        refused(word, "its own name is not made of letters");
    }
}

#[test]
fn texts_and_lists_have_limits() {
    for word in ["huge-text", "escape-text"] {
        refused(word, "its description is not one line");
    }
    refused("version", "its version is not one line");
    refused("huge-need", "its need is not one line");
    refused("many", "it registers 100002 names");
    refused("many-shadows", "more than 100 shadow names");
    refused("many-needs", "more than 100 needs");
    refused("arguments", "with -5 arguments");
    refused("pointers", "for pointers, and as inline");
    refused("tokenizer", "it registers the tokenizer `malicious_words` not as variadic");
}

#[test]
fn a_description_that_never_comes_is_refused() {
    refused("panic", "the malicious panic");
    refused("recursion", "failed to load");
    refused("memory", "--extension-memory");
    refused("exit", "failed to load");
    refused("sleep", "an extension cannot wait");
    refused_with("loop", &["--extension-timeout", "100ms"], "--extension-timeout");
    refused_with("log", &["--extension-timeout", "1s"], "the malicious log");
}

#[test]
fn a_trap_in_connecting_is_reported() {
    let run = load(&malicious("connect-panic"), &["--extension-timeout", "1s"]);
    assert!(run.err().contains("`malicious` trapped") && run.err().contains("panic"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    let quick = ["--extension-timeout", "100ms"];
    let run = load(&malicious("disconnect-loop"), &quick);
    assert_eq!(run.out(), "alive\n", "{run}");
    assert!(run.err().contains("used up its time for one call"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn another_version_of_the_contract_is_refused() {
    let mut content = malicious("valid");
    let old = b"sqlite-wasm:extension/extension@0.1.0";
    let places: Vec<usize> =
        (0..content.len()).filter(|&place| content[place..].starts_with(old)).collect();
    assert!(!places.is_empty());
    for place in places {
        content[place + old.len() - 3] = b'7';
    }
    let run = load(&content, &[]);
    assert!(run.err().contains("version 0.7.0 of the contract"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn other_types_by_the_same_names_are_refused() {
    let run = load(&fs::read(guest("mismatched")).expect("it is there"), &[]);
    assert!(run.err().contains("its exports do not have the types of the contract"), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}
