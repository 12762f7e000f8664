//! The CLI with extensions in it.

use std::fs;
use std::path::PathBuf;

use super::{Directory, Input, Outcome};

/// Extensions, each by its name or the path of its file.
pub type Extensions<'a> = &'a [&'a str];

/// A composed CLI in a new directory.
pub struct Composed {
    directory: Directory,
}

impl Composed {
    /// With these extensions, compiled; the directory's path ends with `name`.
    pub fn with(name: &str, extensions: Extensions) -> Self {
        let composed = Self { directory: Directory::fresh(name) };
        let cli = super::portable_component();
        composed.compose(&["--cli", cli.to_str().expect("a path in UTF-8")], extensions);
        composed
    }

    /// The same with more of them.
    pub fn again(self, extensions: Extensions) -> Self {
        fs::rename(self.portable(), self.directory().join("before.wasm")).expect("it is ours");
        self.compose(&["--force", "--cli", "before.wasm"], extensions);
        self
    }

    fn compose(&self, options: &[&str], extensions: Extensions) {
        let embed = extensions.join(",");
        let args = [&["compose", "--precompile", "--embed", &embed], options].concat();
        let outcome = super::ours(&self.directory(), &args).exits_with(0);
        // The one function that two extensions have, with the same meaning.
        let twice = "warning: `vec_f32/1` of `vec0` replaces that of `ann`\n";
        let complaint = outcome.err().replace(twice, "");
        assert_eq!(complaint, "", "{outcome}");
    }

    pub fn directory(&self) -> PathBuf {
        self.directory.path()
    }

    /// The `.wasm`.
    pub fn portable(&self) -> PathBuf {
        self.directory().join("composed.wasm")
    }

    /// The `.cwasm`.
    pub fn compiled(&self) -> PathBuf {
        self.directory().join("composed.cwasm")
    }

    /// Run its compiled form.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.run_script(args, "")
    }

    /// Run its compiled form on a script.
    pub fn run_script(&self, args: &[&str], script: &str) -> Outcome {
        self.run_with(&[], args, script)
    }

    /// The same with options of the runner.
    pub fn run_with(&self, options: &[&str], args: &[&str], script: &str) -> Outcome {
        let args = [options, &["composed.cwasm"], args].concat();
        super::run(&super::our_binary(), &args, &self.directory(), &Input::Bytes(script.as_bytes()))
    }
}

/// The path of the shipped extension `name`.
pub fn shipped(name: &str) -> PathBuf {
    let path = format!("target/release/extensions/{name}.wasm");
    super::existing(super::repository().join(path), "`make build` makes it")
}
