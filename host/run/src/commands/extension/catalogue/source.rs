//! `extension source`: the sources that `extension install` uses.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use sqlite_wasm_catalogue::index::Key;
use sqlite_wasm_catalogue::location::Location;
use sqlite_wasm_catalogue::sources::Source as Entry;
use sqlite_wasm_runtime::words::escape::escaped;

use super::store::Store;
use crate::commands::print;

/// Add, list and remove sources of extensions; there is none by default
#[derive(Debug, clap::Args)]
pub struct Source {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add a source
    Add(Add),
    /// List the sources
    List,
    /// Remove a source; what was installed from it stays
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// Your name for it: small letters, digits and `_`
    #[arg(value_name = "NAME")]
    name: String,

    /// A directory, `https://HOST/PATH` with an index, or `oci://HOST/PATH` in a registry
    #[arg(value_name = "URL")]
    url: String,

    /// The public key of minisign that signs its index: its letters or its `.pub` file
    #[arg(long, value_name = "KEY")]
    key: String,

    /// Another host that it may lead to
    #[arg(long, value_name = "HOST[:PORT]")]
    redirect: Vec<String>,

    /// Certificates to trust instead of the public ones, as PEM
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
}

impl Source {
    /// Run the subcommand.
    pub fn execute(&self) -> Result<ExitCode> {
        let store = Store::open()?;
        match &self.action {
            Action::Add(add) => {
                let source = add.source()?;
                store.change_sources(|sources| sources.add(source))?;
            }
            Action::Remove { name } => store.change_sources(|sources| sources.remove(name))?,
            Action::List => {
                let sources = store.sources()?;
                let all = if sources.is_empty() { Vec::new() } else { sources.named(None)? };
                let line = |source: &Entry| {
                    format!("{}  {}  {}\n", source.name, escaped(&source.url), source.key)
                };
                return Ok(print(all.iter().map(line).collect::<String>().as_bytes()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Add {
    fn source(&self) -> Result<Entry> {
        let url = match Location::parse(&self.url)? {
            Location::Directory(path) => {
                let path = std::fs::canonicalize(&path)
                    .with_context(|| format!("failed to open `{}`", escaped(&path)))?;
                path.into_os_string().into_string().ok().context("its path is not UTF-8")?
            }
            _ => self.url.clone(),
        };
        // Letters are never the name of a file: those have no `RW` and 54 more.
        let key = Key::parse(&self.key).or_else(|error| {
            std::fs::read_to_string(&self.key).ok().map_or(Err(error), |text| Key::parse(&text))
        });
        let key = key.with_context(|| format!("`{}`", escaped(&self.key)))?.letters().to_owned();
        let absolute = |path: &PathBuf| -> Result<String> {
            let path = std::path::absolute(path)?.into_os_string();
            path.into_string().ok().context("the path of its certificates is not UTF-8")
        };
        let certificates = self.certificates.as_ref().map(absolute).transpose()?;
        let (name, redirects) = (self.name.clone(), self.redirect.clone());
        Ok(Entry { name, url, key, redirects, certificates, serial: 0 })
    }
}
