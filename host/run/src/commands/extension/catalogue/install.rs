//! `extension install` and `extension update`.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use sqlite_wasm_catalogue::index::Entry;
use sqlite_wasm_catalogue::names::{check_name, parse_version, sha256};
use sqlite_wasm_catalogue::pins::{MAX_PINS_BYTES, Pin, Pins};
use sqlite_wasm_catalogue::sources::Source;
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::Lines;
use super::open_sources::OpenSources;
use super::store;
use crate::commands::ask::ask;
use crate::commands::{directory_of, print};

/// Install extensions from the sources: verify them, show what they need, ask, and compile them.
/// Nothing of them runs
#[derive(Debug, clap::Args)]
pub struct Install {
    /// The extensions; without a version the newest one
    #[arg(value_name = "NAME[@VERSION]", required_unless_present = "lock")]
    extensions: Vec<String>,

    #[command(flatten)]
    how: How,
}

/// Install the newest versions of what is installed
#[derive(Debug, clap::Args)]
pub struct Update {
    /// The extensions; without names all that are installed
    #[arg(value_name = "NAME")]
    extensions: Vec<String>,

    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct How {
    /// Only from this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// Write the exact versions into this file; without names, install exactly those in it
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

impl Install {
    /// Install each extension completely or not at all.
    pub fn execute(&self) -> Result<ExitCode> {
        let wanted = self.extensions.iter().map(|text| Wanted::parse(text));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        let mut run = self.how.start()?;
        for wanted in &wanted {
            let version = wanted.version.as_deref();
            let (source, entry) = run.sources.find(wanted.name, version)?;
            run.install(&source, &entry, version.is_some())?;
        }
        if wanted.is_empty() {
            let pins = self.how.locked()?;
            for pin in pins.iter() {
                let (source, entry) = run.sources.pinned(pin)?;
                run.install(&source, &entry, true)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Update {
    /// Install each newer version completely or not at all.
    pub fn execute(&self) -> Result<ExitCode> {
        let mut run = self.how.start()?;
        let installed = run.sources.store.installed()?;
        let named = |name: &String| {
            let pin = installed.get(name).cloned();
            pin.with_context(|| format!("the extension `{}` is not installed", escaped(name)))
        };
        let pins: Vec<Pin> = if self.extensions.is_empty() {
            installed.iter().cloned().collect()
        } else {
            self.extensions.iter().map(named).collect::<Result<_>>()?
        };
        for pin in &pins {
            let (source, entry) = run.sources.newest(pin)?;
            run.install(&source, &entry, false)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What the user has typed: `NAME` or `NAME@VERSION`.
struct Wanted<'a> {
    name: &'a str,
    version: Option<String>,
}

impl<'a> Wanted<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let parse = || {
            check_name(name)?;
            version.map(parse_version).transpose()
        };
        let version = parse().with_context(|| format!("`{}`", escaped(text)))?;
        Ok(Self { name, version: version.map(|version| version.to_string()) })
    }
}

impl How {
    fn start(&self) -> Result<Run<'_>> {
        // Read again behind the wall: now only to fail early.
        if let Some(lock) = self.lock.as_ref().filter(|lock| lock.exists()) {
            read_lock(lock)?;
        }
        let other = self.lock.iter().map(|lock| directory_of(lock).to_owned()).collect();
        Ok(Run { how: self, sources: OpenSources::open(self.source.as_deref(), other)? })
    }

    fn locked(&self) -> Result<Pins> {
        read_lock(self.lock.as_ref().context("there is no lock file")?)
    }
}

struct Run<'a> {
    how: &'a How,
    sources: OpenSources,
}

impl Run<'_> {
    /// Install `entry`. An older version than the installed one must be `chosen` by the user.
    fn install(&mut self, source: &Source, entry: &Entry, chosen: bool) -> Result<()> {
        let what = format!("{} {}", entry.file.name, entry.file.version);
        let mut install = || -> Result<()> {
            let before = self.sources.store.installed()?.get(&entry.file.name).cloned();
            let pin = Pin::of(entry, source);
            if let Some(before) = &before {
                check_version(before, source, entry, chosen)?;
            }
            if before.as_ref() == Some(&pin) && self.is_there(&pin) {
                print(format!("{what} is installed\n").as_bytes());
                return self.lock(pin);
            }
            let wasm = self.sources.file(source, entry)?;
            self.ask(source, entry, before.as_ref())?;
            self.sources.compile(&entry.file.name, &wasm)?;
            self.sources.store.install(before.as_ref(), pin.clone(), &wasm)?;
            print(format!("installed {what}; load it by `.load {}`\n", entry.file.name).as_bytes());
            self.lock(pin)
        };
        install().with_context(|| format!("{what} of source `{}`", source.name))
    }

    fn is_there(&self, pin: &Pin) -> bool {
        let file = std::fs::read(self.sources.store.file(&pin.name));
        file.is_ok_and(|wasm| sha256(&wasm) == pin.sha256)
    }

    /// Show what would be installed, and ask, unless it is an update that needs nothing new.
    fn ask(&self, source: &Source, entry: &Entry, before: Option<&Pin>) -> Result<()> {
        let more = more_needs(entry, before, source);
        print(description(source, entry, before, &more).as_bytes());
        let is_known = before.is_some_and(|before| before.key == source.key) && more.is_empty();
        if self.how.yes || is_known {
            return Ok(());
        }
        ensure!(
            std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
            "not installed: there is no terminal to ask at; `--yes` installs without"
        );
        ensure!(ask(&format!("install {}?", entry.file.name)), "not installed");
        Ok(())
    }

    fn lock(&self, pin: Pin) -> Result<()> {
        let Some(path) = &self.how.lock else { return Ok(()) };
        let mut pins = if path.exists() { read_lock(path)? } else { Pins::default() };
        if pins.get(&pin.name) == Some(&pin) {
            return Ok(());
        }
        pins.put(pin);
        store::write(path, &pins)
    }
}

/// A lock file is the project's, so SQL may have written it: it only chooses among entries that
/// sources have signed.
pub fn read_lock(path: &Path) -> Result<Pins> {
    use std::io::Read;
    let read = || -> Result<Pins> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_PINS_BYTES + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= MAX_PINS_BYTES, "it is longer than {MAX_PINS_BYTES} bytes");
        Pins::parse(&bytes)
    };
    read().with_context(|| format!("failed to read `{}`", escaped(path)))
}

/// Refuse a version that is older than the installed one, or the same one with other bytes.
fn check_version(before: &Pin, source: &Source, entry: &Entry, chosen: bool) -> Result<()> {
    let installed = parse_version(&before.version)?;
    let offered = entry.version();
    if offered < installed && !chosen {
        bail!("{installed} is installed, which is newer; `@{offered}` installs the older one");
    }
    ensure!(
        offered != installed || before.sha256 == entry.file.sha256 || before.key != source.key,
        "{installed} is installed with another SHA-256; `extension remove` it first"
    );
    Ok(())
}

/// The needs that the user has not seen yet.
fn more_needs(entry: &Entry, before: Option<&Pin>, source: &Source) -> Vec<String> {
    let before = before.filter(|before| before.key == source.key);
    let known: BTreeSet<_> = before.iter().flat_map(|pin| &pin.needs).collect();
    entry.file.needs.iter().filter(|need| !known.contains(need)).cloned().collect()
}

fn description(source: &Source, entry: &Entry, before: Option<&Pin>, more: &[String]) -> String {
    let file = &entry.file;
    let mut lines = Lines::default();
    lines.add("name", format!("{} {}", file.name, file.version));
    lines.add("description", escaped(&file.description));
    lines.add("from", format!("{}, {}", source.name, escaped(&source.url)));
    lines.add("license", escaped(&entry.license));
    lines.add("source", escaped(&entry.source));
    lines.add("size", format!("{} bytes", file.bytes));
    lines.add("sha256", &file.sha256);
    lines.add_list("registers", file.registers.iter());
    if file.needs.is_empty() {
        lines.add("needs", "nothing");
    }
    lines.add_list("needs", file.needs.iter());
    if let Some(before) = before {
        lines.add("replaces", format!("{} from {}", before.version, before.source));
        lines.add_list("new needs", more.iter());
    }
    let shipped = program_files::path("extensions").map(|all| all.join(&file.name));
    if shipped.is_ok_and(|file| file.with_added_extension("wasm").exists()) {
        lines.add("hides", format!("the extension {} of this program", file.name));
    }
    lines.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_versions() {
        let wanted = Wanted::parse("a@1.0.0").unwrap();
        assert_eq!((wanted.name, wanted.version.as_deref()), ("a", Some("1.0.0")));
        assert_eq!(Wanted::parse("a").unwrap().version, None);
        for text in ["", "@1.0.0", "a@", "a@1", "../a", "a@1.0.0/..", "a@b@1.0.0", "a\u{202e}"] {
            assert!(Wanted::parse(text).is_err(), "{text:?}");
        }
    }
}
