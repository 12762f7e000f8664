//! A script as an extension: a component of custom sections alone. One has the name and version of
//! the engine that runs the script, a new line, and the script. The engine is a component in the
//! directory `engines` of an extension directory, and exports `sqlite-wasm:extension/script`.

mod standalone;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use super::composition::layout::{self, CUSTOM};
use crate::words::escape::escaped;

pub use standalone::standalone;

/// The custom section of a script.
pub const SECTION: &str = "sqlite-wasm:script";

/// The interface that an engine exports, in any version.
pub const ENGINE_EXPORT: &str = "sqlite-wasm:extension/script@";

/// The directory of the engines in a directory of extensions.
const ENGINES: &str = "engines";

/// The engine of JavaScript, with its version.
const JAVASCRIPT: (&str, u32) = ("quickjs", 1);

/// Most bytes of a script: a hundred times a large library, and little compared with an engine's memory.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// Longest name of an engine.
const MAX_ENGINE_NAME: usize = 32;

/// The header of a component (WebAssembly 1, layer 1).
const COMPONENT_HEADER: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// A script.
#[derive(Debug, PartialEq)]
pub struct Script {
    engine: String,
    version: u32,
    /// Its text.
    pub source: Vec<u8>,
}

impl Script {
    /// The file of a script in JavaScript.
    ///
    /// # Errors
    ///
    /// When it is longer than [`MAX_SOURCE_BYTES`].
    pub fn javascript(source: &[u8]) -> Result<Vec<u8>> {
        check_length(source)?;
        let (engine, version) = JAVASCRIPT;
        let content = [format!("{engine} {version}\n").as_bytes(), source].concat();
        let mut file = COMPONENT_HEADER.to_vec();
        layout::append_section(&mut file, SECTION, &content);
        Ok(file)
    }

    /// The script in the bytes of an extension's file; `None` for a component with code.
    ///
    /// # Errors
    ///
    /// When the file has two scripts, or code besides the script, or the script does not name its engine.
    pub fn of(wasm: &[u8]) -> Result<Option<Self>> {
        let (mut found, mut has_code) = (None, false);
        for section in layout::sections(wasm) {
            // What is damaged in another way is the compiler's to explain.
            let Ok(section) = section else { return Ok(None) };
            has_code |= section.id != CUSTOM;
            if section.id == CUSTOM && section.name == SECTION {
                ensure!(found.is_none(), "it has more than one script");
                found = Some(section.content);
            }
        }
        let Some(range) = found else { return Ok(None) };
        ensure!(!has_code, "it has a script and code; build it again");
        let (engine, version, source) =
            parse(&wasm[range]).context("its section with a script is damaged; build it again")?;
        check_length(source)?;
        Ok(Some(Self { engine, version, source: source.to_vec() }))
    }

    /// The name and version of its engine.
    pub fn engine(&self) -> String {
        format!("{} {}", self.engine, self.version)
    }

    /// The file of its engine in the first of these extension directories that has it.
    ///
    /// # Errors
    ///
    /// When none has it.
    pub fn engine_file(&self, directories: &[PathBuf]) -> Result<PathBuf> {
        let name = format!("{}-{}.wasm", self.engine, self.version);
        let candidate = |directory: &PathBuf| directory.join(ENGINES).join(&name);
        let found = directories.iter().map(candidate).find(|path| path.is_file());
        found.ok_or_else(|| {
            let path = Path::new(ENGINES).join(&name);
            anyhow!(
                "it is a script for the engine `{}`, and no extension directory has `{}`; install \
                 a version of this program with that engine",
                self.engine(),
                escaped(&path)
            )
        })
    }
}

fn check_length(source: &[u8]) -> Result<()> {
    let length = source.len();
    ensure!(length <= MAX_SOURCE_BYTES, "its script is longer than {MAX_SOURCE_BYTES} bytes");
    Ok(())
}

/// The engine, its version, and the script.
fn parse(content: &[u8]) -> Option<(String, u32, &[u8])> {
    let end = content.iter().take(2 * MAX_ENGINE_NAME).position(|byte| *byte == b'\n')?;
    let (engine, version) = std::str::from_utf8(&content[..end]).ok()?.split_once(' ')?;
    let is_name = (1..=MAX_ENGINE_NAME).contains(&engine.len())
        && engine.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let version: u32 = version.parse().ok()?;
    is_name.then(|| (engine.to_owned(), version, &content[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut file = COMPONENT_HEADER.to_vec();
        for (name, content) in sections {
            layout::append_section(&mut file, name, content);
        }
        file
    }

    #[test]
    fn a_script_is_read_as_it_was_written() {
        let wasm = Script::javascript(b"export default 1\n").unwrap();
        let script = Script::of(&wasm).unwrap().unwrap();
        assert_eq!(script.source, b"export default 1\n");
        assert_eq!(script.engine(), "quickjs 1");
    }

    #[test]
    fn files_that_are_not_one_script_are_refused() {
        let section = (SECTION, &b"quickjs 1\nx"[..]);
        assert!(Script::of(&file(&[section, section])).is_err());
        let code = [&file(&[section])[..], &[1, 8], b"\0asm\x01\0\0\0"].concat();
        assert!(Script::of(&code).is_err());
        for content in [
            "",
            "x",
            "quickjs\nx",
            "quickjs 1",
            "quickjs one\n",
            "../quickjs 1\n",
            "quick/js 1\n",
            "QuickJS 1\n",
            " 1\n",
            "quickjs -1\n",
            "quickjs 99999999999\n",
            "\n",
        ] {
            assert!(Script::of(&file(&[(SECTION, content.as_bytes())])).is_err(), "{content:?}");
        }
        assert_eq!(Script::of(&file(&[("other", b"quickjs 1\nx")])).unwrap(), None);
        assert_eq!(Script::of(b"").unwrap(), None);
    }

    #[test]
    fn an_unknown_engine_is_named() {
        let script = Script::of(&file(&[(SECTION, b"lua 5\nx")])).unwrap().unwrap();
        let error = script.engine_file(&["nowhere".into()]).unwrap_err().to_string();
        assert!(error.contains("`lua 5`") && error.contains("engines/lua-5.wasm"), "{error}");
    }
}
