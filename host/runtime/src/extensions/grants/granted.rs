//! The capabilities of an extension, and the words with which the user grants them.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::filesystem::grants::Access;
use crate::installation::user_directories::Homes;
use crate::words::escape::escaped;

/// The SQL that an extension may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SqlAccess {
    /// None.
    #[default]
    None,
    /// Only SQL that reads.
    ReadOnly,
    /// All.
    ReadWrite,
}

/// A directory that an extension may access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The name that the user wrote; the extension may use this name too.
    pub name: String,
    /// The path of the directory.
    pub host: PathBuf,
    /// The access to it.
    pub access: Access,
    /// Not named by the user: the dotfiles of home directories stay hidden.
    pub hides_dotfiles: bool,
}

impl Directory {
    fn open(name: &str, access: Access) -> Result<Self> {
        let host = std::fs::canonicalize(name)
            .with_context(|| format!("failed to grant the directory `{}`", escaped(name)))?;
        Ok(Self { name: name.to_owned(), host, access, hides_dotfiles: false })
    }

    /// The names under which the extension finds it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let whole = self.host.to_str().filter(|whole| *whole != self.name);
        std::iter::once(self.name.as_str()).chain(whole)
    }
}

/// One granted capability.
pub(super) enum Word<'a> {
    Sql(SqlAccess),
    Directory(&'a str, Access),
    Variable(&'a str),
}

impl<'a> Word<'a> {
    /// Read `sql`, `sql:ro`, `dir:PATH`, `dir:PATH:ro` or `env:VARIABLE`.
    ///
    /// # Errors
    ///
    /// When it is not one of these.
    pub fn parse(word: &'a str) -> Result<Self> {
        match word.split_once(':') {
            None if word == "sql" => Ok(Self::Sql(SqlAccess::ReadWrite)),
            Some(("sql", "ro")) => Ok(Self::Sql(SqlAccess::ReadOnly)),
            Some(("dir", path)) if !path.is_empty() => Ok(match path.strip_suffix(":ro") {
                Some(path) => Self::Directory(path, Access::ReadOnly),
                None => Self::Directory(path, Access::ReadWrite),
            }),
            Some(("env", name)) if !name.is_empty() => Ok(Self::Variable(name)),
            _ => bail!(
                "`{}` is nothing to grant; use `sql`, `sql:ro`, `dir:PATH`, `dir:PATH:ro` or `env:VARIABLE`",
                escaped(word)
            ),
        }
    }
}

/// The capabilities of an extension. By default it has none: no SQL, no files, no environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Granted {
    /// SQL on the caller's connection.
    pub sql: SqlAccess,
    /// Directories.
    pub directories: Vec<Directory>,
    /// Variables of the environment, with their values.
    pub environment: Vec<(String, String)>,
}

impl Granted {
    /// Add the grants in `words`; see [`Word::parse`].
    ///
    /// # Errors
    ///
    /// When a word is invalid, or the directory or variable is missing.
    pub fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Result<()> {
        words.into_iter().try_for_each(|word| self.add_word(word))
    }

    fn add_word(&mut self, word: &str) -> Result<()> {
        match Word::parse(word)? {
            Word::Sql(access) => self.sql = self.sql.max(access),
            Word::Directory(path, access) => self.directories.push(Directory::open(path, access)?),
            Word::Variable(name) => {
                let value = env::var(name)
                    .with_context(|| format!("failed to grant the variable `{}`", escaped(name)))?;
                self.environment.push((name.to_owned(), value));
            }
        }
        Ok(())
    }

    /// Add the grants of `other`.
    pub fn join(&mut self, other: &Self) {
        self.sql = self.sql.max(other.sql);
        self.directories.extend(other.directories.iter().cloned());
        self.environment.extend(other.environment.iter().cloned());
    }

    /// Grant reading of the working directory, as far as that is harmless: a `y` at a prompt grants
    /// less than a directory that the user has typed.
    ///
    /// # Errors
    ///
    /// When there is no working directory, or when it is the root or a hidden directory in a home
    /// directory.
    pub(super) fn add_working_directory(&mut self) -> Result<()> {
        let directory = Directory::open(".", Access::ReadOnly)?;
        if directory.host.parent().is_none() || Homes::of_user().is_behind_dot(&directory.host) {
            let name = escaped(&directory.host);
            bail!("`{name}` is granted only by `--grant NAME=dir:{name}:ro`");
        }
        self.directories.push(Directory { hides_dotfiles: true, ..directory });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_add_up() {
        let mut granted = Granted::default();
        granted.add(["sql:ro", "sql", "sql:ro", "dir:.:ro"]).unwrap();
        assert_eq!(granted.sql, SqlAccess::ReadWrite);
        assert_eq!(granted.directories[0].access, Access::ReadOnly);
        assert_eq!(granted.directories[0].names().next(), Some("."));
    }

    #[test]
    fn unknown_words_are_refused() {
        for word in ["", "sql:rw", "dir", "dir:", "env:", "net", "dir:/no/such/directory"] {
            assert!(Granted::default().add([word]).is_err(), "{word}");
        }
    }
}
