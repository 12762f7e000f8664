//! Where Cargo keeps the source of a crate, fetched if need be.
//!
//! SQLite and some extensions come as sources of crates that are not
//! dependencies themselves: several crates claim `links = "sqlite3"`, and only
//! one of them can be in a lock file. Each such source is pinned by its own
//! manifest and lock file, which are fetched and never built.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The directory of crate `name`, as the lock file of `manifest` pins it.
///
/// # Panics
///
/// If Cargo cannot fetch it, or the lock file does not name it.
pub fn directory(name: &str, manifest: &str) -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest])
        .output()
        .unwrap_or_else(|error| panic!("cannot start cargo: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo cannot fetch `{name}` for `{manifest}`:\n{errors}");
    let metadata = String::from_utf8_lossy(&output.stdout);
    let path = manifest_of(name, &metadata)
        .unwrap_or_else(|| panic!("`{manifest}` names no crate `{name}`"));
    PathBuf::from(path).parent().expect("a manifest is in a directory").to_path_buf()
}

/// The path of a package's manifest in the output of `cargo metadata`. Quotes in
/// its texts are escaped there, so these can only be its fields.
fn manifest_of<'a>(name: &str, metadata: &'a str) -> Option<&'a str> {
    let start = format!("{{\"name\":\"{name}\",\"version\":");
    let (_, package) = metadata.split_once(&start)?;
    let (_, path) = package.split_once("\"manifest_path\":\"")?;
    Some(path.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::manifest_of;

    #[test]
    fn a_package_is_found_and_not_a_dependency_of_its_name() {
        let metadata = r#"{"packages":[
            {"name":"a","version":"1.0.0","dependencies":[{"name":"b","source":null}],
             "manifest_path":"/a/Cargo.toml"},
            {"name":"b","version":"2.0.0","dependencies":[],"manifest_path":"/b/Cargo.toml"}]}"#;
        assert_eq!(manifest_of("a", metadata), Some("/a/Cargo.toml"));
        assert_eq!(manifest_of("b", metadata), Some("/b/Cargo.toml"));
        assert_eq!(manifest_of("c", metadata), None);
    }
}
