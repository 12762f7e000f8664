//! Grants that were given to one extension, taken by another of the same name.

use std::fs;
use std::path::PathBuf;

use crate::script;
use crate::support::composed::Composed;
use crate::support::guest::guest;
use crate::support::{Directory, Outcome};

const SECRET: &str = "known-to-nobody";

/// A directory with an extension under the name of another one, which is granted
/// the directory `outside` and a variable.
struct Thief {
    directory: Directory,
}

impl Thief {
    fn fresh() -> Self {
        let thief = Self { directory: Directory::fresh("thief") };
        for directory in ["inside", "outside"] {
            fs::create_dir(thief.path(directory)).expect("the directory is ours");
        }
        fs::write(thief.path("outside/secret"), SECRET).expect("the directory is ours");
        fs::copy(guest("malicious"), thief.path("inside/csv.wasm")).expect("the directory is ours");
        fs::copy(guest("querying"), thief.path("inside/define.wasm"))
            .expect("the directory is ours");
        thief
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a script in `inside`, where `csv` is granted what is outside.
    fn run(&self, options: &[&str], sql: &str) -> Outcome {
        let grant = format!("csv=dir:{}:ro,env:TOKEN", self.path("outside").display());
        let options = [options, &["--grant", &grant, "--grant", "define=sql"]].concat();
        script(&self.path("inside"), &options, &[("TOKEN", SECRET)], sql)
    }

    /// A use of both grants.
    fn uses(&self) -> String {
        let secret = self.path("outside/secret");
        format!(
            "SELECT malicious('read {}');\nSELECT malicious('environment');\n",
            secret.display()
        )
    }
}

/// By a path that SQL chose, however it is written.
#[test]
fn a_path_that_sql_chose_gets_no_grant_by_its_name() {
    let thief = Thief::fresh();
    let here = thief.path("inside").display().to_string();
    let loads = [
        ".load ./csv".to_owned(),
        ".load ./csv.wasm".into(),
        format!(".load {here}/csv"),
        "SELECT load_extension('./csv');".into(),
        "SELECT load_extension('../inside/csv.wasm');".into(),
    ];
    for load in loads {
        let run = thief.run(&[], &format!("{load}\n{}", thief.uses()));
        assert!(!run.out().contains("1 bytes"), "the granted directory was read\n{run}");
        assert!(!run.out().contains("1 variables"), "the granted variable was seen\n{run}");
        let needs_sql = load.replace("csv", "define");
        let run = thief.run(&[], &format!("{needs_sql}\nSELECT sql00_run('SELECT 7') || '!';\n"));
        assert!(!run.out().contains("7!"), "the granted SQL was run\n{run}");
    }
}

/// A second load, by the path of what was loaded by its name, is the same
/// extension; another file of that name is not.
#[test]
fn a_loaded_extension_lends_its_grants_to_no_other() {
    let thief = Thief::fresh();
    let sql = format!(".load csv\n.load ./csv\n{}", thief.uses());
    let run = thief.run(&[], &sql);
    assert!(!run.out().contains("1 bytes"), "the granted directory was read\n{run}");
}

#[test]
fn a_path_on_the_command_line_gets_the_grants_of_its_name() {
    let thief = Thief::fresh();
    let run = thief.run(&["--load", "./csv.wasm"], &thief.uses());
    run.keeps_quiet().prints("1 bytes\n1 variables, 0 arguments, in `/`\n");
    let run = thief.run(&["--load", "./define.wasm"], "SELECT sql00_run('SELECT 7');\n");
    run.keeps_quiet().prints("7\n");
}

#[test]
fn a_name_in_an_extension_directory_gets_its_grants() {
    let thief = Thief::fresh();
    let here = thief.path("inside").display().to_string();
    let sql = format!(".load csv\n{}", thief.uses());
    let run = thief.run(&["--extension-dir", &here], &sql);
    run.keeps_quiet().prints("1 bytes\n1 variables, 0 arguments, in `/`\n");
}

/// SQL writes a file that is called like a shipped extension into the working
/// directory, without an ending; the user composes the shipped one.
#[test]
fn a_file_of_the_working_directory_is_not_composed_by_a_bare_name() {
    let thief = Thief::fresh();
    let here = thief.path("inside");
    fs::copy(guest("querying"), here.join("stats")).expect("the directory is ours");
    let extensions = crate::support::repository().join("target/release/extensions");
    let extensions = extensions.to_str().expect("a path in UTF-8");
    let compose = |name: &str| {
        let args = ["compose", "--force", "--extension-dir", extensions, "--embed", name];
        crate::support::ours(&here, &args)
    };
    let shipped = compose("stats");
    assert!(shipped.out().starts_with("stats "), "{shipped}");
    fs::rename(here.join("stats"), here.join("stats.wasm")).expect("the directory is ours");
    let named = compose("./stats.wasm");
    assert!(named.out().starts_with("sql00 "), "{named}");
}

/// A composed file comes from anywhere: the name of a file that it records is
/// a claim.
#[test]
fn a_composed_file_gets_no_grant_by_a_recorded_file_name() {
    let thief = Thief::fresh();
    let define = thief.path("inside/define.wasm").display().to_string();
    let composed = Composed::with("recorded", &[&define]);
    let uses = [":memory:", "SELECT sql00_run('SELECT 7') || '!'"];
    for file in ["composed.cwasm", "composed.wasm"] {
        let run = |grant: &str| {
            let args = ["--grant", grant, file, uses[0], uses[1]];
            crate::support::ours(&composed.directory(), &args)
        };
        let stolen = run("define=sql");
        assert!(!stolen.out().contains("7!"), "the granted SQL was run\n{stolen}");
        run("sql00=sql").keeps_quiet().prints("7!\n");
    }
}
