//! `native-code COMPONENT.wasm IMAGE [--timed]`: make LLVM's machine code of the component's first core module, with
//! `--timed` code that can be interrupted.
//!
//! `CLANG_22` names LLVM's compiler if it is not `clang-22`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use sqlite_wasm_native::image::Function;

fn main() -> Result<()> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (component, path, is_timed) = match &words[..] {
        [component, path] => (component, path, false),
        [component, path, option] if option.as_os_str() == "--timed" => (component, path, true),
        _ => bail!("usage: native-code COMPONENT.wasm IMAGE [--timed]"),
    };
    let read = || format!("failed to read `{}`", component.display());
    let made = native_code::of_component(&std::fs::read(component).with_context(read)?, is_timed)?;
    for (index, reason) in &made.kept {
        eprintln!("native-code: function {index} stays with wasmtime's compiler: {reason}");
    }
    let functions = &made.image.functions;
    let entries = functions.iter().filter(|it| matches!(it, Function::Entry(_))).count();
    eprintln!(
        "native-code: {} of {} functions, {entries} entries, {} traps, {} bytes, the largest frame {}",
        functions.len() - made.kept.len(),
        functions.len(),
        made.image.traps.len(),
        made.image.code.len(),
        made.frame
    );
    let written = std::fs::write(path, made.image.encode());
    written.with_context(|| format!("failed to write `{}`", path.display()))
}
