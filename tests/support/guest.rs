//! The extensions of `tests/guests`, and scripts that use them.

use std::path::PathBuf;

use super::{Directory, Input, Outcome};

/// The component of a guest.
pub fn guest(name: &str) -> PathBuf {
    let path = format!("target/release/guests/{name}.wasm");
    super::existing(super::repository().join(path), "`make guests` builds it")
}

/// A component in which another name stands for `old`, which is as long.
pub fn renamed(content: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len(), "nothing else moves");
    let mut content = content.to_vec();
    let places: Vec<_> = (0..content.len() - old.len())
        .filter(|place| content[*place..].starts_with(old.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "`{old}` is in it");
    for place in places {
        content[place..place + new.len()].copy_from_slice(new.as_bytes());
    }
    content
}

/// A database with an extension loaded.
pub struct Loaded {
    directory: Directory,
    options: Vec<String>,
    extension: &'static str,
}

impl Loaded {
    /// With the guest `extension`; the directory's path ends with `name`.
    pub fn guest(extension: &'static str, name: &str) -> Self {
        let directory = guest(extension);
        let directory = directory.parent().expect("it lies in a directory").display().to_string();
        let options =
            ["--extension-dir", &directory, "--load", extension].map(String::from).to_vec();
        Self { directory: Directory::fresh(name), options, extension }
    }

    /// With further options of the runner.
    pub fn with(mut self, options: &[&str]) -> Self {
        self.options.extend(options.iter().map(|&option| option.into()));
        self
    }

    /// Where it runs.
    pub fn directory(&self) -> PathBuf {
        self.directory.path()
    }

    /// Runs a script on `test.db`, to its end also after errors. Its lines may
    /// be indented.
    pub fn run(&self, script: &str) -> Outcome {
        let script: String = script.lines().flat_map(|line| [line.trim_start(), "\n"]).collect();
        let args: Vec<&str> = self.options.iter().map(String::as_str).chain(["test.db"]).collect();
        let input = Input::Bytes(script.as_bytes());
        super::run(&super::our_binary(), &args, &self.directory.path(), &input)
    }

    /// Fails unless the script prints this, one line for each row, and nothing
    /// else goes wrong.
    #[track_caller]
    pub fn answers(&self, script: &str, lines: &[&str]) {
        let run = self.run(script).keeps_quiet();
        assert_eq!(run.out().lines().collect::<Vec<_>>(), lines, "{}: {run}", self.extension);
    }

    /// Fails unless the script ends with this failure, of one line; returns
    /// what it printed.
    #[track_caller]
    pub fn fails(&self, script: &str, failure: &str) -> String {
        let run = self.run(script);
        let errors = run.err().lines().filter(|line| line.contains(" error near ")).count();
        assert!(errors == 1 && run.err().contains(failure), "`{failure}` was expected: {run}");
        run.out().into_owned()
    }
}
