//! A directory that is granted, and directories next to it that are not.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Directory, End, Outcome};

/// What the files outside hold; nobody may ever see it.
pub const SECRET: &str = "text-of-outside";

/// The directories `inside`, with a directory `inner` in it, and `outside` and
/// `inside-not` next to it, which hold the secret.
pub struct Place {
    directory: Directory,
    before: Contents,
}

impl Place {
    /// Makes the directories.
    pub fn fresh(name: &str) -> Self {
        let directory = Directory::fresh(name);
        let mut place = Self { directory, before: Contents::new() };
        fs::create_dir_all(place.path("inside/inner")).expect("the directory is ours");
        for outside in ["outside", "inside-not"] {
            place.fill(outside);
        }
        place.before = place.outside_now();
        place
    }

    /// The path of the entry `name`, next to the directories.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// That path as text.
    pub fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Makes a script, a database and a zip archive, each with the secret in
    /// it.
    pub fn fill(&self, directory: &str) {
        let directory = self.path(directory);
        fs::create_dir_all(&directory).expect("the directory is ours");
        fs::write(directory.join("secret.sql"), format!(".print {SECRET}\n"))
            .expect("the directory is ours");
        let table = format!("CREATE TABLE t(a); INSERT INTO t VALUES ('{SECRET}');");
        super::natively(&directory, &["secret.db", &table]).exits_with(0);
        let archive = format!(
            "CREATE VIRTUAL TABLE temp.z USING zipfile('secret.zip');
             INSERT INTO z(name, data, method) VALUES ('a', '{SECRET}', 0);"
        );
        super::natively(&directory, &[":memory:", &archive]).exits_with(0);
    }

    /// Runs our program in `inside`.
    pub fn run(&self, args: &[&str]) -> Outcome {
        super::ours(&self.path("inside"), args)
    }

    fn outside_now(&self) -> Contents {
        let mut contents = Contents::new();
        look(&self.path("outside"), &mut contents);
        look(&self.path("inside-not"), &mut contents);
        contents
    }

    /// Fails if a run saw the secret or trapped, or if anything outside is
    /// not what it was.
    #[track_caller]
    pub fn is_closed_to(&self, attempts: &[Outcome]) {
        assert!(!attempts.is_empty(), "nothing was attempted");
        let escaped = |run: &&Outcome| run.out().contains(SECRET) || run.err().contains(SECRET);
        fail_for(attempts.iter().filter(escaped), "saw the secret");
        let broke = |run: &&Outcome| !matches!(run.end, End::Exited(0..=99));
        fail_for(attempts.iter().filter(broke), "trapped");
        assert_eq!(self.outside_now(), self.before, "something outside has changed");
    }
}

/// Path, mode, time of change and content of files and directories.
type Contents = BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>;

fn look(path: &Path, contents: &mut Contents) {
    let metadata = fs::symlink_metadata(path).expect("it was just listed");
    let bytes = fs::read(path).unwrap_or_default();
    let (mode, time) = (metadata.mode(), metadata.mtime());
    contents.insert(path.into(), (mode, time, metadata.mtime_nsec(), bytes));
    for entry in fs::read_dir(path).into_iter().flatten() {
        look(&entry.expect("it is ours").path(), contents);
    }
}

/// Fails with the report of each run, if there is any.
#[track_caller]
pub fn fail_for<'a>(runs: impl Iterator<Item = &'a Outcome>, what: &str) {
    let reports: Vec<String> = runs.map(Outcome::to_string).collect();
    let count = reports.len();
    assert!(reports.is_empty(), "{count} runs {what}\n{}", reports.join("\n\n"));
}
