//! The sources of an extension's grants: the command line, a file of grants, the file that comes
//! with the shipped extensions, and the user at a terminal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::granted::{Directory, Granted, SqlAccess, Word};
use super::prompt::Subject;
use crate::contract::types::Need;
use crate::installation::owner::{read_trusted, wrong_toml};
use crate::installation::program_files;
use crate::words::escape::escaped;

/// Longest file of grants, in bytes; a line for each of a thousand extensions
/// is a tenth of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Prompts the user; true for yes.
pub type Prompt = Box<dyn FnMut(&str) -> bool + Send>;

/// The owner of grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity<'a> {
    /// An extension that the user has named: it was found in an extension directory, or is named on
    /// the command line, alone or as a part of the program.
    Named {
        /// The name that grants use.
        name: &'a str,
        /// Its file; `None` for a part of the program.
        path: Option<&'a Path>,
    },
    /// The file at a path that SQL has chosen; its name proves nothing.
    Chosen(&'a Path),
}

/// The file of grants in a directory of shipped extensions.
const SHIPPED: &str = "grants.toml";

/// The grants of all extensions.
#[derive(Default)]
pub struct ExtensionGrants {
    named: BTreeMap<String, Granted>,
    shipped: Vec<PathBuf>,
    prompt: Option<Prompt>,
    /// Whether no option of the program grants anything.
    lacks_options: bool,
}

/// `[NAME]` and `grants = ["sql", …]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    grants: Vec<String>,
}

/// The grants of the shipped extensions: `[[extension]]` with a name, the SHA-256 of its file as
/// `sha256sum` prints it, and its grants.
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

impl ExtensionGrants {
    /// Add the grants of `--grant NAME=WORD,WORD`.
    ///
    /// # Errors
    ///
    /// When a word is invalid, or the granted directory or variable is missing.
    pub fn add(&mut self, option: &str) -> Result<()> {
        let (name, words) = split(option)?;
        self.named.entry(name.to_owned()).or_default().add(words)
    }

    /// Whether [`Self::add`] would accept this option.
    ///
    /// # Errors
    ///
    /// Why it would not.
    pub fn check(option: &str) -> Result<()> {
        let (_, mut words) = split(option)?;
        words.try_for_each(|word| Word::parse(word).map(|_| ()))
    }

    /// Add the grants of a file in TOML: `[NAME]` and `grants = ["sql"]`.
    ///
    /// # Errors
    ///
    /// When it cannot be read or parsed.
    pub fn add_file(&mut self, path: &Path) -> Result<()> {
        let file: BTreeMap<String, Named> = parse(path)?;
        for (name, Named { grants }) in file {
            let granted = self.named.entry(name).or_default();
            let words = grants.iter().map(String::as_str);
            granted.add(words).with_context(|| format!("in `{}`", escaped(path)))?;
        }
        Ok(())
    }

    /// Add the grants of the extensions that were shipped in this directory, of exactly the files that
    /// were. It must be a directory of the program's own files: who can put a file there grants by it.
    pub fn shipped(&mut self, directory: &Path) {
        self.shipped.push(directory.join(SHIPPED));
    }

    /// Add the grants of the extensions that were shipped with this program.
    pub fn shipped_with_program(&mut self) {
        if let Ok(directory) = program_files::path("extensions") {
            self.shipped(&directory);
        }
    }

    /// The directories that are granted by name.
    pub fn directories(&self) -> impl Iterator<Item = &Directory> {
        self.named.values().flat_map(|granted| &granted.directories)
    }

    /// The program has no options that grant something, so that no error names them.
    pub fn without_options(&mut self) {
        self.lacks_options = true;
    }

    /// Prompt for missing grants.
    pub fn prompt_with(&mut self, prompt: Prompt) {
        self.prompt = Some(prompt);
    }

    /// The grants of an extension whose `.wasm` has this SHA-256. Grants by name apply only to
    /// extensions that the user has named.
    ///
    /// # Errors
    ///
    /// The first needed capability that is not granted, and the option that would grant it.
    pub fn for_needs(
        &mut self,
        identity: Identity<'_>,
        needs: &[Need],
        sha256: impl FnOnce() -> Result<String>,
    ) -> Result<Granted> {
        let mut granted = match identity {
            Identity::Named { name, .. } => self.named.get(name).cloned().unwrap_or_default(),
            Identity::Chosen(_) => Granted::default(),
        };
        if needs.iter().all(|need| is_met(need, &granted)) {
            return Ok(granted);
        }
        let sha256 = sha256()?;
        granted.join(&self.by_content(&sha256)?);
        let subject = Subject { identity, sha256: &sha256 };
        for need in needs {
            if !is_met(need, &granted) {
                self.prompt_for(subject, need, &mut granted)?;
            }
        }
        Ok(granted)
    }

    fn by_content(&self, sha256: &str) -> Result<Granted> {
        let mut granted = Granted::default();
        for shipped in self.shipped.iter().filter(|shipped| shipped.is_file()) {
            let shipped: Shipped = parse(shipped)?;
            for extension in shipped.extension.iter().filter(|found| found.sha256 == sha256) {
                granted.add(extension.grants.iter().map(String::as_str))?;
            }
        }
        Ok(granted)
    }

    fn prompt_for(
        &mut self,
        subject: Subject<'_>,
        need: &Need,
        granted: &mut Granted,
    ) -> Result<()> {
        if !self.prompt.as_mut().is_some_and(|prompt| prompt(&subject.prompt(need))) {
            if self.lacks_options {
                bail!("{}", subject.refusal_without_options(need))
            } else {
                bail!("{}", subject.refusal(need))
            }
        }
        match need {
            Need::Sql => granted.add(["sql"]),
            Need::SqlReadOnly => granted.add(["sql:ro"]),
            Need::Directory(_) => granted.add_working_directory(),
            Need::Environment(variable) => granted.add([format!("env:{variable}").as_str()]),
        }
    }
}

fn split(option: &str) -> Result<(&str, impl Iterator<Item = &str>)> {
    match option.split_once('=') {
        Some((name, words)) if !name.is_empty() => Ok((name, words.split(','))),
        _ => bail!("a grant is written `NAME=sql,dir:PATH:ro,env:VARIABLE`"),
    }
}

fn is_met(need: &Need, granted: &Granted) -> bool {
    match need {
        Need::Sql => granted.sql == SqlAccess::ReadWrite,
        Need::SqlReadOnly => granted.sql != SqlAccess::None,
        Need::Directory(_) => !granted.directories.is_empty(),
        Need::Environment(variable) => granted.environment.iter().any(|(name, _)| name == variable),
    }
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let read = || {
        let text = read_trusted(path, MAX_FILE_BYTES)?;
        toml::from_str(&text).map_err(|error| wrong_toml(&text, &error))
    };
    read().with_context(|| format!("failed to read the grants in `{}`", escaped(path)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::artifact::sha256::sha256;

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
        let error = ExtensionGrants::default()
            .for_needs(named("define"), &[Need::Sql], nowhere)
            .unwrap_err();
        assert!(error.to_string().contains("`--grant define=sql`"), "{error}");
        let mut grants = ExtensionGrants::default();
        grants.add("define=sql:ro").unwrap();
        assert!(grants.for_needs(named("define"), &[Need::Sql], nowhere).is_err());
        assert!(grants.for_needs(named("define"), &[Need::SqlReadOnly], nowhere).is_ok());
        assert!(grants.for_needs(named("other"), &[Need::SqlReadOnly], nowhere).is_err());
        let chosen = Identity::Chosen("./define.wasm".as_ref());
        assert!(grants.for_needs(chosen, &[Need::SqlReadOnly], nowhere).is_err());
    }

    #[test]
    fn a_file_grants_by_name_and_the_shipped_one_by_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("grants.toml");
        fs::write(&path, "[define]\ngrants = [\"sql\"]\n").unwrap();
        let mut grants = ExtensionGrants::default();
        grants.add_file(&path).unwrap();
        assert!(grants.for_needs(named("define"), &[Need::Sql], nowhere).is_ok());

        let shipped =
            format!("[[extension]]\nname = \"define\"\nsha256 = \"{ABC}\"\ngrants = [\"sql\"]\n");
        fs::write(&path, shipped).unwrap();
        let mut grants = ExtensionGrants::default();
        grants.shipped(directory.path());
        assert!(grants.for_needs(named("define"), &[Need::Sql], || Ok(sha256(b"abc"))).is_ok());
        assert!(grants.for_needs(named("define"), &[Need::Sql], || Ok(sha256(b"abd"))).is_err());
        let chosen = Identity::Chosen("./any.wasm".as_ref());
        assert!(grants.for_needs(chosen, &[Need::Sql], || Ok(sha256(b"abc"))).is_ok());
    }

    #[test]
    fn the_user_is_prompted_for_what_is_missing() {
        let mut grants = ExtensionGrants::default();
        grants.prompt_with(Box::new(|prompt| prompt.contains("`define`")));
        let granted = grants.for_needs(named("define"), &[Need::Sql], nowhere).unwrap();
        assert_eq!(granted.sql, SqlAccess::ReadWrite);
        assert!(grants.for_needs(named("other"), &[Need::Sql], nowhere).is_err());
    }
}
