//! A `.cwasm` is native code: it runs only whole, for this version and this
//! processor, and when this user's runner or root has made it.

use std::fs;
use std::os::unix::fs::chown;

use nix::unistd::geteuid;
use sqlite_wasm_runtime::artifact::seal::{SEAL_BYTES, Seal};
use sqlite_wasm_runtime::installation::key::Key;

use crate::support::artifact::{
    Artifact, EMPTY_COMPONENT, EMPTY_MODULE, SETTLING, good, need_more_of_processor, refused,
};
use crate::support::hostile;
use crate::support::other_user::{Stage, allow};
use crate::support::{self, Directory, Input};

#[test]
fn a_truncated_artifact_is_refused() {
    let whole = good();
    let seal = whole.len() - SEAL_BYTES;
    let lengths = [
        1,
        8,
        SEAL_BYTES - 1,
        SEAL_BYTES,
        SEAL_BYTES + 1,
        4096,
        whole.len() / 2,
        seal - 1,
        seal,
        seal + 8,
        whole.len() - 1,
    ];
    for length in lengths {
        Artifact::new("cut.cwasm", &whole[..length]).is_refused("");
    }
}

/// What wasmtime itself writes has no seal.
#[test]
fn an_artifact_without_a_seal_is_refused() {
    let whole = good();
    Artifact::new("plain.cwasm", &whole[..whole.len() - SEAL_BYTES]).is_refused("precompile");
}

#[test]
fn an_artifact_with_more_behind_it_is_refused() {
    for more in [&b"\0"[..], &[0; SEAL_BYTES], b"-- a comment\n"] {
        Artifact::new("long.cwasm", &[&good(), more].concat()).is_refused("");
    }
    let twice = [good(), good()].concat();
    Artifact::new("twice.cwasm", &twice).is_refused("");
}

#[test]
fn a_flipped_bit_anywhere_is_found() {
    let whole = good();
    let end = whole.len();
    let seal = end - SEAL_BYTES;
    let heads = [0, 4, 18, 40, 64, 66, 100, 200];
    let middles = (1..8).map(|part| part * seal / 8);
    let tails = [seal - 1, seal, seal + 7, seal + 8, seal + 15];
    for place in heads.into_iter().chain(middles).chain(tails) {
        flipped_is_refused(&whole, place, "precompile it again");
    }
    // What the code was made of, the code's hash, and the signature.
    for place in [seal + 16, seal + 48, seal + 79, end - 32, end - 1] {
        flipped_is_refused(&whole, place, "--allow-native");
    }
    flipped_is_refused(&whole, seal + 80, "damaged");
}

#[track_caller]
fn flipped_is_refused(whole: &[u8], place: usize, why: &str) {
    let mut flipped = whole.to_vec();
    flipped[place] ^= 0x10;
    Artifact::new("flipped.cwasm", &flipped).is_refused(why);
}

/// What is remembered of a file does not make it better.
#[test]
fn what_was_refused_once_is_refused_again() {
    let mut flipped = good();
    flipped[5000] ^= 1;
    let artifacts = [
        Artifact::new("flipped.cwasm", &flipped),
        Artifact::new("module.wasm", EMPTY_MODULE),
        Artifact::new("text.wasm", b"(component)"),
    ];
    for _ in 0..3 {
        std::thread::sleep(SETTLING);
        for artifact in &artifacts {
            refused(artifact.run_cached(), artifact.name, "");
        }
    }
}

/// A change is found also when the file was run before.
#[test]
fn a_bit_that_flips_later_is_found() {
    use std::os::unix::fs::FileExt;
    let artifact = Artifact::good();
    for _ in 0..2 {
        artifact.run(&[]).exits_with(0);
        std::thread::sleep(SETTLING);
    }
    let file = fs::OpenOptions::new().read(true).write(true).open(artifact.path());
    let file = file.expect("the directory is ours");
    let mut byte = [0];
    file.read_exact_at(&mut byte, 5000).expect("it is longer");
    file.write_all_at(&[byte[0] ^ 1], 5000).expect("it is longer");
    drop(file);
    refused(artifact.run(&[]), artifact.name, "damaged");
}

/// The good artifact with other code, and the seal that `key` makes for it.
fn sealed_by(key: Option<&Key>, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut code = good();
    code.truncate(code.len() - SEAL_BYTES);
    change(&mut code);
    let seal = Seal::new(&code, b"", key);
    [&code, seal.bytes()].concat()
}

/// The same with this user's key.
fn resealed(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    sealed_by(Some(&Key::of_user().expect("tests have a home")), change)
}

#[test]
fn sealing_again_is_no_damage() {
    let artifact = Artifact::new("same.cwasm", &resealed(|_| {}));
    artifact.run(&[]).exits_with(0);
}

/// Who owns the file and who may write it says nothing: the sandbox writes files
/// as the user.
#[test]
fn whole_code_that_another_key_or_none_has_sealed_is_refused() {
    let place = Directory::fresh("key");
    let other = Key::of_directory(&place.path()).expect("the directory is ours");
    for key in [None, Some(&other)] {
        let artifact = Artifact::new("foreign.cwasm", &sealed_by(key, |_| {}));
        artifact.is_refused("--allow-native");
        // The user may trust it all the same, but not another file by it.
        artifact.run(&["--allow-native", "foreign.cwasm"]).exits_with(0);
        refused(artifact.run(&["--allow-native", "other"]), artifact.name, "--allow-native");
        // Having run does not make it trusted.
        artifact.is_refused("--allow-native");
    }
}

#[test]
fn what_the_user_trusts_is_still_to_be_whole() {
    let mut flipped = sealed_by(None, |_| {});
    flipped[5000] ^= 1;
    let artifact = Artifact::new("flipped.cwasm", &flipped);
    refused(artifact.run(&["--allow-native", artifact.name]), artifact.name, "damaged");
}

/// Code of another version. The version of wasmtime comes first, after its length.
fn of_another_version() -> Vec<u8> {
    let version = support::ours(&Directory::fresh("version").path(), &["--version"]);
    let version = version.out().into_owned();
    let major = version.lines().find_map(|line| line.strip_prefix("wasmtime "));
    let major = major.and_then(|version| version.split('.').next()).expect("it has one");
    resealed(|code| {
        let text = [&[major.len() as u8], major.as_bytes()].concat();
        let place = code[..200].windows(text.len()).position(|window| window == text);
        let place = place.expect("wasmtime writes its version in front");
        code[place + major.len()] ^= 1;
    })
}

#[test]
fn an_artifact_of_another_version_is_refused() {
    Artifact::new("older.cwasm", &of_another_version()).is_refused("another version");
}

/// As after an upgrade that left the shell's code of the version before.
#[test]
fn an_installed_shell_of_another_version_is_compiled_once() {
    let directory = Directory::fresh("upgraded");
    let path = |name: &str| directory.path().join(name);
    support::copy_runner(&path("sqlite-wasm-run"));
    fs::copy(hostile::portable(), path("cli.wasm")).expect("there is room");
    fs::write(path("cli.cwasm"), of_another_version()).expect("there is room");
    let run = || {
        let (program, place) = (path("sqlite-wasm-run"), directory.path());
        let mut command = support::command(&program, &["run=/bin/true"], &place);
        command.env("XDG_CACHE_HOME", path("cache"));
        support::finish(command, &Input::Nothing)
    };
    for _ in 0..2 {
        let ran = run().exits_with(0);
        assert!(ran.out().contains("run: refused"), "it did not run\n{ran}");
    }
    let kept = fs::read_dir(path("cache/sqlite-wasm-run/compiled")).expect("it is there");
    assert_eq!(kept.count(), 1);
    fs::remove_file(path("cli.wasm")).expect("it is ours");
    refused(run(), &path("cli.cwasm").display().to_string(), "another version");
}

/// So does the name of the system that it was made for.
#[test]
fn an_artifact_for_another_processor_is_refused() {
    // A name of the same length: nothing else may move.
    let (here, foreign) = match std::env::consts::ARCH {
        "x86_64" => ("x86_64-", "wasm32-"),
        here => (here, "sparc64"),
    };
    let artifact = resealed(|code| {
        let place = code[..200].windows(here.len()).position(|window| window == here.as_bytes());
        let place = place.expect("wasmtime writes its target in front");
        code[place..place + foreign.len()].copy_from_slice(foreign.as_bytes());
    });
    Artifact::new("foreign.cwasm", &artifact).is_refused("processor");
}

/// And the features that its code uses: it would end in SIGILL here.
#[test]
fn an_artifact_for_a_processor_with_more_features_is_refused() {
    let artifact = Artifact::new("newer.cwasm", &resealed(need_more_of_processor));
    artifact.is_refused("for another version or processor: ");
    let kept = artifact.directory.path().join("cache/sqlite-wasm-run/compiled");
    assert!(!kept.exists(), "what cannot run was kept");
}

/// What the seal says is decided on the bytes that were read, so that it does not
/// matter who could write the file before or could do so meanwhile.
#[test]
fn sealed_code_runs_whoever_owns_its_file() {
    for bits in [0o664, 0o666, 0o600] {
        let artifact = Artifact::good();
        allow(&artifact.path(), bits);
        artifact.run(&[]).exits_with(0);
    }
    // Nobody else can give a file away.
    if geteuid().is_root() {
        let artifact = Artifact::good();
        chown(artifact.path(), Some(12345), None).expect("root may");
        artifact.run(&[]).exits_with(0);
    }
}

/// A user may run what root made, and not what another user made.
#[test]
fn an_artifact_of_root_is_run_by_others() {
    let stage = Stage::set();
    let directory = stage.directory("place");
    let good = directory.join("good.cwasm");
    fs::copy(hostile::component(), &good).expect("there is room");
    let run = || stage.run(&stage.ours(), &["good.cwasm", "list=/"], &directory);
    // Only root can make a file of root's.
    if !geteuid().is_root() {
        refused(run(), "good.cwasm", "--allow-native");
        return;
    }
    allow(&good, 0o644);
    run().exits_with(0);
    for bits in [0o646, 0o664, 0o666] {
        allow(&good, bits);
        refused(run(), "good.cwasm", "--allow-native");
    }
    allow(&good, 0o644);
    chown(&good, Some(12345), None).expect("root may");
    refused(run(), "good.cwasm", "--allow-native");
}

#[test]
fn an_artifact_that_may_not_be_read_is_refused() {
    let stage = Stage::set();
    let directory = stage.directory("place");
    for (name, source) in [("a.wasm", hostile::portable()), ("a.cwasm", hostile::component())] {
        fs::copy(source, directory.join(name)).expect("there is room");
        allow(&directory.join(name), 0o000);
        let run = stage.run(&stage.ours(), &[name, "list=/"], &directory);
        refused(run, name, "Permission denied");
    }
}

#[test]
fn a_precompiled_component_of_another_kind_is_refused() {
    let artifact = Artifact::new("other.wasm", EMPTY_COMPONENT);
    support::ours(&artifact.directory.path(), &["precompile", "other.wasm"]).exits_with(0);
    let made = Artifact { name: "other.cwasm", ..artifact };
    made.is_refused("only command-line components can run");
}
