//! Runs the scripts of `cli-smokes/` and compares what they print with their
//! `.expected` files: through our binary, and through the native reference.
//!
//! `cli-smokes/readme.sql` explains the format. `BLESS=1` renews the expected files; `SMOKE_BINARY`
//! names another binary to test instead of ours, and `SMOKE_REFERENCE` one instead of the native
//! reference, without the scripts in `SMOKE_EXCEPT`.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use crate::support::composed::Composed;
use crate::support::text::{append_marker, line_diff, replace, split_words};
use crate::support::{self, Directory, End, Input, Outcome};

#[test]
fn scripts_print_what_is_expected() {
    let binary = env::var_os("SMOKE_BINARY").map_or_else(support::our_binary, PathBuf::from);
    let bless = env::var_os("BLESS").is_some();
    let mut failures = unpaired_files(bless);
    failures.extend(failures_of(&all_smokes(), |smoke| {
        let transcript = smoke.perform(&binary);
        if bless { transcript.bless(smoke) } else { transcript.check(smoke) }
    }));
    report(&failures);
}

#[test]
fn native_reference_agrees() {
    let native = || support::repository().join("target/native-reference/sqlite3");
    let reference = env::var_os("SMOKE_REFERENCE").map_or_else(native, PathBuf::from);
    if !reference.exists() {
        let hint = "no native reference to compare with; `make native-reference` builds it";
        assert!(env::var_os("CI").is_none(), "{hint}");
        eprintln!("{hint}");
        return;
    }
    if env::var_os("BLESS").is_some() {
        eprintln!("the expected files are being renewed; the next run compares them");
        return;
    }
    let mut smokes = all_smokes();
    let except = env::var("SMOKE_EXCEPT").unwrap_or_default();
    smokes.retain(|smoke| !smoke.ours_only && !except.split(' ').any(|name| name == smoke.name));
    report(&failures_of(&smokes, |smoke| smoke.perform(&reference).check(smoke)));
}

/// Cranelift compiles all components where LLVM's code is missing (`compilers`).
#[test]
fn code_by_cranelift_prints_the_same() {
    let installed = Directory::fresh("smokes-by-cranelift");
    let directory = installed.path();
    let [program, extensions] = ["sqlite-wasm-run", "extensions"].map(|name| directory.join(name));
    support::copy_runner(&program);
    symlink(support::our_binary().with_file_name("extensions"), extensions).expect("it is ours");
    let (from, to) = (support::portable_component(), directory.join("cli.cwasm"));
    let [from, to] = [&from, &to].map(|path| path.to_str().expect("a path in UTF-8"));
    support::ours(&directory, &["precompile", "--cranelift", from, "-o", to]).exits_with(0);
    report(&failures_of(&all_smokes(), |smoke| smoke.perform(&program).check(smoke)));
}

#[test]
fn embedded_extensions_print_what_loaded_ones_do() {
    let shipped = fs::read_dir(support::repository().join("extensions")).expect("it is there");
    let names: BTreeSet<String> = shipped
        .filter_map(|entry| entry.expect("it can be read").file_name().into_string().ok())
        .filter(|name| names("sql").contains(&format!("ext-{name}")))
        .collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let composed = Composed::with("smokes", &all);
    let smokes: Vec<Smoke> = names.iter().map(|name| Smoke::load(&format!("ext-{name}"))).collect();
    report(&failures_of(&smokes, |smoke| smoke.perform_embedded(&composed).check(smoke)));
}

/// One script with its directives.
struct Smoke {
    name: String,
    script: PathBuf,
    /// The arguments of each `-- before:` run.
    before: Vec<Vec<String>>,
    /// The arguments of the run that reads the script.
    args: Vec<String>,
    ours_only: bool,
}

impl Smoke {
    fn load(name: &str) -> Self {
        let script = directory_of_smokes().join(name).with_extension("sql");
        let text = fs::read_to_string(&script).expect("scripts are UTF-8");
        let title = format!("-- cli-smokes/{name}.sql: ");
        assert!(text.starts_with(&title), "{name}.sql: the first line must begin with `{title}`");
        let mut smoke = Self {
            name: name.to_owned(),
            script,
            before: Vec::new(),
            args: arguments(""),
            ours_only: false,
        };
        text.lines().map_while(|line| line.strip_prefix("--")).for_each(|line| smoke.direct(line));
        smoke
    }

    /// Takes one comment line of the head: a directive, or else prose.
    fn direct(&mut self, line: &str) {
        match line.trim().split_once(':') {
            Some(("args", value)) => self.args = arguments(value),
            Some(("before", value)) => self.before.push(arguments(value)),
            Some(("ours-only", reason)) => {
                assert!(!reason.trim().is_empty(), "{}.sql: `ours-only` needs a reason", self.name);
                self.ours_only = true;
            }
            _ => {}
        }
    }

    fn expected_path(&self) -> PathBuf {
        self.script.with_extension("expected")
    }

    /// All runs of this script through `binary`, in a new directory.
    fn perform(&self, binary: &Path) -> Transcript {
        let directory = Directory::fresh(&self.name);
        let run = |args: &[String], input| support::run(binary, args, &directory.path(), &input);
        let mut runs: Vec<_> = self.before.iter().map(|args| run(args, Input::Nothing)).collect();
        runs.push(run(&self.args, Input::File(&self.script)));
        Transcript { directory, runs }
    }

    /// The run through a CLI that has the extensions in it: with nothing to load.
    fn perform_embedded(&self, composed: &Composed) -> Transcript {
        let directory = Directory::fresh(&self.name);
        let component = composed.compiled().display().to_string();
        // Else it says that these have no directory, whatever the script is about.
        let grants = ["csv=dir:.:ro", "ann_read=dir:.:ro"];
        let grants = grants.iter().flat_map(|grant| ["--grant".into(), (*grant).into()]);
        let first: Vec<String> = grants.chain([component]).collect();
        let args: Vec<String> = first.into_iter().chain(self.args.iter().cloned()).collect();
        let script = fs::read_to_string(&self.script).expect("scripts are UTF-8");
        // Lines keep their positions.
        let without_load = |line: &str| {
            if line.starts_with(".load ") { "--\n".to_owned() } else { format!("{line}\n") }
        };
        let script: String = script.lines().map(without_load).collect();
        let input = Input::Bytes(script.as_bytes());
        let run = support::run(&support::our_binary(), &args, &directory.path(), &input);
        Transcript { directory, runs: vec![run] }
    }
}

/// Splits a directive's value as a shell would, and names the default database.
///
/// `test.db` is added if the last word is an option or the value is empty: a value that
/// ends with another word names its database itself.
fn arguments(value: &str) -> Vec<String> {
    let mut words = split_words(value);
    if words.last().is_none_or(|word| word.starts_with('-')) {
        words.push("test.db".to_owned());
    }
    words
}

/// What the runs of one script did.
struct Transcript {
    directory: Directory,
    runs: Vec<Outcome>,
}

impl Transcript {
    /// The text of an expected file: each run's stdout, stderr and exit code.
    fn render(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for run in &self.runs {
            text.extend(self.stable(&run.stdout));
            if !run.stderr.is_empty() {
                append_marker(&mut text, "-- stderr --");
                text.extend(self.stable(&run.stderr));
            }
            match run.end {
                End::Exited(0) => {}
                End::Exited(code) => append_marker(&mut text, &format!("-- exit {code} --")),
                End::Signalled | End::TimedOut => {
                    append_marker(&mut text, &format!("-- {:?} --", run.end));
                }
            }
        }
        text
    }

    /// Replaces the working directory, which is another one in each run, by `$DIR`.
    fn stable(&self, output: &[u8]) -> Vec<u8> {
        let directory = self.directory.path();
        replace(output, directory.as_os_str().as_encoded_bytes(), b"$DIR")
    }

    fn ended(&self) -> bool {
        self.runs.iter().all(|run| matches!(run.end, End::Exited(_)))
    }

    fn bless(self, smoke: &Smoke) -> Option<String> {
        if !self.ended() {
            return Some(self.failure(smoke, ""));
        }
        fs::write(smoke.expected_path(), self.render()).expect("cli-smokes/ is writable");
        None
    }

    fn check(self, smoke: &Smoke) -> Option<String> {
        // A missing file is reported once, by `unpaired_files`.
        let expected = fs::read(smoke.expected_path()).ok()?;
        let printed = self.render();
        if printed == expected && self.ended() {
            return None;
        }
        let diff = line_diff(&expected, &printed);
        Some(self.failure(smoke, &diff))
    }

    fn failure(self, smoke: &Smoke, diff: &str) -> String {
        let mut text = format!("== {} < {}\n", smoke.name, smoke.script.display());
        for run in &self.runs {
            writeln!(text, "{run}").expect("a string takes all");
        }
        self.directory.keep();
        text + "- expected, + printed:\n" + diff
    }
}

fn directory_of_smokes() -> PathBuf {
    support::repository().join("cli-smokes")
}

/// The names of the files in `cli-smokes/` that end with `extension`.
fn names(extension: &str) -> BTreeSet<String> {
    fs::read_dir(directory_of_smokes())
        .expect("cli-smokes/ exists")
        .map(|entry| entry.expect("cli-smokes/ can be listed").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect()
}

fn all_smokes() -> Vec<Smoke> {
    names("sql").iter().map(|name| Smoke::load(name)).collect()
}

/// Scripts without expectation (unless that is about to be written), and the
/// reverse.
fn unpaired_files(bless: bool) -> Vec<String> {
    let (scripts, expectations) = (names("sql"), names("expected"));
    let missing = scripts.difference(&expectations).filter(|_| !bless);
    let stray = expectations.difference(&scripts);
    missing
        .map(|name| format!("== {name}.sql has no {name}.expected; BLESS=1 writes it"))
        .chain(stray.map(|name| format!("== {name}.expected is stray: there is no {name}.sql")))
        .collect()
}

/// Tries all smokes, on all cores, and collects what failed in their order.
fn failures_of(smokes: &[Smoke], attempt: impl Fn(&Smoke) -> Option<String> + Sync) -> Vec<String> {
    let queue = Mutex::new(smokes.iter().enumerate());
    let failures = Mutex::new(Vec::new());
    let next = || queue.lock().expect("no worker panics here").next();
    let work = || {
        while let Some((place, smoke)) = next() {
            let failure = attempt(smoke).map(|text| (place, text));
            failures.lock().expect("nor here").extend(failure);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut failures = failures.into_inner().expect("nor here");
    failures.sort();
    failures.into_iter().map(|(_, text)| text).collect()
}

fn report(failures: &[String]) {
    let count = failures.len();
    assert!(failures.is_empty(), "{count} smokes failed\n\n{}", failures.join("\n\n"));
}
