//! An author who publishes extensions in a directory, and users who install them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{self, Directory, Input, Outcome};

/// An author with a key and a directory that is a source, and the first user.
pub struct Publisher {
    directory: Directory,
    key: Key,
}

impl Publisher {
    /// With nothing published yet.
    pub fn fresh(name: &str) -> Self {
        let directory = Directory::fresh(name);
        fs::create_dir(directory.path().join("source")).expect("the directory is ours");
        let key = Key::fresh(&directory.path(), "key");
        Self { directory, key }
    }

    /// With `shout` 1.0.0, which the user has not installed.
    pub fn of_shout(name: &str) -> Self {
        let publisher = Self::fresh(name);
        publisher.publish("shout", "1.0.0", "");
        publisher
    }

    /// The directory that is the source.
    pub fn source(&self) -> PathBuf {
        self.directory.path().join("source")
    }

    /// A file of the source.
    pub fn file(&self, name: &str) -> PathBuf {
        self.source().join(name)
    }

    /// The letters of the public key.
    pub fn key(&self) -> String {
        self.key.letters()
    }

    /// Build a script that registers NAME(), which returns the version.
    pub fn build(&self, name: &str, version: &str, more: &str) -> PathBuf {
        let path = self.directory.path();
        let script = format!(
            "export default extension({{ name: '{name}', version: '{version}', description: 'of tests', \
             {more} functions: {{ {name}: () => '{name} {version}' }} }});"
        );
        fs::write(path.join(format!("{name}.js")), script).expect("the directory is ours");
        let file = format!("{name}-{version}.wasm");
        let build = ["extension", "build", &format!("{name}.js"), "-o", &file];
        support::ours(&path, &build).exits_with(0).keeps_quiet();
        path.join(file)
    }

    /// Build a script, add it to the index, and sign that.
    pub fn publish(&self, name: &str, version: &str, more: &str) {
        let file = self.build(name, version, more);
        self.add(&file).exits_with(0).keeps_quiet();
        self.sign();
    }

    /// Add a file to the index.
    pub fn add(&self, file: &Path) -> Outcome {
        let file = file.to_str().expect("a path in UTF-8");
        let about = ["--license", "MIT", "--source", "https://example.org/shout"];
        support::ours(
            &self.directory.path(),
            &[&["extension", "index", "source", file], &about[..]].concat(),
        )
    }

    /// Sign the index.
    pub fn sign(&self) {
        self.sign_with(&self.key);
    }

    /// Sign the index with this key.
    pub fn sign_with(&self, key: &Key) {
        let index = self.file("index.json");
        minisign(&[&key.0, &index]);
    }

    /// Another key.
    pub fn other_key(&self) -> Key {
        Key::fresh(&self.directory.path(), "other-key")
    }

    /// Change the index, and sign it.
    pub fn change(&self, change: impl FnOnce(&mut Value)) {
        let path = self.file("index.json");
        let text = fs::read(&path).expect("the index is there");
        let mut index = serde_json::from_slice(&text).expect("an index is JSON");
        change(&mut index);
        fs::write(&path, index.to_string()).expect("the directory is ours");
        self.sign();
    }

    /// The user who works in the directory of the author, and has added the source.
    pub fn user(&self) -> User {
        self.user_named("user", self.source().to_str().expect("a path in UTF-8"), &[])
    }

    /// A user who has added the source at this URL.
    pub fn user_named(&self, name: &str, url: &str, options: &[&str]) -> User {
        let home = self.directory.path().join(name);
        fs::create_dir_all(&home).expect("the directory is ours");
        let user = User { home };
        let key = self.key();
        let add = ["source", "add", "here", url, "--key", &key];
        user.extension(&[&add, options].concat()).exits_with(0).keeps_quiet();
        user
    }
}

/// A key of minisign, by the path of its secret half.
pub struct Key(PathBuf);

impl Key {
    fn fresh(directory: &Path, name: &str) -> Self {
        let path = directory.join(name);
        minisign(&[&path]);
        Self(path)
    }

    /// The letters of its public half.
    pub fn letters(&self) -> String {
        let text = fs::read_to_string(self.0.with_added_extension("pub")).expect("it was made");
        text.lines().last().expect("it has two lines").to_owned()
    }
}

fn minisign(words: &[&Path]) {
    let program = std::env::current_exe().expect("a test has a path");
    let directory = program.ancestors().nth(2).expect("it is in `deps`");
    let path = directory.join("examples/minisign");
    let path = support::existing(path, "`tooling/host test catalogue` builds it");
    let words: Vec<_> = words.iter().map(|word| word.to_str().expect("a path in UTF-8")).collect();
    support::run(&path, &words, directory, &Input::Nothing).exits_with(0);
}

/// A user, with a home directory.
pub struct User {
    home: PathBuf,
}

impl User {
    /// Where the user works.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Run `extension` with these words.
    pub fn extension(&self, words: &[&str]) -> Outcome {
        support::ours(&self.home, &[&["extension"], words].concat())
    }

    /// Install without a prompt.
    pub fn installs(&self, name: &str) -> Outcome {
        self.extension(&["install", "--yes", name])
    }

    /// Run SQL by the shell.
    pub fn sql(&self, lines: &str) -> Outcome {
        support::run(
            &support::our_binary(),
            &[":memory:"],
            &self.home,
            &Input::Bytes(lines.as_bytes()),
        )
    }

    /// The path of an installed extension.
    pub fn installed(&self, name: &str) -> PathBuf {
        self.home.join(".local/share/sqlite-wasm-run/extensions").join(format!("{name}.wasm"))
    }

    /// All files of the user's data. (The settings remember the serial of each index with a true signature.)
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.home.join(".local/share")];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten() {
                let path = entry.expect("a directory can be read").path();
                if path.is_dir() {
                    left.push(path);
                } else {
                    found.insert(path.clone(), fs::read(path).expect("a file can be read"));
                }
            }
        }
        found
    }

    /// Fails unless these words end with one line of error that has `why` in it, and nothing is
    /// written.
    #[track_caller]
    pub fn is_refused(&self, words: &[&str], why: &str) {
        let before = self.files();
        let run = self.extension(words);
        assert_ne!(run.end, support::End::Exited(0), "it was not refused\n{run}");
        let err = run.err();
        assert!(err.starts_with("error: ") && err.lines().count() == 1, "no line of error\n{run}");
        assert!(err.contains(why), "{why:?} was expected\n{run}");
        assert!(self.files() == before, "something was written\n{run}");
    }
}
