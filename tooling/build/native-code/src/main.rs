//! Makes LLVM's machine code of a component's first core module, and the profile for it.
//!
//! - `native-code [--no-profile | --timed] COMPONENT.wasm IMAGE`: make the code, by default with the profile
//!   of the shell (`branches.txt`), and with `--timed` such that it can be interrupted. `CLANG_22` names LLVM's compiler if it is not `clang-22`.
//! - `native-code count COMPONENT.wasm COUNTING.wasm`: make the component that counts its branches.
//! - `native-code profile COMPONENT.wasm OUTPUT...`: print the profile by the standard errors of its runs.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use native_code::profile::Profile;
use sqlite_wasm_native::image::Function;

const USAGE: &str = "usage: native-code [--no-profile | --timed] COMPONENT.wasm IMAGE\n       \
    native-code count COMPONENT.wasm COUNTING.wasm\n       \
    native-code profile COMPONENT.wasm OUTPUT...";

fn main() -> Result<()> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&Path> = words.iter().map(Path::new).collect();
    match words[..] {
        [word, component, path] if word == Path::new("--no-profile") => {
            image(component, path, &Profile::default(), false)
        }
        [word, component, path] if word == Path::new("--timed") => {
            image(component, path, &Profile::of_shell()?, true)
        }
        [word, component, path] if word == Path::new("count") => {
            write(path, &native_code::counting_component(&read(component)?)?)
        }
        [word, component, ref outputs @ ..]
            if word == Path::new("profile") && !outputs.is_empty() =>
        {
            profile(component, outputs)
        }
        [component, path] => image(component, path, &Profile::of_shell()?, false),
        _ => bail!(USAGE),
    }
}

fn image(component: &Path, path: &Path, profile: &Profile, is_timed: bool) -> Result<()> {
    let made = native_code::of_component(&read(component)?, profile, is_timed)?;
    for (index, reason) in &made.kept {
        eprintln!("native-code: function {index} stays with wasmtime's compiler: {reason}");
    }
    let (functions, profiled) = (&made.image.functions, made.profiled);
    let entries = functions.iter().filter(|it| matches!(it, Function::Entry(_))).count();
    eprintln!(
        "native-code: {} of {} functions, {entries} entries, {} traps, {} bytes, the largest frame {}",
        functions.len() - made.kept.len(),
        functions.len(),
        made.image.traps.len(),
        made.image.code.len(),
        made.frame
    );
    eprintln!(
        "native-code: {} functions have counts; those of {} are stale and not used",
        profiled.counted, profiled.stale
    );
    eprintln!(
        "native-code: {} of the {} functions that run in the profile are proved; {} names in unproved.txt are \
         of no function here",
        profiled.called - profiled.unproved,
        profiled.called,
        made.unproved.stale
    );
    write(path, &made.image.encode()?)
}

fn profile(component: &Path, outputs: &[&Path]) -> Result<()> {
    let outputs = outputs.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let (profile, missing) = native_code::gathered(&read(component)?, &outputs)?;
    eprintln!("native-code: {} runs, of which {missing} have no counts", outputs.len());
    let written = std::io::stdout().write_all(profile.to_string().as_bytes());
    written.context("failed to print the profile")
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("failed to read `{}`", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("failed to write `{}`", path.display()))
}
