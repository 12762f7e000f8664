//! Who grants what to which extension: the command line, a file of grants, the
//! file that comes with the shipped extensions, and the user at a terminal.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::permissions::{Directory, Permissions, SqlAccess, Word};
use super::prompt::Subject;
use crate::escape::escaped;
use crate::extensions::types::Need;

/// Longest file of grants, in bytes; a line for each of a thousand extensions
/// is a tenth of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Prompts the user; true for yes.
pub type Ask = Box<dyn FnMut(&str) -> bool + Send>;

/// To whom grants belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity<'a> {
    /// An extension that the user has named: it was found in an extension
    /// directory, or is named on the command line, by itself or as a part of the
    /// program.
    Named {
        /// The name that grants use.
        name: &'a str,
        /// Its file; none for a part of the program.
        path: Option<&'a Path>,
    },
    /// The file at a path that SQL has chosen, which may be called as it likes.
    Chosen(&'a Path),
}

/// What extensions are granted.
#[derive(Default)]
pub struct Permits {
    named: BTreeMap<String, Permissions>,
    shipped: Option<PathBuf>,
    ask: Option<Ask>,
}

/// `[NAME]` and `grants = ["sql", …]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    grants: Vec<String>,
}

/// What comes with the shipped extensions: `[[extension]]` with a name, its
/// file's SHA-256 as `sha256sum` prints it, and its grants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shipped {
    #[serde(default)]
    extension: Vec<ShippedExtension>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShippedExtension {
    #[serde(rename = "name")]
    _name: String,
    sha256: String,
    grants: Vec<String>,
}

impl Permits {
    /// Grant what `--grant NAME=WORD,WORD` says.
    ///
    /// # Errors
    ///
    /// When it cannot be understood, or what is granted is not there.
    pub fn add(&mut self, option: &str) -> Result<()> {
        let (name, words) = split(option)?;
        self.named.entry(name.to_owned()).or_default().add(words)
    }

    /// Whether [`Self::add`] would understand this.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn check(option: &str) -> Result<()> {
        let (_, mut words) = split(option)?;
        words.try_for_each(|word| Word::parse(word).map(|_| ()))
    }

    /// Grant what a file says, in TOML: `[NAME]` and `grants = ["sql"]`.
    ///
    /// # Errors
    ///
    /// When it cannot be read or understood.
    pub fn add_file(&mut self, path: &Path) -> Result<()> {
        let file: BTreeMap<String, Named> = parse(path)?;
        for (name, Named { grants }) in file {
            let permissions = self.named.entry(name).or_default();
            let words = grants.iter().map(String::as_str);
            permissions.add(words).with_context(|| format!("in `{}`", escaped(path)))?;
        }
        Ok(())
    }

    /// Grant what the shipped extensions need, by the file at `path`; without
    /// the file, nothing.
    pub fn shipped(&mut self, path: PathBuf) {
        self.shipped = Some(path);
    }

    /// The directories that are granted by name.
    pub fn directories(&self) -> impl Iterator<Item = &Directory> {
        self.named.values().flat_map(|permissions| &permissions.directories)
    }

    /// Ask for what is missing.
    pub fn ask_by(&mut self, ask: Ask) {
        self.ask = Some(ask);
    }

    /// What an extension may use, whose `.wasm` has this SHA-256. A grant by
    /// name is only for one that the user has named.
    ///
    /// # Errors
    ///
    /// The need that nobody grants, and the option that would.
    pub fn of(
        &mut self,
        identity: Identity<'_>,
        needs: &[Need],
        sha256: impl FnOnce() -> Result<String>,
    ) -> Result<Permissions> {
        let mut permissions = match identity {
            Identity::Named { name, .. } => self.named.get(name).cloned().unwrap_or_default(),
            Identity::Chosen(_) => Permissions::default(),
        };
        if needs.iter().all(|need| is_met(need, &permissions)) {
            return Ok(permissions);
        }
        let sha256 = sha256()?;
        permissions.join(&self.by_content(&sha256)?);
        let subject = Subject { identity, sha256: &sha256 };
        for need in needs {
            if !is_met(need, &permissions) {
                self.ask_for(subject, need, &mut permissions)?;
            }
        }
        Ok(permissions)
    }

    fn by_content(&self, sha256: &str) -> Result<Permissions> {
        let mut permissions = Permissions::default();
        let Some(shipped) = self.shipped.as_ref().filter(|shipped| shipped.is_file()) else {
            return Ok(permissions);
        };
        let shipped: Shipped = parse(shipped)?;
        for extension in shipped.extension.iter().filter(|found| found.sha256 == sha256) {
            permissions.add(extension.grants.iter().map(String::as_str))?;
        }
        Ok(permissions)
    }

    fn ask_for(
        &mut self,
        subject: Subject<'_>,
        need: &Need,
        permissions: &mut Permissions,
    ) -> Result<()> {
        if !self.ask.as_mut().is_some_and(|ask| ask(&subject.question(need))) {
            bail!("{}", subject.refusal(need));
        }
        match need {
            Need::Sql => permissions.add(["sql"]),
            Need::SqlReadOnly => permissions.add(["sql:ro"]),
            Need::Directory(_) => permissions.add_working_directory(),
            Need::Environment(variable) => permissions.add([format!("env:{variable}").as_str()]),
        }
    }
}

fn split(option: &str) -> Result<(&str, impl Iterator<Item = &str>)> {
    match option.split_once('=') {
        Some((name, words)) if !name.is_empty() => Ok((name, words.split(','))),
        _ => bail!("a grant is written `NAME=sql,dir:PATH:ro,env:VARIABLE`"),
    }
}

/// The SHA-256 of `content`, as `sha256sum` prints it and a file of grants
/// names it.
pub fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// As `sha256sum` prints a hash.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_met(need: &Need, permissions: &Permissions) -> bool {
    match need {
        Need::Sql => permissions.sql == SqlAccess::ReadWrite,
        Need::SqlReadOnly => permissions.sql != SqlAccess::None,
        Need::Directory(_) => !permissions.directories.is_empty(),
        Need::Environment(variable) => {
            permissions.environment.iter().any(|(name, _)| name == variable)
        }
    }
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let read = || {
        let mut text = String::new();
        // It may be a pipe, as a shell's `<(…)` is.
        fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            bail!("it is longer than {MAX_FILE_BYTES} bytes");
        }
        toml::from_str(&text).map_err(|error| in_line(&text, &error))
    };
    read().with_context(|| format!("failed to read the grants in `{}`", escaped(path)))
}

/// What is wrong, in one line; the library's own words show the place in
/// several.
fn in_line(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|place| text.get(..place.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    anyhow!("line {line}: {}", error.message().replace('\n', ", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of "abc", from FIPS 180-4's examples.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn named(name: &str) -> Identity<'_> {
        Identity::Named { name, path: None }
    }

    fn nowhere() -> Result<String> {
        Ok(String::new())
    }

    #[test]
    fn a_need_that_nobody_grants_names_its_option() {
        let error = Permits::default().of(named("define"), &[Need::Sql], nowhere).unwrap_err();
        assert!(error.to_string().contains("`--grant define=sql`"), "{error}");
        let mut permits = Permits::default();
        permits.add("define=sql:ro").unwrap();
        assert!(permits.of(named("define"), &[Need::Sql], nowhere).is_err());
        assert!(permits.of(named("define"), &[Need::SqlReadOnly], nowhere).is_ok());
        assert!(permits.of(named("other"), &[Need::SqlReadOnly], nowhere).is_err());
        let chosen = Identity::Chosen("./define.wasm".as_ref());
        assert!(permits.of(chosen, &[Need::SqlReadOnly], nowhere).is_err());
    }

    #[test]
    fn a_file_grants_by_name_and_the_shipped_one_by_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("grants.toml");
        fs::write(&path, "[define]\ngrants = [\"sql\"]\n").unwrap();
        let mut permits = Permits::default();
        permits.add_file(&path).unwrap();
        assert!(permits.of(named("define"), &[Need::Sql], nowhere).is_ok());

        let shipped =
            format!("[[extension]]\nname = \"define\"\nsha256 = \"{ABC}\"\ngrants = [\"sql\"]\n");
        fs::write(&path, shipped).unwrap();
        let mut permits = Permits::default();
        permits.shipped(path);
        assert!(permits.of(named("define"), &[Need::Sql], || Ok(sha256(b"abc"))).is_ok());
        assert!(permits.of(named("define"), &[Need::Sql], || Ok(sha256(b"abd"))).is_err());
        let chosen = Identity::Chosen("./any.wasm".as_ref());
        assert!(permits.of(chosen, &[Need::Sql], || Ok(sha256(b"abc"))).is_ok());
    }

    #[test]
    fn the_person_is_asked_for_what_is_missing() {
        let mut permits = Permits::default();
        permits.ask_by(Box::new(|question| question.contains("`define`")));
        let granted = permits.of(named("define"), &[Need::Sql], nowhere).unwrap();
        assert_eq!(granted.sql, SqlAccess::ReadWrite);
        assert!(permits.of(named("other"), &[Need::Sql], nowhere).is_err());
    }
}
