//! Running a program under strace: to see its system calls, or to let one of
//! them fail. The program is the one that is handed out, unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Input, Outcome};

/// A run under strace.
pub struct Traced {
    /// What came of the program.
    pub run: Outcome,
    /// Its system calls, one a line, each with the process id first.
    pub calls: Vec<String>,
}

/// Runs `program` in `directory` with `options` for strace.
pub fn run(
    options: &[String],
    program: &Path,
    args: &[impl AsRef<str>],
    directory: &Path,
    input: &Input,
) -> Traced {
    let calls = directory.with_extension("calls");
    let mut words = ["-f", "--quiet=all", "-o"].map(str::to_owned).to_vec();
    words.push(calls.display().to_string());
    words.extend_from_slice(options);
    words.push(program.display().to_string());
    words.extend(args.iter().map(|word| word.as_ref().to_owned()));
    let command = super::command(strace(), &words, directory);
    let run = super::finish(command, input);
    let text = fs::read(&calls).unwrap_or_else(|_| panic!("strace has traced nothing\n{run}"));
    let calls = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
    Traced { run, calls }
}

fn strace() -> &'static Path {
    let path = Path::new("/usr/bin/strace");
    assert!(path.exists(), "strace is missing; `make setup` installs it");
    path
}

/// Options that limit strace to databases and the files that SQLite keeps with them.
pub fn only(databases: &[&str], directory: &Path) -> Vec<String> {
    let names = databases.iter().flat_map(|database| {
        ["", "-journal", "-wal", "-shm"].map(|end| PathBuf::from(format!("{database}{end}")))
    });
    names
        .flat_map(|name| [directory.join(&name), name])
        .chain([directory.to_owned()])
        .flat_map(|path| ["-P".to_owned(), path.display().to_string()])
        .collect()
}
