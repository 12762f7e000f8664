//! The runner's own directories, reached from the sandbox: a cache, extensions,
//! settings, the key and the history below a home that is granted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::attacker::{self, all_done, all_refused};
use crate::support::composed::shipped;
use crate::support::{self, Directory, Input, Outcome};
use crate::{at_line_starts, payload_did_not_run};

/// Directories of the runner below a home.
const OWN: &[&str] = &[
    ".cache/sqlite-wasm-run",
    ".local/share/sqlite-wasm-run",
    ".local/state/sqlite-wasm-run",
    ".config/sqlite-wasm-run",
];

/// A home where the user works, with a cache that has been used.
struct Home {
    directory: Directory,
}

impl Home {
    fn fresh() -> Self {
        let home = Self { directory: Directory::fresh("home") };
        fs::copy(shipped("uuid"), home.path("small.wasm")).expect("the directory is ours");
        fs::write(home.path("payload"), attacker::native_payload(&shipped("uuid")))
            .expect("the directory is ours");
        fs::write(home.path(".sqlite_history"), "SELECT 'mine';\n").expect("the directory is ours");
        support::take_key(&home.path(".local/state"));
        // So that the cache knows the file's content, and has its code.
        for _ in 0..2 {
            home.loads();
            std::thread::sleep(support::artifact::SETTLING);
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn run(&self, args: &[&str], input: &str) -> Outcome {
        let mut command = support::command(&support::our_binary(), args, &self.directory.path());
        command.env_remove("XDG_CACHE_HOME").env("XDG_STATE_HOME", self.path(".local/state"));
        support::finish(command, &Input::Bytes(at_line_starts(input).as_bytes()))
    }

    /// What an innocent user does.
    #[track_caller]
    fn loads(&self) {
        let run = self.run(&[":memory:"], ".load ./small\nSELECT length(uuid4());\n");
        payload_did_not_run(run).prints("36\n");
    }

    fn attack(&self, options: &[&str], actions: &[String]) -> Outcome {
        let actions = actions.iter().map(String::as_str);
        // A home without the user's key does not know who has sealed it.
        let component = ["--allow-native", attacker::component(), attacker::component()];
        let args: Vec<&str> = options.iter().copied().chain(component).chain(actions).collect();
        self.run(&args, "")
    }

    /// The files in the runner's directories.
    fn own_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        OWN.iter().for_each(|directory| collect(&self.path(directory), &mut found));
        found
    }

    /// The files in the cache, the history, and those that might be made.
    fn targets(&self) -> Vec<String> {
        let found = self.own_files();
        let made = ["compiled/new.cwasm", "extensions/new.wasm", "key"];
        let made = OWN.iter().flat_map(|own| made.map(|name| self.path(own).join(name)));
        let targets: Vec<String> = found
            .keys()
            .cloned()
            .chain(made)
            .chain([self.path(".sqlite_history")])
            .map(|path| path.display().to_string())
            .collect();
        assert!(targets.iter().any(|path| path.contains("/compiled/")), "no code is kept");
        assert!(targets.iter().any(|path| path.contains("/content/") || path.contains("state")));
        targets
    }

    /// Fails if what was there has changed, or anything that the sandbox wrote is
    /// there now.
    #[track_caller]
    fn is_untouched(&self, before: &BTreeMap<PathBuf, Vec<u8>>, run: &Outcome) {
        let now = self.own_files();
        for (path, content) in before {
            let same = now.get(path).is_some_and(|found| found == content);
            assert!(same, "`{}` has changed\n{run}", path.display());
        }
        let payload = fs::read(self.path("payload")).expect("it is ours");
        for (path, content) in &now {
            let written = content.starts_with(b"written") || *content == payload;
            assert!(!written, "`{}` is the attacker's\n{run}", path.display());
        }
        let history = fs::read_to_string(self.path(".sqlite_history"));
        assert!(history.is_ok_and(|text| text.contains("mine")), "the history has changed\n{run}");
    }
}

fn collect(path: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    if path.is_file() {
        found.insert(path.into(), fs::read(path).expect("it is ours"));
    }
    for entry in fs::read_dir(path).into_iter().flatten() {
        collect(&entry.expect("it is ours").path(), found);
    }
}

/// With what is granted by default, and with the home granted by name.
const GRANTS: [&[&str]; 2] = [&[], &["--dir", "."]];

#[test]
fn sql_does_not_write_the_runners_directories() {
    for options in GRANTS {
        let home = Home::fresh();
        let before = home.own_files();
        let mut sql = String::new();
        for target in home.targets() {
            sql += &format!(
                "SELECT writefile('{target}', readfile('payload'));
                 SELECT writefile('{target}', readfile('payload'), 33188, 0);
                 .output {target}\nSELECT 'written';\n.output\n
                 ATTACH '{target}' AS a; CREATE TABLE a.t(x); DETACH a;
                 VACUUM INTO '{target}';
                 .backup {target}\n.log {target}\n.log off\n"
            );
        }
        let run = home.run(&[options, &[":memory:"]].concat(), &sql);
        home.is_untouched(&before, &run);
        home.loads();
    }
}

#[test]
fn the_runners_directories_are_not_read() {
    for options in GRANTS {
        let home = Home::fresh();
        for target in home.targets() {
            let sql = format!("SELECT readfile('{target}') IS NULL;\n");
            let run = home.run(&[options, &[":memory:"]].concat(), &sql);
            assert!(!run.out().contains('0'), "`{target}` was read\n{run}");
            let actions = ["files-read", "wasi-read", "files-attributes", "files-exists"];
            let actions = actions.map(|action| format!("{action}={target}"));
            all_refused(home.attack(options, &actions));
        }
    }
}

#[test]
fn a_component_does_not_change_the_runners_directories() {
    for options in GRANTS {
        let home = Home::fresh();
        let before = home.own_files();
        for target in home.targets() {
            let actions = [
                "files-write",
                "files-create",
                "files-rewrite",
                "files-delete",
                "files-permissions",
                "wasi-write",
                "wasi-remove",
                "wasi-create-directory",
            ];
            let mut actions = actions.map(|action| format!("{action}={target}")).to_vec();
            actions.push(format!("wasi-hard-link={target}::{}", home.name("taken")));
            actions.push(format!("wasi-move={target}::{}", home.name("taken")));
            actions.push(format!("wasi-move={}::{target}", home.name("payload")));
            let run = all_refused(home.attack(options, &actions));
            home.is_untouched(&before, &run);
        }
        home.loads();
    }
}

/// Moving an ancestor away and making another one instead would have the same effect.
#[test]
fn no_directory_above_the_runners_is_moved() {
    for options in GRANTS {
        let home = Home::fresh();
        let before = home.own_files();
        let above = [".cache", ".local", ".local/share", ".local/state", ".config"];
        for directory in above.iter().chain(OWN) {
            let actions = [
                format!("wasi-move={}::{}", home.name(directory), home.name("moved")),
                format!("wasi-remove-directory={}", home.name(directory)),
            ];
            let run = home.attack(options, &actions).exits_with(0);
            home.is_untouched(&before, &run);
            let replaced = home.path("moved").exists();
            assert!(!replaced || before.keys().all(|file| file.exists()), "{directory}\n{run}");
            let _ = fs::remove_dir_all(home.path("moved"));
        }
        let alias = [
            format!("wasi-link={}::.cache", home.name("alias")),
            format!("files-rewrite={}/sqlite-wasm-run/new", home.name("alias")),
            format!("wasi-write={}/sqlite-wasm-run/new", home.name("alias")),
            format!("files-create={}/sqlite-wasm-run/compiled/new", home.name("alias")),
        ];
        let run = home.attack(options, &alias);
        home.is_untouched(&before, &run);
        assert!(!home.path(".cache/sqlite-wasm-run/new").exists(), "{run}");
        assert!(!home.path(".cache/sqlite-wasm-run/compiled/new").exists(), "{run}");
        home.loads();
    }
}

/// What is planted before there is a cache, or a directory for extensions.
#[test]
fn the_runners_directories_are_not_made_by_others() {
    for options in GRANTS {
        let home = Home { directory: Directory::fresh("empty") };
        let mut actions = Vec::new();
        for own in OWN {
            for (end, _) in own.match_indices('/').chain([(own.len(), "")]) {
                // Above the runner's own it may be made, and holds nothing yet.
                actions.push(format!("wasi-create-directory={}", home.name(&own[..end])));
            }
            actions.push(format!("files-create={}/key", home.name(own)));
            actions.push(format!("wasi-create-directory={}/extensions", home.name(own)));
            actions.push(format!("files-create={}/extensions/x.wasm", home.name(own)));
        }
        let run = home.attack(options, &actions).exits_with(0);
        for (path, content) in home.own_files() {
            let written = content.starts_with(b"written");
            assert!(!written, "`{}` is the attacker's\n{run}", path.display());
        }
        assert!(!home.path(".local/share/sqlite-wasm-run/extensions").exists(), "{run}");
    }
}

#[test]
fn other_files_below_the_same_directories_are_written_where_granted() {
    let home = Home::fresh();
    for directory in [".cache/other", ".local/share/other", ".config/other"] {
        fs::create_dir_all(home.path(directory)).expect("the directory is ours");
        let file = format!("{}/file", home.name(directory));
        let actions = ["files-create", "files-read", "wasi-write", "wasi-read"];
        let actions = actions.map(|action| format!("{action}={file}"));
        all_done(home.attack(&["--dir", "."], &actions));
    }
}
