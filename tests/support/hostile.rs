//! A component that tries to leave the sandbox: what SQLite's shell would never
//! ask of WASI, another program may.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::{Input, Outcome};

/// The component, compiled for this machine.
pub fn component() -> &'static str {
    &both().1
}

/// The component before it is compiled: small, so that this takes no time.
pub fn portable() -> &'static str {
    &both().0
}

/// Builds and compiles `hostile_guest.rs`, once for all tests of a file.
fn both() -> &'static (String, String) {
    static BOTH: OnceLock<(String, String)> = OnceLock::new();
    BOTH.get_or_init(|| {
        let source = super::repository().join("tests/support/hostile_guest.rs");
        prepared("hostile", |directory| build_guest(&source, &directory.join("hostile.wasm")))
    })
}

/// The paths of `NAME.wasm`, which `build` makes in a directory, and of the same
/// compiled: what a first use of a `.wasm` does is tested elsewhere.
pub fn prepared(name: &str, build: impl Fn(&Path) -> Outcome) -> (String, String) {
    let target = super::temporary();
    let directory = tempfile::tempdir_in(&target).expect("the target directory is writable");
    let (portable, compiled) = (format!("{name}.wasm"), format!("{name}.cwasm"));
    build(directory.path()).exits_with(0);
    super::ours(directory.path(), &["precompile", &portable]).exits_with(0);
    let ready = |name: &str| {
        let path = target.join(name);
        fs::rename(directory.path().join(name), &path).expect("both are ours");
        path.into_os_string().into_string().expect("the path is UTF-8")
    };
    (ready(&portable), ready(&compiled))
}

/// Builds the guest `source`, with the interfaces in the `.wit` next to it.
pub fn build_guest(source: &Path, output: &Path) -> Outcome {
    let interfaces = source.with_extension("wit");
    // The toolchain that builds these tests has the target: the CLI needs it.
    let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
    rustc
        .args(["--edition=2024", "-O", "-Cstrip=symbols", "--target=wasm32-wasip2"])
        .arg(source)
        .arg(format!("-Clink-arg=--component-type={}", interfaces.display()))
        .arg("-o")
        .arg(output);
    super::finish(rustc, &Input::Nothing)
}
