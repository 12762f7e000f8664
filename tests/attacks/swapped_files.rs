//! Files that another process swaps while the runner uses them: what is checked
//! is what runs, is granted and is kept.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::attacker::while_changing;
use crate::support::composed::shipped;
use crate::support::guest::guest;
use crate::support::{self, Directory, Input, Outcome};

/// Loads in one process, each of another path.
const LOADS: usize = 30;

/// Processes that load while files are swapped.
const ROUNDS: usize = 12;

/// `x0.wasm` to `x29.wasm` with this content.
fn fill(directory: &Path, content: &Path) {
    fs::create_dir(directory).expect("the directory is ours");
    for number in 0..LOADS {
        fs::copy(content, directory.join(format!("x{number}.wasm"))).expect("there is room");
    }
}

/// A shipped extension is granted SQL by its content; the other one, which is
/// swapped for it, would like to have it.
#[test]
fn a_grant_by_content_goes_to_the_content_that_was_checked() {
    let directory = Directory::fresh("swap");
    let (now, other) = (directory.path().join("now"), directory.path().join("other"));
    fill(&now, &shipped("define"));
    fill(&other, &guest("querying"));
    let mut script = String::new();
    for number in 0..LOADS {
        script += &format!(".load ./now/x{number}\nSELECT 'stolen ' || sql00_run('SELECT 7');\n");
    }
    let run = || {
        let input = Input::Bytes(script.as_bytes());
        support::run(&support::our_binary(), &[":memory:"], &directory.path(), &input)
    };
    let swap = || {
        renameat_with(CWD, &now, CWD, &other, RenameFlags::EXCHANGE)
            .expect("the system can exchange two directories");
    };
    // So that nothing is compiled while files are swapped.
    run();
    swap();
    run();
    let runs: Vec<Outcome> = while_changing(swap, || (0..ROUNDS).map(|_| run()).collect());
    let stolen = runs.iter().filter(|run| run.out().contains("stolen 7"));
    support::place::fail_for(stolen, "stole a grant");
}

/// The shipped extension has the grant when nothing is swapped.
#[test]
fn a_grant_by_content_is_given_by_path_too() {
    let directory = Directory::fresh("kept");
    fill(&directory.path().join("now"), &shipped("define"));
    let script = ".load ./now/x0\nSELECT eval('SELECT 7');\n";
    crate::script(&directory.path(), &[], &[], script).keeps_quiet().prints("7\n");
}

/// The bytes before the word that decides on the guest's manifest.
const MARK: &[u8] = b"malicious-manifest:";

/// Fresh caches that the same file is compiled into.
const CACHES: usize = 12;

/// One byte of the file flips all the time, so that it may be one extension when
/// it is hashed, and another when it is compiled. Each cache must keep either
/// under its own hash.
#[test]
fn the_cache_keeps_what_was_hashed() {
    let directory = Directory::fresh("flip");
    let path = |name: &str| directory.path().join(name);
    let good = fs::read(guest("malicious")).expect("it is there");
    let place = good.windows(MARK.len()).position(|at| at == MARK).expect("it has the mark");
    let place = place + MARK.len();
    let mut bad = good.clone();
    // Another word: its manifest is refused.
    bad[place..place + 18].copy_from_slice(b"nul-name..........");
    let mut almost = good.clone();
    almost[place..place + 18].copy_from_slice(b"nul-nam...........");
    for (name, content) in [("good.wasm", &almost), ("bad.wasm", &bad), ("flip.wasm", &almost)] {
        fs::write(path(name), content).expect("the directory is ours");
    }
    let load = |cache: usize, name: &str| {
        let args = [":memory:", &format!(".load ./{name}"), "SELECT malicious('valid')"];
        let mut command = support::command(&support::our_binary(), &args, &directory.path());
        command.env("XDG_CACHE_HOME", path(&format!("cache-{cache}")));
        support::finish(command, &Input::Nothing)
    };
    let file = fs::OpenOptions::new().write(true).open(path("flip.wasm")).expect("it is ours");
    let mut odd = false;
    let flip = || {
        odd = !odd;
        let byte = if odd { b"e" } else { b"." };
        file.write_all_at(byte, place as u64 + 7).expect("the file is ours");
    };
    while_changing(flip, || (0..CACHES).for_each(|cache| drop(load(cache, "flip"))));
    for cache in 0..CACHES {
        let (good, bad) = (load(cache, "good"), load(cache, "bad"));
        assert_eq!(good.out(), "valid\n", "the good one's code is another's\n{good}");
        assert!(!bad.out().contains("valid"), "the bad one's code is another's\n{bad}");
    }
}

/// A program named on the command line is run as it was checked, or refused.
#[test]
fn a_program_that_is_swapped_is_refused_or_whole() {
    let directory = Directory::fresh("program");
    let (now, other) = (directory.path().join("now.cwasm"), directory.path().join("other.cwasm"));
    let portable: &Path = support::attacker::portable().as_ref();
    fs::write(&now, support::attacker::precompiled(portable)).expect("the directory is ours");
    fs::write(&other, support::attacker::native_payload(portable)).expect("the directory is ours");
    let swap = || {
        renameat_with(CWD, &now, CWD, &other, RenameFlags::EXCHANGE)
            .expect("the system can exchange two files");
    };
    let file = directory.path().join("file");
    fs::write(&file, "x").expect("the directory is ours");
    let read = format!("files-read={}", file.display());
    let run = || support::ours(&directory.path(), &["now.cwasm", &read]);
    let runs: Vec<Outcome> = while_changing(swap, || (0..40).map(|_| run()).collect());
    let wrong = runs.iter().filter(|run| {
        !matches!(run.end, support::End::Exited(0 | 121))
            || (run.end == support::End::Exited(0) && !run.out().contains("done"))
    });
    support::place::fail_for(wrong, "were neither refused nor whole");
}
