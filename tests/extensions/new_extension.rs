//! `make new-extension`, as a new author uses it: each kind is scaffolded, built,
//! tested, loaded and called.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{self, Directory, Input};

/// What is copied of the repository, so that the scaffolds do not end up in it.
const PARTS: &[&str] = &[
    ".cargo",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "Makefile",
    "catalogue",
    "components",
    "extensions",
    "host",
    "tests",
    "tooling",
    "wit",
];

/// The kinds: the directories of the templates.
fn kinds() -> Vec<String> {
    let directory = support::repository().join("tooling/build/templates");
    let entries = fs::read_dir(directory).expect("the templates are there");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("it can be read").file_name().into_string().expect("it is UTF-8")
    };
    entries.map(name).collect()
}

/// What Cargo builds here is kept between the runs.
fn target() -> PathBuf {
    crate::support::temporary().join("new-extension")
}

/// Let Cargo take the dependencies that the build of the repository has compiled.
pub fn with_built_dependencies(command: &mut Command) -> &mut Command {
    command
        .env("CARGO_BUILD_BUILD_DIR", support::repository().join("target"))
        .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo")
}

/// Fails with its whole output unless the command succeeds; a build may take
/// long on a busy machine, so it has no time limit.
#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = with_built_dependencies(command.env("CARGO_TARGET_DIR", target())).output();
    let output = output.expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{}{errors}", text(&output.stdout));
    text(&output.stdout)
}

/// A copy of the repository with one new extension of each kind, called
/// `my_KIND`, built.
fn scaffolded() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let copy = target().join("repository");
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir_all(copy.join("cli-smokes")).expect("the target directory is writable");
        let parts = PARTS.iter().map(|part| support::repository().join(part));
        succeeds(Command::new("cp").arg("-r").args(parts).arg(&copy));
        name_another_version(&copy.join("Cargo.toml"));
        let kinds = kinds();
        for kind in &kinds {
            let (name, kind) = (format!("NAME=my_{kind}"), format!("KIND={kind}"));
            succeeds(in_directory("make", &copy).args(["new-extension", &name, &kind]));
        }
        let names = kinds.iter().map(|kind| format!("my_{kind}"));
        succeeds(in_directory("tooling/build/extensions", &copy).args(names));
        copy
    })
}

/// With the version of the repository, Cargo would take the crates of the copy for those of the
/// repository, and watch the files of the copy for changes from then on.
fn name_another_version(manifest: &Path) {
    let before = fs::read_to_string(manifest).expect("it was copied");
    let after = before.replacen("version = \"0.1.0\"", "version = \"0.1.0+copy\"", 1);
    assert_ne!(before, after, "the workspace has another version");
    fs::write(manifest, after).expect("it is ours");
}

fn in_directory(program: &str, directory: &Path) -> Command {
    let mut command = if program.contains('/') {
        Command::new(directory.join(program))
    } else {
        Command::new(program)
    };
    command.current_dir(directory);
    command
}

#[test]
fn each_kind_builds_loads_and_answers_as_its_smoke_says() {
    let copy = scaffolded();
    for kind in kinds() {
        let smoke = copy.join(format!("cli-smokes/ext-my_{kind}.sql"));
        let directory = Directory::fresh(&kind);
        let extensions = target().join("release/extensions").display().to_string();
        let args = ["--extension-dir", &extensions, "test.db"];
        let run =
            support::run(&support::our_binary(), &args, &directory.path(), &Input::File(&smoke));
        let expected = fs::read_to_string(smoke.with_extension("expected")).expect("it is there");
        let expected = expected.split("-- stderr --\n").next().expect("a first part");
        assert_eq!(run.out(), expected, "{run}");
        let listed = support::ours(
            &directory.path(),
            &[
                "--extension-dir",
                &extensions,
                "--load",
                &format!("my_{kind}"),
                ":memory:",
                "SELECT count(*) > 0 FROM (SELECT name FROM pragma_function_list
                 UNION ALL SELECT name FROM pragma_module_list) WHERE name LIKE 'my!_%' ESCAPE '!'",
            ],
        );
        listed.prints("1\n").keeps_quiet();
    }
}

#[test]
fn each_kind_passes_its_own_tests() {
    let copy = scaffolded();
    // What is in C has its smoke.
    let kinds: Vec<_> = kinds().into_iter().filter(|kind| kind != "c").collect();
    let packages = kinds.iter().map(|kind| format!("-pmy_{kind}-extension"));
    let printed =
        succeeds(in_directory(env!("CARGO"), copy).args(["test", "--release"]).args(packages));
    assert_eq!(printed.matches("test result: ok. 2 passed").count(), kinds.len(), "{printed}");
}

#[test]
fn each_kind_has_a_line_in_the_readme() {
    let readme =
        fs::read_to_string(scaffolded().join("extensions/README.md")).expect("it is there");
    for kind in kinds() {
        let line = readme.lines().find(|line| line.starts_with(&format!("| `my_{kind}` | ")));
        assert!(line.is_some_and(|line| line.len() > 20), "{kind}: {line:?}\n{readme}");
    }
}

#[test]
fn one_outside_of_the_repository_stands_alone() {
    let directory = Directory::fresh("alone");
    let scaffold = support::repository().join("tooling/build/new-extension");
    let path = directory.path();
    let printed = succeeds(Command::new(scaffold).arg("mine").arg("scalar").arg(&path));
    assert!(printed.contains("cargo build --release --target wasm32-wasip2"), "{printed}");
    let mine = path.join("mine");
    let build = ["build", "--release", "--offline", "--target", "wasm32-wasip2"];
    succeeds(in_directory(env!("CARGO"), &mine).args(build));
    fs::copy(target().join("wasm32-wasip2/release/mine.wasm"), mine.join("mine.wasm"))
        .expect("it was built");
    support::ours(&mine, &[":memory:", ".load ./mine", "SELECT mine('ah')"]).prints("AH!\n");
}

#[test]
fn a_wrong_name_or_kind_is_one_clear_line_and_makes_nothing() {
    let directory = Directory::fresh("refused");
    let scaffold = support::repository().join("tooling/build/new-extension");
    let cases = [
        (["", "scalar"], "KIND"),
        (["mine", "vector"], "the kinds are: aggregate, c, scalar, table"),
        (["My", "scalar"], "small letters"),
        (["../mine", "scalar"], "small letters"),
        (["match", "scalar"], "means something to Rust"),
    ];
    for ([name, kind], message) in cases {
        let path = directory.path().display().to_string();
        let run = support::run(&scaffold, &[name, kind, &path], &directory.path(), &Input::Nothing);
        assert!(run.err().contains(message) && run.err().lines().count() == 1, "{run}");
        let run = run.exits_with(1);
        assert!(fs::read_dir(directory.path()).expect("it is ours").next().is_none(), "{run}");
    }
}
