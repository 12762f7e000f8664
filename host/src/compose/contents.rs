//! What a program is: the version of its CLI, and the extensions in it.
//!
//! ```no_run
//! use sqlite_wasm_run::component::Loader;
//! use sqlite_wasm_run::compose::Contents;
//!
//! let contents = Contents::of("composed.cwasm".as_ref(), &Loader::new(None)?)?;
//! println!("{} extensions", contents.map_or(0, |program| program.extensions.len()));
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::component::Shape;
use super::composition::Embedded;
use crate::component::{Loader, Program};
use crate::deadline::Deadline;
use crate::extensions::inspect::need;
use crate::extensions::sha256;
use crate::extensions::text::{one_line, shortened};
use crate::runner::{self, Options};
use crate::stdio::{Stdio, Stream};

/// Time in which a CLI tells its version; ours takes 2 ms.
const VERSION_TIME: Duration = Duration::from_secs(5);

/// A program, as far as it can be looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Contents {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub file_bytes: usize,
    /// The SHA-256 of its content, as `sha256sum` prints it.
    pub sha256: String,
    /// Whether it holds native code.
    pub precompiled: bool,
    /// What it says to `-version`: that of SQLite.
    pub cli_version: String,
    /// The extensions in it, the newest last.
    pub extensions: Vec<Contained>,
}

/// An extension in a program.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the others are those of `Embedded`")]
pub struct Contained {
    pub name: String,
    pub version: String,
    pub sha256: String,
    /// Whether it is inside of the component.
    pub inside: bool,
    /// Whether it is beside, in a sandbox of its own.
    pub beside: bool,
    /// Why it is where it is.
    pub why: String,
    pub registers: Vec<String>,
}

impl Contents {
    /// Those of the file at `path`; none when it is no program. To learn its
    /// version it is run, with nothing granted.
    ///
    /// # Errors
    ///
    /// When it cannot be read, compiled or run.
    pub fn of(path: &Path, loader: &Loader) -> Result<Option<Self>> {
        let unreadable = || format!("failed to read `{}`", path.display());
        let content = fs::read(path).with_context(unreadable)?;
        let precompiled = path.extension().is_some_and(|ending| ending == "cwasm");
        let program = match precompiled {
            // Native code of an extension is for another engine.
            true => match loader.load(path) {
                Ok(program) => program,
                Err(_) => return Ok(None),
            },
            false if is_program(&content) => loader.load(path)?,
            false => return Ok(None),
        };
        let extensions = program.composition.iter().flat_map(|composition| &composition.extensions);
        Ok(Some(Self {
            path: fs::canonicalize(path).with_context(unreadable)?,
            file_bytes: content.len(),
            sha256: sha256(&content),
            precompiled,
            cli_version: version(&program)?,
            extensions: extensions.map(Contained::from).collect(),
        }))
    }
}

fn is_program(wasm: &[u8]) -> bool {
    Shape::of(wasm).is_ok_and(|shape| shape.is_command())
}

/// What a program says to `-version`, in one line.
fn version(program: &Program) -> Result<String> {
    let (sender, receiver) = channel();
    let output = Stream::new(Box::new(Sent(sender)) as Box<dyn Write + Send>, false);
    let stdio = Stdio {
        input: Stream::new(Box::new(io::empty()), false),
        error: Stream::new(Box::new(io::sink()), false),
        output,
    };
    let mut options = Options::new(stdio);
    options.arguments = vec!["sqlite3".into(), "-version".into()];
    options.deadline = Deadline::after(Some(VERSION_TIME));
    runner::run(program, options)?;
    let said: Vec<u8> = receiver.try_iter().flatten().collect();
    let said = shortened(one_line(&String::from_utf8_lossy(&said)));
    ensure!(!said.is_empty(), "it does not say its version");
    Ok(said)
}

/// Sends what is written.
struct Sent(Sender<Vec<u8>>);

impl Write for Sent {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.send(data.to_vec()).map_err(io::Error::other)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Embedded {
    /// Where it is, and why.
    pub fn way(&self) -> String {
        match (&self.inside, &self.beside) {
            (Some(_), Some(_)) => {
                format!("beside, as it needs {}; inside what is stateless", self.needs())
            }
            (None, Some(_)) => format!("beside, as it needs {}", self.needs()),
            _ => "inside, as it needs no grant".into(),
        }
    }

    fn needs(&self) -> String {
        let manifest = self.manifest.iter();
        let needs: Vec<String> = manifest.flat_map(|manifest| &manifest.needs).map(need).collect();
        match needs.is_empty() {
            true => "a grant".into(),
            false => needs.join(", "),
        }
    }
}

impl From<&Embedded> for Contained {
    fn from(embedded: &Embedded) -> Self {
        Self {
            name: embedded.name.clone(),
            version: embedded.version.clone(),
            sha256: embedded.sha256.clone(),
            inside: embedded.inside.is_some(),
            beside: embedded.beside.is_some(),
            why: embedded.way(),
            registers: embedded.registers.clone(),
        }
    }
}
