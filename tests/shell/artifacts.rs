//! What cannot be run as a component: one line that names the file, says what
//! is wrong and what to do, and a specific exit code.

use std::fs;
use std::path::PathBuf;

use crate::support::artifact::{Artifact, EMPTY_COMPONENT, EMPTY_MODULE, good, refused};
use crate::support::place::fail_for;
use crate::support::{self, Directory, Outcome, hostile};

/// All kinds of artifacts that cannot be run.
fn all_kinds() -> Vec<Artifact> {
    let good = good();
    let artifacts = vec![
        Artifact::new("empty.wasm", b""),
        Artifact::new("text.wasm", b"SELECT 1"),
        Artifact::new("text.wasm", b"(component)"),
        Artifact::new("module.wasm", EMPTY_MODULE),
        Artifact::new("other.wasm", EMPTY_COMPONENT),
        Artifact::new("new.wasm", b"\0asm\x63\0\x01\0"),
        Artifact::new("cut.wasm", b"\0asm\x0d\0\x01\0\xff\xff\xff"),
        Artifact::new("empty.cwasm", b""),
        Artifact::new("text.cwasm", b"SELECT 1"),
        Artifact::new("cut.cwasm", &good[..good.len() / 2]),
        Artifact::new("long.cwasm", &[&good[..], b"more"].concat()),
        Artifact::new("missing.wasm", &good),
        Artifact::new("directory.cwasm", &good),
    ];
    let named = |name: &str| {
        let found = artifacts.iter().find(|artifact| artifact.name == name);
        found.expect("it is in the list").path()
    };
    fs::remove_file(named("missing.wasm")).expect("it is ours");
    fs::remove_file(named("directory.cwasm")).expect("it is ours");
    fs::create_dir(named("directory.cwasm")).expect("the directory is ours");
    artifacts
}

/// The way out stands behind a semicolon, as in all messages of the runner.
#[test]
fn every_refusal_says_what_to_do() {
    let runs: Vec<_> = all_kinds().iter().map(|artifact| artifact.run(&[])).collect();
    let lost = |run: &&Outcome| !run.err().contains("; ");
    fail_for(runs.iter().filter(lost), "did not say what to do");
}

#[test]
fn a_good_artifact_runs() {
    let artifact = Artifact::good();
    artifact.run(&[]).exits_with(0);
    artifact.run(&["--no-cache"]).exits_with(0);
}

#[test]
fn a_missing_file_is_refused() {
    for name in ["missing.wasm", "missing.cwasm"] {
        let directory = Directory::fresh("missing");
        refused(support::ours(&directory.path(), &[name, ":memory:"]), name, "No such file");
    }
}

#[test]
fn a_directory_is_refused() {
    for name in ["directory.wasm", "directory.cwasm"] {
        let directory = Directory::fresh("directory");
        fs::create_dir(directory.path().join(name)).expect("the directory is ours");
        refused(support::ours(&directory.path(), &[name, ":memory:"]), name, "not a file");
    }
}

#[test]
fn a_device_is_refused() {
    let directory = Directory::fresh("device");
    for name in ["device.wasm", "device.cwasm"] {
        std::os::unix::fs::symlink("/dev/zero", directory.path().join(name)).expect("it is ours");
        refused(support::ours(&directory.path(), &[name, ":memory:"]), name, "not a file");
    }
}

/// Opening one waits until somebody writes to it.
#[test]
fn a_named_pipe_is_refused() {
    let directory = Directory::fresh("pipe");
    for name in ["pipe.wasm", "pipe.cwasm"] {
        let path = directory.path().join(name);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("the directory is ours");
        refused(support::ours(&directory.path(), &[name, ":memory:"]), name, "not a file");
    }
}

#[test]
fn an_empty_file_is_refused() {
    Artifact::new("empty.wasm", b"").is_refused("");
    Artifact::new("empty.cwasm", b"").is_refused("truncated");
}

#[test]
fn a_text_file_is_refused() {
    Artifact::new("text.wasm", b"SELECT 1;\n").is_refused("not a WebAssembly component");
    Artifact::new("text.cwasm", b"SELECT 1;\n").is_refused("");
}

#[test]
fn webassembly_text_is_refused() {
    Artifact::new("text.wasm", b"(component)\n").is_refused("text");
    Artifact::new("text.wasm", b"\n;; a comment\n (component)\n").is_refused("");
    Artifact::new("text.cwasm", b"(component)\n").is_refused("");
}

#[test]
fn native_code_that_is_called_wasm_is_refused() {
    let code = b"\x7fELF and no more";
    Artifact::new("code.wasm", code).is_refused("it is already compiled; name the `.wasm`");
    let directory = Directory::fresh("twice");
    fs::write(directory.path().join("code.cwasm"), code).expect("the directory is ours");
    let run = support::ours(&directory.path(), &["precompile", "code.cwasm"]);
    refused(run, "code.cwasm", "it is already compiled; name the `.wasm`");
}

#[test]
fn a_core_module_is_refused() {
    Artifact::new("module.wasm", EMPTY_MODULE).is_refused("core module");
    Artifact::new("module.cwasm", EMPTY_MODULE).is_refused("");
}

#[test]
fn a_component_of_another_kind_is_refused() {
    Artifact::new("other.wasm", EMPTY_COMPONENT).is_refused("only command-line components can run");
    Artifact::new("other.cwasm", EMPTY_COMPONENT).is_refused("");
}

#[test]
fn a_component_of_an_unknown_version_is_refused() {
    Artifact::new("new.wasm", b"\0asm\x63\0\x01\0").is_refused("");
}

#[test]
fn a_damaged_component_is_refused() {
    let whole = fs::read(hostile::portable()).expect("it was just made");
    for length in [4, 7, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        Artifact::new("cut.wasm", &whole[..length]).is_refused("");
    }
    let trailing = [EMPTY_COMPONENT, &[0xff; 3]].concat();
    Artifact::new("trailing.wasm", &trailing).is_refused("");
}

/// A directory with a copy of the program, and this next to it as its component.
fn installed(component: Option<&[u8]>) -> (Directory, PathBuf) {
    let directory = Directory::fresh("installed");
    let program = directory.path().join("sqlite-wasm-run");
    support::copy_runner(&program);
    if let Some(content) = component {
        fs::write(directory.path().join("cli.cwasm"), content).expect("the directory is ours");
    }
    (directory, program)
}

#[test]
fn the_programs_own_component_is_refused_like_any_other() {
    let code = fs::read(support::own_component()).expect("it is there");
    let cases: [(Option<&[u8]>, &str); 3] =
        [(None, "No such file"), (Some(&code[..1000]), "truncated"), (Some(b"text"), "")];
    for (component, why) in cases {
        let (directory, program) = installed(component);
        let args = [":memory:", "SELECT 1"];
        let run = support::run(&program, &args, &directory.path(), &support::Input::Nothing);
        let name = directory.path().join("cli.cwasm").display().to_string();
        refused(run, &name, why);
    }
}

#[test]
fn precompiling_refuses_the_same() {
    let cases: [(&'static str, &[u8]); 6] = [
        ("empty.wasm", b""),
        ("text.wasm", b"SELECT 1"),
        ("text.wasm", b"(component)"),
        ("module.wasm", EMPTY_MODULE),
        ("new.wasm", b"\0asm\x63\0\x01\0"),
        ("cut.wasm", b"\0asm\x0d\0\x01\0\xff\xff\xff"),
    ];
    for (name, content) in cases {
        let artifact = Artifact::new(name, content);
        let run =
            support::ours(&artifact.directory.path(), &["precompile", name, "-o", "out.cwasm"]);
        refused(run, name, "");
        assert!(!artifact.directory.path().join("out.cwasm").exists(), "{name} left something");
    }
    let directory = Directory::fresh("precompile");
    let run = support::ours(&directory.path(), &["precompile", "missing.wasm"]);
    refused(run, "missing.wasm", "No such file");
}
