//! The sources that a user has added; the list is empty by default.

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::index::{Index, Key};
use crate::location::{Location, Origin};
use crate::names::check_name;

/// The sources, in the order in which they were added.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    sources: Vec<Source>,
}

/// A source.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The user's name for it.
    pub name: String,
    /// Where it is, as [`Location::parse`] reads it.
    pub url: String,
    /// The letters of its public key.
    pub key: String,
    /// Other hosts that it may lead to, as `HOST[:PORT]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// The file of certificates to trust instead of the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<String>,
    /// The highest serial of its index that was seen.
    #[serde(default)]
    pub serial: u64,
}

impl Sources {
    /// Add a source.
    ///
    /// # Errors
    ///
    /// When a part of it is malformed, or its name is taken.
    pub fn add(&mut self, source: Source) -> Result<()> {
        check_name(&source.name)?;
        Location::parse(&source.url)?;
        Key::parse(&source.key)?;
        source.redirects.iter().try_for_each(|host| Origin::parse(host, true).map(drop))?;
        ensure!(
            self.get(&source.name).is_err(),
            "there is a source `{}` already; `extension source remove` it first",
            source.name
        );
        self.sources.push(source);
        Ok(())
    }

    /// The source of this name.
    ///
    /// # Errors
    ///
    /// When it does not exist.
    pub fn get(&self, name: &str) -> Result<&Source> {
        let found = self.sources.iter().find(|source| source.name == name);
        found.with_context(|| format!("there is no source `{}`", name.escape_debug()))
    }

    /// Remove the source of this name.
    ///
    /// # Errors
    ///
    /// When it does not exist.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        self.get(name)?;
        self.sources.retain(|source| source.name != name);
        Ok(())
    }

    /// All, or the one of this name.
    ///
    /// # Errors
    ///
    /// When no source exists, or none has this name.
    pub fn named(&self, name: Option<&str>) -> Result<Vec<Source>> {
        match name {
            Some(name) => Ok(vec![self.get(name)?.clone()]),
            None if self.sources.is_empty() => {
                bail!("there is no source; add one by `extension source add NAME URL --key KEY`")
            }
            None => Ok(self.sources.clone()),
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Accept an index of the source of this name: its serial may not be lower than one before.
    ///
    /// # Errors
    ///
    /// When it is lower.
    pub fn accept(&mut self, name: &str, index: &Index) -> Result<()> {
        let Some(source) = self.sources.iter_mut().find(|source| source.name == name) else {
            return Ok(());
        };
        ensure!(
            index.serial >= source.serial,
            "its index is an old one: it has serial {}, and {} was seen before",
            index.serial,
            source.serial
        );
        source.serial = index.serial;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, url: &str) -> Source {
        let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let key = pair.pk.to_base64();
        let name = name.to_owned();
        Source { name, url: url.into(), key, redirects: vec![], certificates: None, serial: 0 }
    }

    #[test]
    fn a_serial_never_falls() {
        let mut sources = Sources::default();
        sources.add(source("a", "https://example.org")).unwrap();
        let mut index = Index::empty();
        for (serial, is_accepted) in [(1, true), (5, true), (5, true), (4, false), (6, true)] {
            index.serial = serial;
            assert_eq!(sources.accept("a", &index).is_ok(), is_accepted, "{serial}");
        }
        assert_eq!(sources.get("a").unwrap().serial, 6);
    }

    #[test]
    fn malformed_sources_are_not_added() {
        let mut sources = Sources::default();
        assert!(sources.named(None).is_err());
        sources.add(source("a", "/srv")).unwrap();
        for wrong in
            [source("a", "/srv"), source("../a", "/srv"), source("b", "http://example.org")]
        {
            assert!(sources.add(wrong).is_err());
        }
        assert!(sources.add(Source { key: "RW".into(), ..source("c", "/srv") }).is_err());
        assert!(
            sources.add(Source { redirects: vec!["a/b".into()], ..source("d", "/srv") }).is_err()
        );
        sources.remove("a").unwrap();
        assert!(sources.remove("a").is_err() && sources.is_empty());
    }
}
