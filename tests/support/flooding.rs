//! A component that makes the host keep, print and forget more than it should.

use std::sync::OnceLock;

/// The component, compiled for this machine.
pub fn component() -> &'static str {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = super::temporary();
        let directory = tempfile::tempdir_in(&target).expect("the target directory is writable");
        let source = super::repository().join("tests/support/flooding_guest.rs");
        super::hostile::build_guest(&source, &directory.path().join("flooding.wasm")).exits_with(0);
        super::ours(directory.path(), &["precompile", "flooding.wasm"]).exits_with(0);
        // A file of this process's own: several test programs may build it.
        let path = target.join(format!("flooding-{}.cwasm", std::process::id()));
        std::fs::rename(directory.path().join("flooding.cwasm"), &path).expect("both are ours");
        path.into_os_string().into_string().expect("the path is UTF-8")
    })
}
