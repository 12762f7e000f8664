//! Installing from a directory, as users do it.

use std::fs;

use crate::publisher::Publisher;
use crate::support;
use crate::support::terminal::Terminal;

#[test]
fn a_user_finds_installs_updates_and_removes_an_extension() {
    let publisher = Publisher::of_shout("life");
    let user = publisher.user();
    user.extension(&["search", "SHOUT"])
        .exits_with(0)
        .keeps_quiet()
        .prints("shout 1.0.0  here  of tests\n");
    user.extension(&["search", "nothing"]).exits_with(0).prints("");
    let installed = user.installs("shout").exits_with(0).keeps_quiet();
    for line in [
        "name         shout 1.0.0\n",
        "license      MIT\n",
        "registers    shout(0)\n",
        "needs        nothing\n",
        "installed shout 1.0.0; load it by `.load shout`\n",
    ] {
        assert!(installed.out().contains(line), "{line:?} was expected\n{installed}");
    }
    user.sql(".load shout\nSELECT shout();").exits_with(0).keeps_quiet().prints("shout 1.0.0\n");
    let listed = user.extension(&["list"]).exits_with(0);
    assert!(listed.out().contains("shout 1.0.0 from here"), "{listed}");
    user.extension(&["verify"]).exits_with(0).prints("shout 1.0.0 is as signed\n");
    user.installs("shout").exits_with(0).prints("shout 1.0.0 is installed\n");

    publisher.publish("shout", "1.1.0", "");
    // It needs no more than before, so the user need not confirm.
    user.extension(&["update"]).exits_with(0).keeps_quiet();
    user.sql(".load shout\nSELECT shout();").prints("shout 1.1.0\n");

    publisher.publish("shout", "1.2.0", "needs: ['sql:ro'],");
    user.is_refused(&["update"], "there is no terminal to ask at");
    let updated = user.extension(&["update", "--yes", "shout"]).exits_with(0);
    assert!(updated.out().contains("new needs    sql:ro\n"), "{updated}");

    // An older one is installed only if the user says which.
    user.installs("shout@1.0.0").exits_with(0);
    user.sql(".load shout\nSELECT shout();").prints("shout 1.0.0\n");
    user.extension(&["remove", "shout"]).exits_with(0).keeps_quiet().prints("");
    assert!(!user.installed("shout").exists());
    user.extension(&["verify"]).exits_with(0).prints("");
    user.is_refused(&["remove", "shout"], "`shout` is not installed");
    user.is_refused(&["update", "shout"], "`shout` is not installed");
}

#[test]
fn there_is_no_source_unless_the_user_adds_one() {
    let publisher = Publisher::of_shout("none");
    let user = publisher.user();
    let listed = user.extension(&["source", "list"]).exits_with(0);
    assert!(
        listed.out().starts_with("here  /") && listed.out().contains(&publisher.key()),
        "{listed}"
    );
    user.is_refused(&["source", "add", "here", "/", "--key", &publisher.key()], "already");
    user.extension(&["source", "remove", "here"]).exits_with(0);
    for words in [&["install", "--yes", "shout"][..], &["search"], &["update"]] {
        user.is_refused(words, "there is no source; add one");
    }
}

#[test]
fn a_key_may_be_a_file() {
    let publisher = Publisher::of_shout("key");
    let user = publisher.user();
    let text = format!("untrusted comment: minisign public key\n{}\n", publisher.key());
    fs::write(user.home().join("key.pub"), text).expect("the directory is ours");
    let source = publisher.source();
    let url = source.to_str().expect("a path in UTF-8");
    user.extension(&["source", "remove", "here"]).exits_with(0);
    user.extension(&["source", "add", "other", url, "--key", "key.pub"]).exits_with(0);
    user.installs("shout").exits_with(0);
    user.is_refused(&["source", "add", "third", url, "--key", "missing.pub"], "not a public key");
}

#[test]
fn a_lock_file_pins_what_a_project_uses() {
    let publisher = Publisher::of_shout("lock");
    let author = publisher.user();
    author.extension(&["install", "--yes", "shout", "--lock", "extensions.lock"]).exits_with(0);
    publisher.publish("shout", "2.0.0", "");
    let url = publisher.source();
    let other = publisher.user_named("other", url.to_str().expect("a path in UTF-8"), &[]);
    let lock = other.home().join("extensions.lock");
    fs::copy(author.home().join("extensions.lock"), &lock).expect("there is room");
    other.extension(&["install", "--yes", "--lock", "extensions.lock"]).exits_with(0);
    other.sql(".load shout\nSELECT shout();").prints("shout 1.0.0\n");
    other.extension(&["verify", "--lock", "extensions.lock"]).exits_with(0);
    // What is newer than the lock file is not what it names.
    other.extension(&["update", "--yes"]).exits_with(0);
    other.is_refused(&["verify", "--lock", "nothing.lock"], "failed to read `nothing.lock`");
    let differs = other.extension(&["verify", "--lock", "extensions.lock"]);
    assert!(differs.err().contains("the lock file names it"), "{differs}");
    // A lock file chooses only among what the source has signed.
    let text = fs::read_to_string(&lock).expect("it was written");
    let hash = text.split('"').find(|word| word.len() == 64).expect("it has a SHA-256").to_owned();
    for (from, to, why) in [
        (hash.as_str(), "0f".repeat(32), "no shout 1.0.0 with the pinned SHA-256"),
        ("\"shout\"", "\"../shout\"".to_owned(), "its extension 1"),
        ("\"here\"", "\"elsewhere\"".to_owned(), "which there is not"),
        (publisher.key().as_str(), publisher.other_key().letters(), "with another key"),
    ] {
        fs::write(&lock, text.replace(from, &to)).expect("the directory is ours");
        other.is_refused(&["install", "--yes", "--lock", "extensions.lock"], why);
    }
}

#[test]
fn the_user_is_asked() {
    let publisher = Publisher::fresh("asked");
    publisher.publish("reader", "1.0.0", "needs: ['sql:ro'],");
    let user = publisher.user();
    let install = |answer: &str| {
        let words = ["extension", "install", "reader"];
        let command = support::command(&support::our_binary(), &words, user.home());
        let mut terminal = Terminal::open(command);
        terminal.shows("needs        sql:ro");
        terminal.shows("install reader? [y/N] ");
        terminal.enters(answer);
        terminal.shows(if answer == "y" { "installed reader 1.0.0" } else { "not installed" });
    };
    install("n");
    assert!(!user.installed("reader").exists());
    install("y");
    user.extension(&["verify"]).exits_with(0).prints("reader 1.0.0 is as signed\n");
}

#[test]
fn what_the_user_has_put_there_stays() {
    let publisher = Publisher::of_shout("own");
    let user = publisher.user();
    user.extension(&["search"]).exits_with(0);
    fs::write(user.installed("shout"), "mine").expect("the directory exists");
    user.is_refused(&["install", "--yes", "shout"], "was not installed by this program");
}

#[test]
fn authors_raise_the_version_of_what_they_change() {
    let publisher = Publisher::of_shout("author");
    let changed = publisher.build("shout", "1.0.0", "needs: ['sql'],");
    publisher.add(&changed).exits_with(120).complains("another content; raise the version");
    let text = publisher.file("text.wasm");
    fs::write(&text, "text").expect("the directory is ours");
    publisher.add(&text).exits_with(120).complains("failed to add");
}
