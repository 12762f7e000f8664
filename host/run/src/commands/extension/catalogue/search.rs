//! `extension search`.

use std::process::ExitCode;

use anyhow::Result;
use sqlite_wasm_catalogue::index::Entry;
use sqlite_wasm_catalogue::sources::Source;
use sqlite_wasm_runtime::words::escape::escaped;

use super::open_sources::OpenSources;
use crate::commands::print;

/// Search the sources by names, descriptions and functions
#[derive(Debug, clap::Args)]
pub struct Search {
    /// Words that must all be found; without any, list everything
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// Only in this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
}

impl Search {
    /// Print a line for each version that is found.
    pub fn execute(&self) -> Result<ExitCode> {
        let sources = OpenSources::open(self.source.as_deref(), Vec::new())?;
        let found = sources.entries().filter(|(_, entry)| self.finds(entry));
        Ok(print(found.map(line).collect::<String>().as_bytes()))
    }

    fn finds(&self, entry: &Entry) -> bool {
        let file = &entry.file;
        let texts = [&file.name, &file.description].into_iter().chain(&file.registers);
        let texts: Vec<_> = texts.map(|text| text.to_lowercase()).collect();
        let is_in = |word: &String| texts.iter().any(|text| text.contains(&word.to_lowercase()));
        self.words.iter().all(is_in)
    }
}

fn line((source, entry): (&Source, &Entry)) -> String {
    let file = &entry.file;
    let description = escaped(&file.description);
    format!("{} {}  {}  {description}\n", file.name, file.version, source.name)
}
