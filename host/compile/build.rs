//! Embeds the images of LLVM's code that the build has made (`tooling/build/native`): none, if it
//! made none.

use std::fmt::Write;
use std::path::Path;

/// The directory of the images.
const DIRECTORY: &str = "SQLITE_WASM_NATIVE_IMAGES";

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-env-changed={DIRECTORY}");
    let mut list = String::from("[\n");
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        println!("cargo:rerun-if-changed={}", Path::new(&directory).display());
        add(Path::new(&directory), &mut list)?;
    }
    list.push(']');
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("images.rs"), list)
}

/// Each image with its hash, in the order of their names.
fn add(directory: &Path, list: &mut String) -> std::io::Result<()> {
    let Ok(entries) = directory.read_dir() else { return Ok(()) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "image"));
    paths.sort();
    for path in paths {
        println!("cargo:rerun-if-changed={}", path.display());
        let hash = blake3::hash(&std::fs::read(&path)?);
        let _ = writeln!(list, "    (include_bytes!({path:?}), {:?}),", hash.as_bytes());
    }
    Ok(())
}
