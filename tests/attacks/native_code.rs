//! Native code that SQL, a component or somebody without the key provides.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::support::artifact::Artifact;
use crate::support::attacker::{self, attack};
use crate::support::composed::shipped;
use crate::support::{self, Directory};
use crate::{payload_did_not_run, script};

/// An extension whose code is the attacker's.
fn extension() -> &'static [u8] {
    static EXTENSION: OnceLock<Vec<u8>> = OnceLock::new();
    EXTENSION.get_or_init(|| attacker::native_payload(&shipped("uuid")))
}

/// A program whose code is the attacker's.
fn program() -> &'static [u8] {
    static PROGRAM: OnceLock<Vec<u8>> = OnceLock::new();
    PROGRAM.get_or_init(|| attacker::native_payload(attacker::portable().as_ref()))
}

/// A directory with an extension's bytes in files that are no extensions by their
/// names: what SQL has as blobs.
fn fresh() -> Directory {
    let directory = Directory::fresh("native");
    fs::write(directory.path().join("payload"), extension()).expect("the directory is ours");
    let sealed = attacker::precompiled(&shipped("uuid"));
    fs::write(directory.path().join("sealed"), sealed).expect("the directory is ours");
    fs::copy(shipped("uuid"), directory.path().join("portable")).expect("the directory is ours");
    directory
}

/// Ways to load `NAME` with the ending that SQL gave it, `DIR` being where it is.
const LOADS: &[&str] = &[
    ".load ./NAME",
    ".load ./x",
    ".load DIR/NAME",
    ".load ././/NAME",
    ".load ./NAME sqlite3_extension_init",
    "SELECT load_extension('./NAME');",
    "SELECT load_extension('./x');",
    "SELECT load_extension('DIR/x');",
];

/// Writes a file by SQL under a name that can be loaded, and loads it.
fn written_and_loaded(directory: &Path, content: &str, name: &str, load: &str) -> support::Outcome {
    let path = directory.display().to_string();
    let load = load.replace("NAME", name).replace("DIR", &path);
    let sql = format!(
        "SELECT writefile('{name}', readfile('{content}')) > 0;\n{load}\nSELECT length(uuid4());\n"
    );
    let run = script(directory, &[], &[], &sql);
    fs::remove_file(directory.join(name)).expect("SQL has written it");
    run
}

#[test]
fn native_code_that_sql_wrote_is_not_loaded() {
    let directory = fresh();
    for content in ["payload", "sealed"] {
        for load in LOADS {
            let run = written_and_loaded(&directory.path(), content, "x.cwasm", load);
            let run = payload_did_not_run(run);
            assert!(!run.out().contains("36"), "native code was loaded\n{run}");
        }
    }
}

#[test]
fn portable_code_that_sql_wrote_is_loaded() {
    let directory = fresh();
    for load in LOADS {
        let run = written_and_loaded(&directory.path(), "portable", "x.wasm", load);
        let run = run.keeps_quiet();
        assert!(run.out().starts_with("1\n") && run.out().ends_with("\n36\n"), "{run}");
    }
}

#[test]
fn native_code_is_not_loaded_by_a_component() {
    let directory = fresh();
    let place = directory.path().display().to_string();
    for content in ["payload", "sealed"] {
        fs::copy(directory.path().join(content), directory.path().join("x.cwasm"))
            .expect("it is ours");
        let actions = [format!("load={place}/x.cwasm"), format!("load={place}/x")];
        let run = payload_did_not_run(attack(&directory.path(), &[], &actions));
        attacker::all_refused(run);
    }
    fs::copy(directory.path().join("portable"), directory.path().join("y.wasm"))
        .expect("it is ours");
    attacker::all_done(attack(&directory.path(), &[], &[format!("load={place}/y")]));
}

/// Environment variables that would make a directory of the sandbox one of the runner's.
#[test]
fn relative_and_empty_directories_are_not_searched() {
    let directory = fresh();
    let below = directory.path().join("sqlite-wasm-run/extensions");
    fs::create_dir_all(&below).expect("the directory is ours");
    let variables = [
        ("XDG_DATA_HOME", "."),
        ("XDG_DATA_HOME", "./"),
        ("XDG_DATA_HOME", "sqlite-wasm-run/.."),
        ("SQLITE_WASM_EXTENSIONS", ""),
        ("SQLITE_WASM_EXTENSIONS", ":"),
        ("SQLITE_WASM_EXTENSIONS", "."),
        ("SQLITE_WASM_EXTENSIONS", "/nowhere::/nowhere"),
        ("SQLITE_WASM_EXTENSIONS", "sqlite-wasm-run/extensions"),
    ];
    for variable in variables {
        for (content, name) in
            [("payload", "x.cwasm"), ("sealed", "x.cwasm"), ("portable", "x.wasm")]
        {
            let sql = format!(
                "SELECT writefile('{name}', readfile('{content}'));
                 SELECT writefile('sqlite-wasm-run/extensions/{name}', readfile('{content}'));\n"
            );
            script(&directory.path(), &[], &[variable], &sql);
            let load = ".load x\nSELECT 'loaded ' || length(uuid4());\n";
            let run = payload_did_not_run(script(&directory.path(), &[], &[variable], load));
            assert!(!run.out().contains("loaded"), "{variable:?}: it was found\n{run}");
            for file in [directory.path().join(name), below.join(name)] {
                let _ = fs::remove_file(file);
            }
        }
    }
}

#[test]
fn absolute_directories_are_searched() {
    let directory = fresh();
    let below = directory.path().join("sqlite-wasm-run/extensions");
    fs::create_dir_all(&below).expect("the directory is ours");
    fs::copy(directory.path().join("portable"), below.join("x.wasm"))
        .expect("the directory is ours");
    let (data, below) = (directory.path().display().to_string(), below.display().to_string());
    let both = format!(":relative:{below}");
    for variable in [
        ("XDG_DATA_HOME", data.as_str()),
        ("SQLITE_WASM_EXTENSIONS", &below),
        ("SQLITE_WASM_EXTENSIONS", &both),
    ] {
        let run = script(&directory.path(), &[], &[variable], ".load x\nSELECT length(uuid4());\n");
        run.keeps_quiet().prints("36\n");
    }
}

/// Each is refused with its exit code, and nothing of it runs.
#[test]
fn a_program_sealed_without_the_key_is_refused() {
    let (payload, good) = (program(), attacker::precompiled(attacker::portable().as_ref()));
    let ((code, seal), (good_code, good_seal)) = (attacker::parts(payload), attacker::parts(&good));
    let files = [
        payload.to_vec(),
        code.to_vec(),
        [code, good_seal].concat(),
        [good_code, seal].concat(),
        attacker::signed_with(payload, &[0; 32]),
        attacker::signed_with(payload, &[0xff; 32]),
        attacker::signed_with(payload, blake3::hash(b"").as_bytes()),
        [payload, good_seal].concat(),
        [&good, seal].concat(),
        [&good, payload].concat(),
    ];
    for (number, file) in files.into_iter().enumerate() {
        let artifact = Artifact::new("planted.cwasm", &file);
        for options in [&[][..], &["--no-cache"]] {
            let run = payload_did_not_run(artifact.run(options));
            assert_eq!(run.end, support::End::Exited(121), "file {number}\n{run}");
        }
        let cached = payload_did_not_run(artifact.run_cached());
        assert_eq!(cached.end, support::End::Exited(121), "file {number}\n{cached}");
    }
    Artifact::new("good.cwasm", &good).run(&[]).exits_with(0);
}

/// `--allow-native` is for what another user or machine has compiled: the file
/// must be whole all the same, and it is that file alone.
#[test]
fn native_code_that_the_user_allows_is_run_if_it_is_whole() {
    let good = attacker::precompiled(attacker::portable().as_ref());
    // Custom data at the end of an ELF file changes nothing that runs.
    let foreign = Artifact::new("foreign.cwasm", &attacker::resealed(&good, |code| code[7] ^= 0));
    foreign.run(&["--allow-native", "foreign.cwasm"]).exits_with(0);
    let mut damaged = good.clone();
    damaged[5000] ^= 1;
    let damaged = Artifact::new("damaged.cwasm", &damaged);
    damaged.run(&["--allow-native", "damaged.cwasm"]).exits_with(121);
    let other = Artifact::new("other.cwasm", program());
    fs::write(other.directory.path().join("foreign.cwasm"), &good).expect("the directory is ours");
    payload_did_not_run(other.run(&["--allow-native", "foreign.cwasm"])).exits_with(121);
}
