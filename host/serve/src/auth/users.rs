//! The file of users:
//!
//! ```toml
//! [alice]
//! tokens = ["sha256:…"]              # what `--new-token` prints
//! password = "SCRAM-SHA-256$…"       # what `--new-password` prints, for Postgres
//! databases = { shop = "write", "*" = "read" }
//! ```

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use access::policy::Role;
use access::token::{TokenHash, parse_hash};
use anyhow::{Context, Result};
use serde::Deserialize;
use sqlite_wasm_runtime::installation::owner::{read_trusted, wrong_toml};
use sqlite_wasm_runtime::words::escape::escaped;

use super::User;
use super::scram::Secret;

/// Longest file, in bytes: thousands of users.
const MAX_FILE_BYTES: u64 = 4 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    tokens: Vec<String>,
    password: Option<String>,
    databases: HashMap<String, Role>,
}

/// The users of a file.
#[derive(Debug)]
pub struct Users(Vec<(Vec<TokenHash>, Option<Secret>, Arc<User>)>);

impl Users {
    /// Read the file.
    ///
    /// # Errors
    ///
    /// If it is missing or malformed, or if others may change it.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = escaped(path);
        let text = read_trusted(path, MAX_FILE_BYTES);
        let text = text.with_context(|| format!("failed to read the users of `{shown}`"))?;
        Self::parse(&text).with_context(|| format!("`{shown}` is not a file of users"))
    }

    fn parse(text: &str) -> Result<Self> {
        let entries: BTreeMap<String, Entry> =
            toml::from_str(text).map_err(|error| wrong_toml(text, &error))?;
        let users = entries.into_iter().map(|(name, entry)| {
            let tokens: Result<_> = entry.tokens.iter().map(|token| parse_hash(token)).collect();
            let tokens = tokens.with_context(|| format!("user `{}`", escaped(&name)))?;
            let password = entry.password.as_deref().map(Secret::parse).transpose();
            let password = password.with_context(|| format!("user `{}`", escaped(&name)))?;
            Ok((tokens, password, Arc::new(User { name, roles: entry.databases })))
        });
        users.collect::<Result<_>>().map(Self)
    }

    pub fn passwords(&self) -> HashMap<String, (Secret, Arc<User>)> {
        let with = self.0.iter().filter_map(|(_, secret, user)| {
            Some((user.name.clone(), (secret.clone()?, user.clone())))
        });
        with.collect()
    }

    pub fn by_token(self) -> HashMap<TokenHash, Arc<User>> {
        let pairs = self.0.into_iter().flat_map(|(tokens, _, user)| {
            tokens.into_iter().map(move |token| (token, user.clone()))
        });
        pairs.collect()
    }
}

#[cfg(test)]
mod tests {
    use access::token::{hash, shown_hash};

    use super::*;

    #[test]
    fn tokens_are_hashes() {
        let text = format!(
            "[alice]\ntokens = [\"{}\"]\ndatabases = {{ shop = \"write\", \"*\" = \"read\" }}",
            shown_hash("secret")
        );
        let users = Users::parse(&text).unwrap().by_token();
        let alice = &users[&hash("secret")];
        assert_eq!(alice.role("shop"), Some(Role::Write));
        assert_eq!(alice.role("other"), Some(Role::Read));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, why) in [
            ("[a]\ntokens = [\"clear\"]\ndatabases = {}", "never in clear"),
            ("[a]\ntokens = [\"sha256:12\"]\ndatabases = {}", "64 hexadecimal"),
            ("[a]\ntoken = \"x\"\ndatabases = {}", "token"),
            ("[a]\ndatabases = { x = \"root\" }", "root"),
            ("[a]\n", "databases"),
        ] {
            let error = format!("{:#}", Users::parse(text).unwrap_err());
            assert!(error.contains(why), "{text}: {error}");
        }
        let none = Users::parse("[a]\ndatabases = { x = \"read\" }").unwrap();
        assert!(none.by_token().is_empty());
    }
}
