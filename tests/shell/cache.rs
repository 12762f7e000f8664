//! A `.wasm` is compiled once; what was kept is used again only as it was made,
//! by whom it was made.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::unistd::geteuid;
use sqlite_wasm_runtime::artifact::seal::{SEAL_BYTES, Seal};
use sqlite_wasm_runtime::installation::key::Key;

use crate::support::artifact::need_more_of_processor;
use crate::support::other_user::allow;
use crate::support::{self, Directory, Input, Outcome, hostile};

/// Files younger than this are not trusted to have settled.
const SETTLING: Duration = Duration::from_millis(150);

/// A working directory with a small component in it, and a cache.
struct Cached {
    directory: Directory,
}

impl Cached {
    fn fresh(name: &str) -> Self {
        let cached = Self { directory: Directory::fresh(name) };
        fs::copy(hostile::portable(), cached.path("small.wasm")).expect("there is room");
        cached
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The program's own directory in the cache.
    fn cache(&self) -> PathBuf {
        self.path("cache/sqlite-wasm-run")
    }

    fn run_with(&self, options: &[&str], variables: &[(&str, &Path)]) -> Outcome {
        let args = [options, &["small.wasm", "run=/bin/true"]].concat();
        let mut command = support::command(&support::our_binary(), &args, &self.directory.path());
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
        command.envs(variables.iter().copied());
        support::finish(command, &Input::Nothing)
    }

    /// Runs the component, which must work.
    #[track_caller]
    fn works(&self) {
        let run = self.run_with(&[], &[("XDG_CACHE_HOME", &self.path("cache"))]);
        ran(run);
    }

    /// The compiled component that is kept.
    #[track_caller]
    fn entry(&self) -> PathBuf {
        let mut found = files(&self.cache());
        found.retain(|path| path.extension().is_some_and(|extension| extension == "cwasm"));
        assert_eq!(found.len(), 1, "one compiled component was expected: {found:?}");
        found.remove(0)
    }
}

#[track_caller]
fn ran(run: Outcome) {
    let run = run.exits_with(0);
    assert!(run.out().contains("run: refused"), "the component did not run\n{run}");
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries
        .map(|entry| entry.expect("the directory is ours").path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

/// What changes when a file is written or replaced.
fn state(path: &Path) -> (u64, i64, i64, u64) {
    let file = fs::metadata(path).expect("it is kept");
    (file.ino(), file.mtime(), file.mtime_nsec(), file.size())
}

#[test]
fn a_component_runs_the_first_time() {
    Cached::fresh("first").works();
}

#[test]
fn a_component_that_has_settled_runs_the_first_time() {
    let cached = Cached::fresh("settled");
    thread::sleep(SETTLING);
    cached.works();
}

#[test]
fn a_component_is_compiled_once_and_used_again() {
    let cached = Cached::fresh("again");
    cached.works();
    let made = state(&cached.entry());
    for _ in 0..3 {
        // Then its content is remembered.
        thread::sleep(SETTLING);
        cached.works();
        assert_eq!(state(&cached.entry()), made, "it was compiled again");
    }
}

#[test]
fn the_shell_runs_from_its_portable_form() {
    let directory = Directory::fresh("shell");
    let component = support::portable_component().display().to_string();
    for _ in 0..2 {
        let args = [component.as_str(), ":memory:", "SELECT 6 * 7"];
        let mut command = support::command(&support::our_binary(), &args, &directory.path());
        command.env("XDG_CACHE_HOME", directory.path().join("cache"));
        support::finish(command, &Input::Nothing).exits_with(0).prints("42\n").keeps_quiet();
    }
}

#[test]
fn what_is_kept_is_nobody_elses() {
    let cached = Cached::fresh("mode");
    cached.works();
    for path in files(&cached.cache()).into_iter().chain([cached.cache()]) {
        let mode = fs::metadata(&path).expect("it is kept").mode();
        assert_eq!(mode & 0o022, 0, "others may write {}", path.display());
    }
}

/// The content decides, not name or time.
#[test]
fn the_same_content_elsewhere_is_not_compiled_again() {
    let cached = Cached::fresh("content");
    cached.works();
    let made = state(&cached.entry());
    fs::rename(cached.path("small.wasm"), cached.path("old.wasm")).expect("it is ours");
    fs::copy(cached.path("old.wasm"), cached.path("small.wasm")).expect("there is room");
    cached.works();
    assert_eq!(state(&cached.entry()), made, "it was compiled again");
}

#[test]
fn a_changed_component_is_compiled_again() {
    let cached = Cached::fresh("changed");
    cached.works();
    let mut content = fs::read(cached.path("small.wasm")).expect("it is ours");
    // A custom section without a name or content changes nothing that runs.
    content.extend([0, 1, 0]);
    fs::write(cached.path("small.wasm"), content).expect("it is ours");
    cached.works();
    let kept = files(&cached.cache());
    let compiled = kept.iter().filter(|path| path.extension().is_some_and(|end| end == "cwasm"));
    assert_eq!(compiled.count(), 2);
}

#[test]
fn a_broken_entry_is_made_again() {
    let cached = Cached::fresh("broken");
    cached.works();
    let whole = fs::read(cached.entry()).expect("it is kept");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for broken in [&[][..], b"text", &whole[..whole.len() / 2], &flipped] {
        fs::write(cached.entry(), broken).expect("it is ours");
        cached.works();
        assert!(fs::read(cached.entry()).expect("it is kept") == whole, "it is still broken");
    }
}

/// As on a machine with fewer features, if another one had written it.
#[test]
fn an_entry_for_another_processor_is_made_again() {
    let cached = Cached::fresh("processor");
    cached.works();
    let whole = fs::read(cached.entry()).expect("it is kept");
    let mut foreign = whole[..whole.len() - SEAL_BYTES].to_vec();
    need_more_of_processor(&mut foreign);
    let key = Key::of_user().expect("tests have a home");
    let wasm = fs::read(cached.path("small.wasm")).expect("it is ours");
    let seal = Seal::new(&foreign, &wasm, Some(&key));
    fs::write(cached.entry(), [&foreign, seal.bytes()].concat()).expect("it is ours");
    for _ in 0..2 {
        cached.works();
        assert!(fs::read(cached.entry()).expect("it is kept") == whole, "it is still foreign");
        thread::sleep(SETTLING);
    }
}

#[test]
fn an_entry_that_others_may_write_is_not_used() {
    let cached = Cached::fresh("writable");
    cached.works();
    let made = state(&cached.entry());
    allow(&cached.entry(), 0o666);
    cached.works();
    assert_ne!(state(&cached.entry()), made, "it was used");
    let mode = fs::metadata(cached.entry()).expect("it is kept").mode();
    assert_eq!(mode & 0o022, 0, "others may still write it");
}

#[test]
fn an_entry_of_another_user_is_not_used() {
    let cached = Cached::fresh("owner");
    cached.works();
    let made = state(&cached.entry());
    // Nobody else can give a file away.
    if geteuid().is_root() {
        chown(cached.entry(), Some(12345), None).expect("root may");
        cached.works();
        assert_ne!(state(&cached.entry()), made, "it was used");
    }
}

/// Others could put native code there, or say that a file is what it is not.
#[test]
fn a_cache_that_others_may_write_is_not_used() {
    for bits in [0o770, 0o707] {
        let cached = Cached::fresh("others");
        fs::create_dir_all(cached.cache()).expect("the directory is ours");
        allow(&cached.cache(), bits);
        cached.works();
        assert!(files(&cached.cache()).is_empty(), "it was used with mode {bits:o}");
    }
}

/// Also a part of it that others can reach; closing it to them is as good.
#[test]
fn a_part_of_the_cache_that_others_may_write_is_not_used() {
    for part in ["compiled", "content"] {
        let cached = Cached::fresh("part");
        let directory = cached.cache().join(part);
        fs::create_dir_all(&directory).expect("the directory is ours");
        allow(&cached.cache(), 0o755);
        allow(&directory, 0o777);
        cached.works();
        let mode = fs::metadata(&directory).map_or(0, |directory| directory.mode());
        let used = !files(&directory).is_empty() && mode & 0o022 != 0;
        assert!(!used, "`{part}` was used with mode {mode:o}");
    }
}

#[test]
fn a_cache_of_another_user_is_not_used() {
    let cached = Cached::fresh("foreign");
    fs::create_dir_all(cached.cache()).expect("the directory is ours");
    // Nobody else can give a directory away.
    if geteuid().is_root() {
        chown(cached.cache(), Some(12345), None).expect("root may");
        cached.works();
        assert!(files(&cached.cache()).is_empty(), "it was used");
    }
}

#[test]
fn without_a_cache_nothing_is_kept() {
    let cached = Cached::fresh("no-cache");
    let before = files(&cached.directory.path());
    let cache = cached.path("cache");
    ran(cached.run_with(&["--no-cache"], &[("XDG_CACHE_HOME", &cache)]));
    assert_eq!(files(&cached.directory.path()), before, "something was kept");
}

#[test]
fn without_a_cache_nothing_kept_is_used() {
    let cached = Cached::fresh("not-used");
    cached.works();
    fs::write(cached.entry(), "broken").expect("it is ours");
    let cache = cached.path("cache");
    ran(cached.run_with(&["--no-cache"], &[("XDG_CACHE_HOME", &cache)]));
    assert_eq!(fs::read(cached.entry()).expect("it is there"), b"broken");
}

#[test]
fn the_cache_lies_where_xdg_says() {
    let cached = Cached::fresh("xdg");
    let home = cached.path("home");
    ran(cached.run_with(&[], &[("HOME", &home)]));
    assert!(!files(&home.join(".cache/sqlite-wasm-run")).is_empty(), "not below the home");
    let relative = Path::new("relative");
    ran(cached.run_with(&[], &[("HOME", &home), ("XDG_CACHE_HOME", relative)]));
    assert!(!cached.path("relative").exists(), "a relative path counts as none");
}

#[test]
fn a_component_runs_where_no_cache_can_be() {
    let cached = Cached::fresh("nowhere");
    fs::write(cached.path("file"), "").expect("the directory is ours");
    symlink("/proc", cached.path("proc")).expect("the directory is ours");
    for place in ["file/below", "proc"] {
        let place = cached.path(place);
        ran(cached.run_with(&[], &[("XDG_CACHE_HOME", &place)]));
    }
}

#[test]
fn several_first_runs_at_once_all_work() {
    let cached = Cached::fresh("at-once");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| cached.works());
        }
    });
    cached.entry();
}
