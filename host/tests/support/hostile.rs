//! A component that tries to leave the sandbox: what SQLite's shell would never
//! ask of WASI, another program may.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{Input, Outcome};

/// Builds `hostile_guest.rs`, once for all tests of a file.
pub fn component() -> &'static Path {
    static COMPONENT: OnceLock<PathBuf> = OnceLock::new();
    COMPONENT.get_or_init(|| {
        let name = format!("hostile-{}.wasm", std::process::id());
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        build(&output).exits_with(0);
        output
    })
}

fn build(output: &Path) -> Outcome {
    let source = super::repository().join("host/tests/support/hostile_guest.rs");
    // The toolchain that builds these tests has the target: the CLI needs it.
    let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
    rustc
        .args(["--edition=2024", "-O", "-Cstrip=symbols", "--target=wasm32-wasip2"])
        .arg(source)
        .arg("-o")
        .arg(output);
    super::finish(rustc, &Input::Nothing)
}
