//! Sources that are opened, behind the second wall.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use sqlite_wasm_catalogue::index::{Entry, Index, Key};
use sqlite_wasm_catalogue::names::sha256;
use sqlite_wasm_catalogue::pins::Pin;
use sqlite_wasm_catalogue::request::Request;
use sqlite_wasm_catalogue::sources::Source;
use sqlite_wasm_runtime::extensions::ExtensionsCtx;
use sqlite_wasm_runtime::installation::user_directories;

use super::super::{extension_directories, searching};
use super::facts;
use super::store::Store;
use super::transport::Transport;
use crate::commands::second_wall;

/// Sources with their verified indexes.
pub struct OpenSources {
    /// The user's directories.
    pub store: Store,
    extensions: ExtensionsCtx,
    opened: Vec<Opened>,
}

struct Opened {
    source: Source,
    transport: Transport,
    index: Index,
}

impl OpenSources {
    /// Open all sources, or the one of this name. Afterwards this process reaches no files but those
    /// of the catalogue, those of the sources, and the `other` directories, which it may write.
    ///
    /// # Errors
    ///
    /// When no source exists, or one of them cannot be used.
    pub fn open(source: Option<&str>, other: Vec<PathBuf>) -> Result<Self> {
        let store = Store::open()?;
        let sources = store.sources()?.named(source)?;
        let open = |source: Source| {
            let of_source = format!("source `{}`", source.name);
            Transport::open(&source).map(|transport| (source, transport)).context(of_source)
        };
        let transports = sources.into_iter().map(open).collect::<Result<Vec<_>>>()?;
        let directories = extension_directories(&[]);
        let extensions = searching(&directories).extensions();
        let local = transports.iter().map(|(source, _)| source.url.clone().into());
        let read: Vec<PathBuf> = directories.into_iter().chain(local).collect();
        let mut write = other;
        write.extend(store.directories().map(Into::into));
        write.extend(user_directories::cache());
        second_wall::raise_for_looking(&read, &write)?;
        let mut sources = Self { store, extensions, opened: Vec::new() };
        for (source, transport) in transports {
            let of_source = format!("source `{}`", source.name);
            sources.verify(source, transport).context(of_source)?;
        }
        Ok(sources)
    }

    fn verify(&mut self, source: Source, mut transport: Transport) -> Result<()> {
        let key = Key::parse(&source.key)?;
        let index = transport.get(&Request::Index)?;
        let signature = transport.get(&Request::Signature)?;
        let index = Index::verified(&index, &signature, &key)?;
        self.store.change_sources(|sources| sources.accept(&source.name, &index))?;
        self.opened.push(Opened { source, transport, index });
        Ok(())
    }

    /// All entries, with their sources.
    pub fn entries(&self) -> impl Iterator<Item = (&Source, &Entry)> {
        self.opened
            .iter()
            .flat_map(|opened| opened.index.extensions.iter().map(|entry| (&opened.source, entry)))
    }

    /// The entry of this version, or the newest one, in the only source that has it.
    ///
    /// # Errors
    ///
    /// When no source has it, or several have.
    pub fn find(&self, name: &str, version: Option<&str>) -> Result<(Source, Entry)> {
        let found = |opened: &Opened| {
            Some((opened.source.clone(), opened.index.find(name, version)?.clone()))
        };
        let mut found: Vec<_> = self.opened.iter().filter_map(found).collect();
        let of_version = version.map(|version| format!(" {version}")).unwrap_or_default();
        match found.len() {
            0 => bail!("no source has the extension {name}{of_version}"),
            1 => Ok(found.remove(0)),
            _ => {
                let names: Vec<_> = found.iter().map(|(source, _)| source.name.as_str()).collect();
                bail!("several sources have {name}: {}; say `--source`", names.join(", "))
            }
        }
    }

    /// The entry that a pin names, in its own source.
    ///
    /// # Errors
    ///
    /// When the source has another key or no longer has it.
    pub fn pinned(&self, pin: &Pin) -> Result<(Source, Entry)> {
        let (source, index) = self.of_pin(pin)?;
        let entry = index
            .find(&pin.name, Some(&pin.version))
            .filter(|entry| entry.file.sha256 == pin.sha256);
        let entry = entry.with_context(|| {
            format!(
                "source `{}` has no {} {} with the pinned SHA-256",
                source.name, pin.name, pin.version
            )
        })?;
        Ok((source.clone(), entry.clone()))
    }

    /// The newest entry for an installed extension, in its own source.
    ///
    /// # Errors
    ///
    /// When the source has another key or no longer has it.
    pub fn newest(&self, pin: &Pin) -> Result<(Source, Entry)> {
        let (source, index) = self.of_pin(pin)?;
        let entry = index.find(&pin.name, None);
        let entry =
            entry.with_context(|| format!("source `{}` has no {}", source.name, pin.name))?;
        Ok((source.clone(), entry.clone()))
    }

    fn of_pin(&self, pin: &Pin) -> Result<(&Source, &Index)> {
        let mut opened = self.opened.iter();
        let opened = opened.find(|opened| opened.source.name == pin.source);
        let opened = opened.with_context(|| {
            format!(
                "{} is from the source `{}`, which there is not; add it, or `extension remove {}`",
                pin.name, pin.source, pin.name
            )
        })?;
        ensure!(
            opened.source.key == pin.key,
            "{} is from a source `{}` with another key",
            pin.name,
            pin.source
        );
        Ok((&opened.source, &opened.index))
    }

    /// The file of an entry. It agrees with the entry, and this program can load it; nothing of it
    /// has run.
    ///
    /// # Errors
    ///
    /// When it differs from the entry, or cannot be used.
    pub fn file(&mut self, source: &Source, entry: &Entry) -> Result<Vec<u8>> {
        let mut opened = self.opened.iter_mut();
        let opened = opened.find(|opened| opened.source.name == source.name);
        let opened = opened.context("the source is not open")?;
        let wasm = opened.transport.get(&Request::file(&entry.file))?;
        ensure!(
            sha256(&wasm) == entry.file.sha256,
            "the file is not the one that the index names: its SHA-256 differs"
        );
        let path = self.store.file(&entry.file.name);
        let inspection = self.extensions.inspect_bytes(&entry.file.name, &path, &wasm);
        ensure!(
            facts(&inspection)? == entry.file,
            "the index says something else about the extension than its file"
        );
        Ok(wasm)
    }

    /// Compile a file into the cache, so that loading it is quick.
    ///
    /// # Errors
    ///
    /// When it cannot be compiled.
    pub fn compile(&mut self, name: &str, wasm: &[u8]) -> Result<()> {
        self.extensions.compile_ahead(&self.store.file(name), wasm)
    }
}
