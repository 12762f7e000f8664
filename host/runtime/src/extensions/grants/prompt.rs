//! The prompt before an extension is granted a capability: one line for the user at the terminal,
//! which identifies the extension so that another one cannot imitate it.

use std::ffi::OsStr;
use std::path::Path;

use super::extension_grants::Identity;
use crate::contract::types::Need;
use crate::words::escape::{escaped, shell_word};

/// Digits of the SHA-256 that are shown: enough that nobody can create another file with the same
/// ones.
const SHOWN_DIGITS: usize = 16;

/// Longest purpose that is shown, in characters; the extension wrote it.
const MAX_PURPOSE: usize = 100;

/// The extension that a grant is for.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its identity.
    pub identity: Identity<'a>,
    /// The SHA-256 of its content, as `sha256sum` prints it.
    pub sha256: &'a str,
}

impl Subject<'_> {
    /// The name that grants use.
    fn name(&self) -> &str {
        match self.identity {
            Identity::Named { name, .. } => name,
            Identity::Chosen(path) => path.file_stem().and_then(OsStr::to_str).unwrap_or_default(),
        }
    }

    /// Its name, path and hash.
    fn shown(&self) -> String {
        let path = match self.identity {
            Identity::Named { path, .. } => path,
            Identity::Chosen(path) => Some(path),
        };
        let place = match path {
            Some(path) => match std::path::absolute(path) {
                Ok(path) => format!("`{}`", escaped(&path)),
                Err(_) => format!("`{}`", escaped(path)),
            },
            None => "composed with this program".to_owned(),
        };
        let digits: String = self.sha256.chars().take(SHOWN_DIGITS).collect();
        format!("the extension `{}` ({place}, SHA-256 {}…)", escaped(self.name()), escaped(&digits))
    }

    /// The prompt.
    pub fn prompt(&self, need: &Need) -> String {
        let extension = self.shown();
        match need {
            Need::Sql => format!("let {extension} run any SQL on your connection?"),
            Need::SqlReadOnly => format!("let {extension} run SQL that only reads?"),
            Need::Directory(purpose) => {
                format!(
                    "let {extension} read the working directory (it says: `{}`)?",
                    brief(purpose)
                )
            }
            Need::Environment(variable) => {
                format!("let {extension} see the environment variable `{}`?", brief(variable))
            }
        }
    }

    /// Why it is refused, and, if it can be typed, the option that grants it.
    pub fn refusal(&self, need: &Need) -> String {
        let what = what(need);
        let word = match need {
            Need::Sql => "sql".to_owned(),
            Need::SqlReadOnly => "sql:ro".to_owned(),
            Need::Directory(_) => "dir:PATH:ro".to_owned(),
            Need::Environment(variable) => format!("env:{variable}"),
        };
        // `=` and `,` are as plain as letters here.
        let option = shell_word(&format!("{}={word}", self.name()));
        match (self.identity, option) {
            (Identity::Chosen(path), Some(option)) if let Some(path) = path_word(path) => format!(
                "it needs {what}, and no grant is for a path that SQL has chosen; \
                 name it by `--load {path}` and grant it with `--grant {option}`"
            ),
            (Identity::Named { .. }, Some(option)) => {
                format!("it needs {what}; grant it with `--grant {option}`")
            }
            _ => format!("it needs {what}, which `--grant` grants to what the user has named"),
        }
    }

    /// The same for a program without options, such as one that uses the library.
    pub fn refusal_without_options(&self, need: &Need) -> String {
        let what = what(need);
        format!(
            "it needs {what}, which only the extensions that were shipped with this library get here, \
             and those that the program grants it"
        )
    }
}

/// What a capability is.
fn what(need: &Need) -> String {
    match need {
        Need::Sql => "SQL on the connection that calls it".to_owned(),
        Need::SqlReadOnly => "SQL that only reads".to_owned(),
        Need::Directory(purpose) => format!("a directory ({})", brief(purpose)),
        Need::Environment(variable) => format!("the environment variable `{}`", brief(variable)),
    }
}

fn path_word(path: &Path) -> Option<String> {
    shell_word(path.to_str()?)
}

fn brief(text: &str) -> String {
    let cut: String = text.chars().take(MAX_PURPOSE).collect();
    escaped(&cut).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_file_and_content_in_one_line() {
        let path = Path::new("/ext/a` (`/usr/lib/csv.wasm\n\u{1b}[2K.wasm");
        let identity = Identity::Named { name: "a`\u{1b}b", path: Some(path) };
        let subject = Subject { identity, sha256: &"0123456789abcdef".repeat(4) };
        let prompt = subject.prompt(&Need::Directory("x\n`y".repeat(100)));
        assert!(prompt.contains("SHA-256 0123456789abcdef…"), "{prompt}");
        assert!(prompt.contains("`/ext/a\\u{60}"), "{prompt}");
        assert!(!prompt.contains(['\n', '\u{1b}']), "{prompt}");
        assert_eq!(prompt.matches('`').count(), 6, "{prompt}");
    }

    #[test]
    fn an_option_that_cannot_be_typed_is_left_out() {
        let refusal = |name| {
            let identity = Identity::Named { name, path: None };
            Subject { identity, sha256: "" }.refusal(&Need::Sql)
        };
        assert!(refusal("define").ends_with("grant it with `--grant define=sql`"));
        assert!(refusal("my ext").ends_with("grant it with `--grant 'my ext=sql'`"));
        assert!(refusal("a\nb").contains("which `--grant` grants"));
        let identity = Identity::Chosen(Path::new("/ext/define.wasm"));
        let refusal = Subject { identity, sha256: "" }.refusal_without_options(&Need::Sql);
        assert!(refusal.starts_with("it needs SQL") && !refusal.contains("--"), "{refusal}");
    }
}
