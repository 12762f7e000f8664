//! `extension index`: a directory that is a source.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use sqlite_wasm_catalogue::index::{Entry, INDEX, Index as Content, MAX_INDEX_BYTES, SIGNATURE};
use sqlite_wasm_catalogue::names::file_name;
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::{extension_directories, searching};
use super::{facts, store};
use crate::commands::{print, second_wall, write_whole};

/// Add extensions to a directory that others can install from, and write its index
#[derive(Debug, clap::Args)]
pub struct Index {
    /// The directory; upload it to a server, or use it as it is
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The extensions to add; nothing of them runs
    #[arg(value_name = "FILE.wasm", required = true)]
    files: Vec<PathBuf>,

    /// Their licence, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    license: String,

    /// Where their source code is
    #[arg(long, value_name = "URL")]
    source: String,
}

impl Index {
    /// Write the files of the extensions, then the index.
    pub fn execute(&self) -> Result<ExitCode> {
        let path = self.directory.join(INDEX);
        let directories = extension_directories(&[]);
        let mut extensions = searching(&directories).extensions();
        let read: Vec<_> = directories.into_iter().chain(self.files.iter().cloned()).collect();
        second_wall::raise_for_looking(&read, std::slice::from_ref(&self.directory))?;
        let mut index = existing(&path)?;
        let mut added = Vec::new();
        for file in &self.files {
            let mut add = || -> Result<()> {
                let wasm = fs::read(file)?;
                let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let inspection = extensions.inspect_bytes(name, file, &wasm);
                let entry = Entry {
                    file: facts(&inspection)?,
                    license: self.license.clone(),
                    source: self.source.clone(),
                };
                added.push((file_name(&entry.file.name, &entry.file.version), wasm));
                index.add(entry)
            };
            add().with_context(|| format!("failed to add `{}`", escaped(file)))?;
        }
        for (name, wasm) in &added {
            write_whole(&self.directory.join(name), wasm)?;
        }
        store::write(&path, &index)?;
        // That of the index before.
        let _ = fs::remove_file(self.directory.join(SIGNATURE));
        let next = format!(
            "{}: serial {}, versions: {}. Next, with the key of `minisign -G`:\n  minisign -S -m {}\n",
            escaped(&path),
            index.serial,
            index.extensions.len(),
            escaped(&path)
        );
        Ok(print(next.as_bytes()))
    }
}

/// The index of the directory; an empty one if it does not exist yet.
fn existing(path: &Path) -> Result<Content> {
    if !path.exists() {
        return Ok(Content::empty());
    }
    let parse = || -> Result<Content> {
        ensure!(fs::metadata(path)?.len() <= MAX_INDEX_BYTES, "it is too long");
        Content::parse(&fs::read(path)?)
    };
    parse().with_context(|| format!("failed to read `{}`", escaped(path)))
}
