//! Extensions as a person loads them; what each one computes is in `cli-smokes`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::Folder;

/// The folder of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names of the folders in `extensions`.
fn shipped() -> Vec<String> {
    let entries = fs::read_dir(repository().join("extensions")).expect("the folder is there");
    let folders = entries.map(|entry| entry.expect("it can be read").path()).filter(|p| p.is_dir());
    folders.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn each_extension_has_a_smoke_and_a_line_in_the_readme() {
    let readme =
        fs::read_to_string(repository().join("extensions/README.md")).expect("it is there");
    for name in shipped() {
        let smoke = repository().join(format!("cli-smokes/ext-{name}.sql"));
        assert!(smoke.is_file(), "{} is missing", smoke.display());
        assert!(readme.contains(&format!("`{name}`")), "extensions/README.md: `{name}` is missing");
    }
}

#[test]
fn each_extension_is_loaded_by_its_name() {
    for name in shipped() {
        let folder = Folder::fresh(&format!("load-{name}"));
        let load = format!(".load {name}");
        let run = support::ours(&folder.path(), &[":memory:", &load, "SELECT 1"]);
        assert!(run.out() == "1\n" && run.err() == "", "{run}");
    }
}

#[test]
fn an_unknown_name_says_where_it_was_looked_for() {
    let folder = Folder::fresh("unknown");
    let run =
        support::ours(&folder.path(), &["--extension-dir", "here", ":memory:", ".load nosuch"]);
    assert!(run.err().contains("`nosuch`") && run.err().contains("`here`"), "{run}");
    assert!(run.err().contains("--extension-dir"), "{run}");
}

#[test]
fn a_component_of_another_kind_is_no_extension() {
    let folder = Folder::fresh("kind");
    let cli = repository().join("target/wasm32-wasip2/release/cli.wasm");
    fs::copy(&cli, folder.path().join("cli.wasm")).expect("`make build` makes the CLI");
    let run = support::ours(&folder.path(), &[":memory:", ".load ./cli.wasm", "SELECT 1"]);
    assert!(!run.err().is_empty() && run.err().lines().count() == 1, "{run}");
}

#[test]
fn a_text_file_is_no_extension() {
    let folder = Folder::fresh("text");
    fs::write(folder.path().join("text.wasm"), "no component").expect("the folder is ours");
    let run = support::ours(&folder.path(), &[":memory:", ".load ./text.wasm"]);
    assert!(run.err().contains("text.wasm"), "{run}");
}

#[test]
fn an_extension_is_found_by_its_path() {
    let folder = Folder::fresh("path");
    let uuid = repository().join("target/release/extensions/uuid.wasm");
    fs::copy(&uuid, folder.path().join("mine.wasm")).expect("`make build` makes the extensions");
    let run =
        support::ours(&folder.path(), &[":memory:", ".load ./mine", "SELECT length(uuid4())"]);
    assert_eq!(run.out(), "36\n", "{run}");
}
