//! Existing C extensions as components, compared with the same C natively.
//!
//! Each script of `parity/` runs in the native reference with the native
//! library, and in ours with the component: output and errors must be equal.
//! What follows the line `-- crossed` runs in the other one's database. The line `-- input` stands for
//! generated rows, those of `parity/input.sql`; `PARITY_SEED` chooses others. Where a library of Python is
//! the native side, `parity/natively.py` runs the script.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{self, Directory, Input, Outcome};

/// What separates the two parts of a script.
const CROSSED: &str = "\n-- crossed\n";

/// Instead of an entry point: the native side is a library of Python.
const PYTHON: &str = "python";

/// What stands for generated rows.
const INPUT: &str = "\n-- input\n";

fn sources() -> PathBuf {
    let directory = support::repository().join("target/c-sources");
    assert!(directory.join("wasm").is_dir(), "no C extensions; `make c-extensions` builds them");
    directory
}

struct Script {
    name: String,
    extension: String,
    /// Of the native library, where SQLite does not find it by itself.
    entry_point: String,
    /// What ours is granted; native code needs no grants.
    grants: String,
    parts: Vec<String>,
}

impl Script {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("scripts are UTF-8");
        let text = text.replace(INPUT, &format!("\n{}", input()));
        let mut lines = text.lines();
        let loads = lines.next().and_then(|line| line.strip_prefix("-- loads: "));
        let loads = loads.expect("the first line says what it loads");
        let (extension, entry_point) = loads.split_once(' ').unwrap_or((loads, ""));
        let grants = lines.next().and_then(|line| line.strip_prefix("-- grants: "));
        Self {
            name: path.file_stem().expect("it has a name").to_string_lossy().into_owned(),
            extension: extension.to_owned(),
            entry_point: entry_point.to_owned(),
            grants: grants.unwrap_or("sql").to_owned(),
            parts: text.split(CROSSED).map(str::to_owned).collect(),
        }
    }

    fn natively(&self, directory: &Path, part: &str) -> Outcome {
        let input = Input::Bytes(part.as_bytes());
        if self.entry_point == PYTHON {
            let oracle = support::repository().join("tests/parity/natively.py");
            let library = format!("oracle_{}", self.extension);
            let mut command = support::command(&oracle, &[&library, "test.db"], directory);
            command.env("PATH", env::var_os("PATH").unwrap_or_default());
            return support::finish(command, &input);
        }
        let library = sources().join(&self.extension);
        let load = format!(".load {} {}", library.display(), self.entry_point);
        let args = ["-cmd", &load, "test.db"];
        support::run(&support::native(), &args, directory, &input)
    }

    fn as_component(&self, component: &str, directory: &Path, part: &str) -> Outcome {
        let components = sources().join("wasm");
        let components = components.to_str().expect("the repository's path is UTF-8");
        let grant = format!("{component}={}", self.grants);
        let args =
            ["--extension-dir", components, "--grant", &grant, "--load", component, "test.db"];
        support::run(&support::our_binary(), &args, directory, &Input::Bytes(part.as_bytes()))
    }

    /// Run both; each part but the first with the databases exchanged.
    fn compare(&self, component: &str) {
        let (native, ours) = (Directory::fresh(&self.name), Directory::fresh(&self.name));
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                exchange(&native.path().join("test.db"), &ours.path().join("test.db"));
            }
            let expected = self.natively(&native.path(), part);
            let actual = self.as_component(component, &ours.path(), part);
            let name = format!("{}, part {}", self.name, number + 1);
            let outputs = support::text::line_diff(&expected.stdout, &actual.stdout);
            let errors = support::text::line_diff(&expected.stderr, &actual.stderr);
            assert!(
                expected.stdout == actual.stdout,
                "{name}: - native, + ours\n{outputs}\n{actual}"
            );
            assert!(
                expected.stderr == actual.stderr,
                "{name}: - native, + ours\n{errors}\n{actual}"
            );
            assert!(!expected.stdout.is_empty(), "{name}: it printed nothing\n{expected}");
        }
    }
}

/// The script that generates rows, with its seed.
fn input() -> String {
    let path = support::repository().join("tests/parity/input.sql");
    let script = fs::read_to_string(path).expect("it lies beside the scripts");
    let seed = env::var("PARITY_SEED").unwrap_or_else(|_| "1".to_owned());
    let number: u32 = seed.parse().expect("PARITY_SEED is a number");
    script.replace(":seed", &number.to_string())
}

fn exchange(one: &Path, other: &Path) {
    let third = one.with_extension("third");
    fs::rename(one, &third).expect("the script made a database");
    fs::rename(other, one).expect("this one too");
    fs::rename(third, other).expect("it was just made");
}

/// Runs all scripts whose name begins so, with the component that they name.
fn compare_all(prefix: &str) {
    for script in scripts(prefix) {
        script.compare(&script.extension);
    }
}

fn scripts(prefix: &str) -> Vec<Script> {
    let directory = support::repository().join("tests/parity");
    let mut paths: Vec<_> = fs::read_dir(directory)
        .expect("the directory is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no script begins with `{prefix}`");
    paths.iter().map(|path| Script::read(path)).collect()
}

#[test]
fn vec0_is_sqlite_vec() {
    compare_all("vec0_");
}

#[test]
fn sqlean_is_as_natively() {
    compare_all("sqlean_");
}

#[test]
fn sqlite_s_own_are_as_natively() {
    compare_all("misc_");
}

/// Each line of the list of what is built, whose second word is what it is compared with.
#[test]
fn each_of_sqlite_s_own_has_a_script_with_generated_input() {
    let path = support::repository().join("tests/c-extensions/sqlite-misc.txt");
    let list = fs::read_to_string(path).expect("it lies beside the build script");
    let scripts: Vec<_> = scripts("misc_");
    let listed =
        list.lines().filter(|line| !line.starts_with('#')).filter_map(|l| l.split_once(' '));
    let names: Vec<_> = listed.map(|(name, _)| name).collect();
    for name in &names {
        let script = scripts.iter().find(|script| script.extension == *name);
        let script = script.unwrap_or_else(|| panic!("no script of `{name}`"));
        assert!(script.parts[0].contains("CREATE TABLE input"), "{name}: no generated input");
    }
    assert_eq!(names.len(), scripts.len(), "a script of what is not built");
}

#[test]
fn destructors_run_when_a_connection_is_closed() {
    compare_all("ends");
}

#[test]
fn rust_on_the_c_interface_is_as_natively() {
    compare_all("sqlite_");
}

/// Our own that are not shipped.
#[test]
fn each_that_only_the_catalogue_has_is_as_a_library_of_others() {
    let entries = fs::read_dir(support::repository().join("catalogue")).expect("it is there");
    for entry in entries {
        let name = entry.expect("it can be listed").file_name().into_string().expect("UTF-8");
        compare_all(&name);
    }
}

#[test]
fn each_routine_is_as_natively() {
    compare_all("probes_");
}

#[test]
fn each_routine_is_as_natively_through_the_table() {
    for script in scripts("probes_") {
        script.compare("probes_by_table");
    }
}

/// The C of the probes, without its comments.
fn probes() -> String {
    let directory = support::repository().join("tests/c-extensions/src");
    let files = fs::read_dir(directory).expect("the directory is there");
    let mut text = String::new();
    for path in files.map(|entry| entry.expect("it can be listed").path()) {
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        if name.starts_with("probe") && name.ends_with(".c") {
            text += &fs::read_to_string(path).expect("the probes are UTF-8");
        }
    }
    while let Some((before, rest)) = text.split_once("/*") {
        let (_, after) = rest.split_once("*/").expect("each comment ends");
        text = format!("{before}{after}");
    }
    text
}

fn words(text: &str) -> HashSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect()
}

/// What ROUTINES.md says of each routine, except those that are refused in extensions.
fn offered(document: &str) -> Vec<&str> {
    document
        .lines()
        .filter(|line| line.starts_with("| `sqlite3_"))
        .filter_map(|line| line.strip_prefix("| `")?.trim_end_matches(" |").rsplit_once(" | "))
        .filter(|(_, extension)| !extension.starts_with("refused") && *extension != "–")
        .filter_map(|(rest, _)| rest.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn each_routine_that_is_offered_has_a_probe() {
    let path = support::repository().join("components/shared/wire/c/ROUTINES.md");
    let document = fs::read_to_string(path).expect("it lies beside the client");
    let (offered, probes) = (offered(&document), probes());
    let named = words(&probes);
    let missing: Vec<_> = offered.iter().filter(|routine| !named.contains(**routine)).collect();
    assert!(missing.is_empty(), "no probe calls {missing:?}");
    assert!(offered.len() > 150, "ROUTINES.md is not what it was: {offered:?}");
}

#[test]
fn each_probe_is_called_by_a_script() {
    let probes = probes().replace("\\\"", "");
    // The names that SQL knows them by are texts: each second part.
    let texts = probes.split('"').skip(1).step_by(2);
    let names = texts.filter(|text| text.starts_with("p_") && words(text).len() == 1);
    let scripts: String = scripts("probes_").iter().map(|script| script.parts.concat()).collect();
    let called = words(&scripts);
    let missing: Vec<_> = names.filter(|name| !called.contains(name)).collect();
    assert!(missing.is_empty(), "no script calls {missing:?}");
}

#[test]
fn what_is_repeated_is_as_natively() {
    compare_all("habits");
}

#[test]
fn a_missing_routine_is_named_when_the_extension_is_loaded() {
    let directory = Directory::fresh("absent");
    let components = sources().join("wasm");
    let args = ["--extension-dir", components.to_str().expect("UTF-8"), ":memory:", ".load absent"];
    let run = support::ours(&directory.path(), &args);
    run.complains("sqlite3_backup_init: extensions are not offered this function of SQLite");
}

/// What cannot be as natively: files have no permissions.
#[test]
fn permissions_that_cannot_be_set_are_an_error() {
    let directory = Directory::fresh("permissions");
    let components = sources().join("wasm");
    let args = [
        "--extension-dir",
        components.to_str().expect("UTF-8"),
        "--grant",
        "sqlean_fileio=dir:.",
        "--load",
        "sqlean_fileio",
        ":memory:",
        "SELECT fileio_write('open', 'x', 438), fileio_write('closed', 'x', 384)",
    ];
    support::ours(&directory.path(), &args).complains("failed to write file: closed");
}
