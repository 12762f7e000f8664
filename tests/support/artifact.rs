//! A file that is to be run as a component, and how it is refused.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{Directory, Outcome, hostile};

/// The smallest component: nothing in it.
pub const EMPTY_COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// The smallest core module.
pub const EMPTY_MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// Nothing is remembered of files that are younger than this.
pub const SETTLING: Duration = Duration::from_millis(150);

/// A directory with one artifact in it.
pub struct Artifact {
    /// Where it lies.
    pub directory: Directory,
    /// What it is called there.
    pub name: &'static str,
}

impl Artifact {
    /// Makes one with this content.
    pub fn new(name: &'static str, content: &[u8]) -> Self {
        let artifact = Self { directory: Directory::fresh("artifact"), name };
        fs::write(artifact.path(), content).expect("the directory is ours");
        artifact
    }

    /// One that would be run, but for what is done to it.
    pub fn good() -> Self {
        Self::new("good.cwasm", &good())
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(self.name)
    }

    /// Runs it, as if it were the shell.
    pub fn run(&self, options: &[&str]) -> Outcome {
        let args = [options, &[self.name, ":memory:", "SELECT 1"]].concat();
        super::ours(&self.directory.path(), &args)
    }

    /// Runs it with an empty cache, or with what an earlier run has kept.
    pub fn run_cached(&self) -> Outcome {
        let args = [self.name, ":memory:", "SELECT 1"];
        let mut command = super::command(&super::our_binary(), &args, &self.directory.path());
        command.env("XDG_CACHE_HOME", self.directory.path().join("cache"));
        super::finish(command, &super::Input::Nothing)
    }

    /// Fails unless it is refused in one clear line, which has the words `why`
    /// in it, with and without a cache.
    #[track_caller]
    pub fn is_refused(&self, why: &str) {
        refused(self.run(&["--no-cache"]), self.name, why);
        refused(self.run_cached(), self.name, why);
    }
}

/// A precompiled component.
pub fn good() -> Vec<u8> {
    fs::read(hostile::component()).expect("it was just made")
}

/// A feature of processors, as the compiler writes it into its code: one for each kind.
const FEATURES: [&[u8]; 2] = [b"has_popcnt", b"has_lse"];

/// Changes code, without its seal, to need a feature that no processor has.
pub fn need_more_of_processor(code: &mut [u8]) {
    let place = |name: &&[u8]| {
        let start = code.windows(name.len()).position(|window| window == *name)?;
        Some(start + name.len())
    };
    let end = FEATURES.iter().find_map(place).expect("the compiler writes what it uses");
    code[end - 1] = b'!';
    // After its name: that it is a flag, and whether it is used.
    assert_eq!(code[end], 2);
    code[end + 1] = 1;
}

/// Fails unless the run ended with one line that names the file and says why it
/// was refused.
#[track_caller]
pub fn refused(run: Outcome, name: &str, why: &str) {
    let run = run.exits_with(121).prints("");
    let err = run.err();
    assert_eq!(err.lines().count(), 1, "one line was expected\n{run}");
    assert!(err.starts_with("error: "), "no error\n{run}");
    assert!(err.contains(&format!("`{name}`")), "the file is not named\n{run}");
    assert!(err.contains(why), "{why:?} was expected\n{run}");
}
