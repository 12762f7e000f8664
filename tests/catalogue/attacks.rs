//! What a source, or somebody who can write to it, tries. Each attempt ends with one line of error,
//! and nothing is written.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;

use crate::publisher::Publisher;
use crate::support;
use crate::support::artifact::EMPTY_COMPONENT;

const INSTALL: [&str; 3] = ["install", "--yes", "shout"];

/// The SHA-256 of the library, in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn tampered_bytes_are_not_installed() {
    let publisher = Publisher::of_shout("tampered");
    let user = publisher.user();
    let file = publisher.file("shout-1.0.0.wasm");
    let good = fs::read(&file).expect("it was published");
    let mut bad = good.clone();
    *bad.last_mut().expect("it has bytes") ^= 1;
    fs::write(&file, bad).expect("the directory is ours");
    user.is_refused(&INSTALL, "SHA-256 differs");
    fs::write(&file, [&good[..], b"x"].concat()).expect("the directory is ours");
    user.is_refused(&INSTALL, "longer than");
    fs::remove_file(&file).expect("it is there");
    user.is_refused(&INSTALL, "failed to read its file");
    fs::write(&file, &good).expect("the directory is ours");
    user.installs("shout").exits_with(0);
    // Somebody changes it later.
    fs::write(user.installed("shout"), "other").expect("the directory is ours");
    let changed = user.extension(&["verify"]).exits_with(120);
    assert!(changed.err().contains("its file has been changed"), "{changed}");
    user.installs("shout").exits_with(0);
    user.extension(&["verify"]).exits_with(0);
}

#[test]
fn only_the_key_of_the_source_signs() {
    let publisher = Publisher::of_shout("keys");
    let user = publisher.user();
    let signature = publisher.file("index.json.minisig");
    let good = fs::read(&signature).expect("it was signed");
    publisher.sign_with(&publisher.other_key());
    user.is_refused(&INSTALL, "not by the key of the source");
    for malformed in [&b""[..], b"text", &good[..good.len() / 2], &[0xff; 300]] {
        fs::write(&signature, malformed).expect("the directory is ours");
        user.is_refused(&INSTALL, "not one of minisign");
    }
    fs::write(&signature, vec![b'x'; 5000]).expect("the directory is ours");
    user.is_refused(&INSTALL, "longer than");
    fs::remove_file(&signature).expect("it is there");
    user.is_refused(&INSTALL, "failed to read its file `index.json.minisig`");
    fs::write(&signature, &good).expect("the directory is ours");
    let index = publisher.file("index.json");
    let text = fs::read_to_string(&index).expect("it is there");
    fs::write(&index, text.replace("MIT", "GPL")).expect("the directory is ours");
    user.is_refused(&INSTALL, "not by the key of the source");
}

#[test]
fn nothing_goes_back() {
    let publisher = Publisher::of_shout("back");
    let user = publisher.user();
    let old = [publisher.file("index.json"), publisher.file("index.json.minisig")]
        .map(|path| (path.clone(), fs::read(path).expect("it is there")));
    publisher.publish("shout", "1.1.0", "");
    user.installs("shout").exits_with(0);
    // The index before, with its true signature.
    old.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("the directory is ours"));
    user.is_refused(&["update"], "its index is an old one: it has serial 1, and 2 was seen before");
    user.is_refused(&["search"], "its index is an old one");
    // A newer index with only the older version, and the same version with other bytes.
    publisher.change(|index| index["serial"] = json!(9));
    let why = "1.1.0 is installed, which is newer";
    user.extension(&["search"]).exits_with(0);
    user.is_refused(&["update"], why);
    user.is_refused(&INSTALL, why);
    user.extension(&["remove", "shout"]).exits_with(0);
    user.installs("shout").exits_with(0);
    publisher.change(|index| index["extensions"][0]["sha256"] = json!("0f".repeat(32)));
    user.is_refused(&INSTALL, "installed with another SHA-256");
}

#[test]
fn entries_say_what_their_files_say() {
    let publisher = Publisher::fresh("entries");
    publisher.publish("shout", "1.0.0", "needs: ['sql'],");
    let user = publisher.user();
    for (field, value) in [
        ("needs", json!([])),
        ("version", json!("1.0.1")),
        ("registers", json!(["harmless(0)"])),
        ("engine", json!("quickjs 2")),
        ("description", json!("other")),
    ] {
        let good = fs::read(publisher.file("index.json")).expect("it is there");
        publisher.change(|index| index["extensions"][0][field] = value);
        let file = |version| publisher.file(&format!("shout-{version}.wasm"));
        fs::copy(file("1.0.0"), file("1.0.1")).expect("there is room");
        user.is_refused(&INSTALL, "the index says something else");
        fs::write(publisher.file("index.json"), good).expect("the directory is ours");
    }
}

#[test]
fn names_do_not_escape() {
    let publisher = Publisher::of_shout("names");
    let user = publisher.user();
    let long = "a".repeat(64);
    for name in [
        "../x",
        "/etc/x",
        "a/b",
        "x\u{202e}y",
        "é",
        "A",
        ".",
        "",
        " ",
        "a\n",
        &long,
        "a@1",
        "a@../1.0.0",
    ] {
        user.is_refused(&["install", "--yes", name], "error: ");
    }
    for name in ["../x", "/etc/x", "a\0b", "a\u{202e}b", &long, "", "a b"] {
        let good = fs::read(publisher.file("index.json")).expect("it is there");
        publisher.change(|index| index["extensions"][0]["name"] = json!(name));
        user.is_refused(&INSTALL, "entry 1 of its index");
        fs::write(publisher.file("index.json"), &good).expect("the directory is ours");
        publisher.change(|index| index["extensions"][0]["version"] = json!(name));
        user.is_refused(&INSTALL, "entry 1 of its index");
        fs::write(publisher.file("index.json"), good).expect("the directory is ours");
    }
}

#[test]
fn other_files_are_not_installed() {
    let publisher = Publisher::of_shout("others");
    let user = publisher.user();
    let file = publisher.file("shout-1.0.0.wasm");
    let native = support::own_component();
    let read = |path| fs::read(path).expect("it is there");
    // The interfaces of an older contract, which have names as long.
    let shipped = read(support::our_binary().with_file_name("extensions").join("uuid.wasm"));
    let mut older = shipped.clone();
    let version = b"@0.1.0";
    let found = |at: &usize| shipped[*at..].starts_with(version);
    for at in (0..shipped.len()).filter(found) {
        older[at..at + version.len()].copy_from_slice(b"@0.0.9");
    }
    let mut unknown = read(file.clone());
    let at =
        unknown.windows(10).position(|bytes| bytes == b"quickjs 1\n").expect("it names its engine");
    unknown[at + 8] = b'7';
    for (bytes, why) in [
        (read(support::portable_component()), "it is not an extension"),
        (read(native), "shout"),
        (older, "it was made for version 0.0.9 of the contract"),
        (EMPTY_COMPONENT.to_vec(), "not an extension"),
        (b"text".to_vec(), "shout"),
        (unknown, "it is a script for the engine `quickjs 7`"),
    ] {
        fs::write(&file, &bytes).expect("the directory is ours");
        publisher.change(|index| {
            index["extensions"][0]["sha256"] = json!(sha256(&bytes));
            index["extensions"][0]["bytes"] = json!(bytes.len());
            index["extensions"][0]["engine"] = json!("quickjs 7");
        });
        user.is_refused(&INSTALL, why);
    }
}

#[test]
fn links_pipes_and_endless_files_of_a_directory_are_not_read() {
    let publisher = Publisher::of_shout("links");
    let user = publisher.user();
    for name in ["index.json", "index.json.minisig", "shout-1.0.0.wasm"] {
        let path = publisher.file(name);
        let moved = publisher.file("moved");
        fs::rename(&path, &moved).expect("the directory is ours");
        symlink("moved", &path).expect("the directory is ours");
        user.is_refused(&INSTALL, "failed to read its file");
        fs::remove_file(&path).expect("it is there");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::from_bits_truncate(0o600))
            .expect("a pipe");
        user.is_refused(&INSTALL, "it is not a file");
        fs::remove_file(&path).expect("it is there");
        File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
        user.is_refused(&INSTALL, "longer than");
        fs::rename(&moved, &path).expect("the directory is ours");
    }
    user.installs("shout").exits_with(0);
}

#[test]
fn an_index_is_bounded() {
    let publisher = Publisher::of_shout("bounded");
    let user = publisher.user();
    for (field, value, why) in [
        ("description", json!("x".repeat(2000)), "a text of more than"),
        ("needs", json!(vec!["sql"; 5000]), "a text of more than"),
        ("bytes", json!(1u64 << 40), "bytes"),
        ("bytes", json!(-1), "malformed"),
        ("registers", json!("\u{1b}[2J"), "malformed"),
    ] {
        let good = fs::read(publisher.file("index.json")).expect("it is there");
        publisher.change(|index| index["extensions"][0][field] = value);
        user.is_refused(&INSTALL, why);
        fs::write(publisher.file("index.json"), good).expect("the directory is ours");
    }
    fs::write(publisher.file("index.json"), "[".repeat(1 << 20)).expect("the directory is ours");
    publisher.sign();
    user.is_refused(&INSTALL, "its index is malformed");
}

#[test]
fn escape_sequences_of_an_index_are_shown_escaped() {
    let publisher = Publisher::of_shout("escapes");
    let user = publisher.user();
    publisher
        .change(|index| index["extensions"][0]["license"] = json!("MIT\u{1b}[2J\nneeds nothing"));
    let shown = user.installs("shout").exits_with(0);
    assert!(
        shown.out().contains(r"MIT\u{1b}[2J\nneeds nothing") && !shown.out().contains('\u{1b}'),
        "{shown}"
    );
}

/// What is checked is what is written, whatever happens to the file meanwhile.
#[test]
fn files_swapped_between_check_and_use_are_not_installed() {
    let publisher = Publisher::of_shout("swapped");
    let user = publisher.user();
    let file = publisher.file("shout-1.0.0.wasm");
    let good = fs::read(&file).expect("it was published");
    let bad = fs::read(publisher.build("shout", "1.0.0", "needs: ['sql'],")).expect("it was built");
    let is_over = AtomicBool::new(false);
    let (mut installed, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let other = publisher.file("other");
            while !is_over.load(Ordering::Relaxed) {
                for content in [&bad, &good] {
                    fs::write(&other, content).expect("the directory is ours");
                    fs::rename(&other, &file).expect("the directory is ours");
                }
            }
        });
        for _ in 0..12 {
            match user.installs("shout").end {
                support::End::Exited(0) => {
                    installed += 1;
                    assert_eq!(fs::read(user.installed("shout")).expect("it is there"), good);
                    user.extension(&["remove", "shout"]).exits_with(0);
                }
                _ => {
                    refused += 1;
                    assert!(!user.installed("shout").exists());
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(installed + refused, 12);
}

/// One wins, and the record is about the file that is there.
#[test]
fn installs_at_the_same_time_leave_one_whole_extension() {
    let publisher = Publisher::of_shout("together");
    publisher.publish("shout", "1.1.0", "");
    publisher.publish("other", "1.0.0", "");
    let user = publisher.user();
    thread::scope(|scope| {
        for wanted in ["shout@1.0.0", "shout@1.1.0", "other", "shout@1.0.0", "other", "shout@1.1.0"]
        {
            let user = &user;
            scope.spawn(move || user.installs(wanted));
        }
    });
    user.extension(&["verify", "shout", "other"]).exits_with(0).keeps_quiet();
    user.extension(&["update"]).exits_with(0);
    user.sql(".load shout\n.load other\nSELECT shout(), other();")
        .prints("shout 1.1.0|other 1.0.0\n");
}
