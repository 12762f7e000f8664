//! The command line of SQLite's shell, as far as the runner parses it to find
//! the database.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Options of the shell (3.49) with values, and how many values each takes. They have one or two
/// dashes; all other options have no values.
const OPTIONS_WITH_WORDS: &[(&str, usize)] = &[
    ("cmd", 1),
    ("heap", 1),
    ("init", 1),
    ("lookaside", 2),
    ("maxsize", 1),
    ("mmap", 1),
    ("newline", 1),
    ("nonce", 1),
    ("nullvalue", 1),
    ("pagecache", 2),
    ("separator", 1),
    ("sorterref", 1),
    ("threadsafe", 1),
    ("vfs", 1),
];

/// The role of a word on the shell's command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// An option, followed by this many values.
    Option(usize),
    /// `-A…`: all further words are for `.archive`.
    Archive,
    /// `--`: all further words are positional.
    Separator,
    /// The database, or SQL.
    Positional,
}

impl Word {
    /// The role of `word` where options are allowed.
    pub fn of(word: impl AsRef<OsStr>) -> Self {
        let Some(name) = word.as_ref().as_bytes().strip_prefix(b"-") else {
            return Self::Positional;
        };
        let name = name.strip_prefix(b"-").unwrap_or(name);
        match name {
            b"" => Self::Separator,
            [b'A', ..] => Self::Archive,
            _ => Self::Option(
                OPTIONS_WITH_WORDS
                    .iter()
                    .find(|(option, _)| option.as_bytes() == name)
                    .map_or(0, |(_, words)| *words),
            ),
        }
    }
}

/// The shell's command that loads the extension `name`, quoted by the rules of
/// dot-commands.
pub fn load_command(name: &str) -> String {
    let mut command = String::from(".load \"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => command.extend(['\\', letter]),
            '\n' => command.push_str("\\n"),
            '\r' => command.push_str("\\r"),
            _ => command.push(letter),
        }
    }
    command.push('"');
    command
}

/// The database that the shell's arguments name: a file, not `:memory:` or
/// another special name.
pub fn database(arguments: &[OsString]) -> Option<PathBuf> {
    let mut rest = arguments.iter();
    let mut options_end = false;
    let word = loop {
        let word = rest.next()?;
        match Word::of(word) {
            _ if options_end => break word,
            Word::Positional => break word,
            Word::Separator => options_end = true,
            Word::Archive => return archive(word, rest.as_slice()),
            Word::Option(words) => {
                rest.by_ref().take(words).for_each(drop);
            }
        }
    };
    file_name(word)
}

/// The file that `.archive`'s options name: after `--file`, or after a group of
/// letters with `f`, such as `-Acf x.sqlar`.
fn archive(word: &OsStr, rest: &[OsString]) -> Option<PathBuf> {
    if let Some(position) = rest.iter().position(|word| word == "--file" || word == "-f") {
        return file_name(rest.get(position + 1)?);
    }
    let dashes = word.as_bytes().iter().take_while(|byte| matches!(byte, b'-' | b'A')).count();
    let (group, behind) = match &word.as_bytes()[dashes..] {
        b"" => (rest.first()?.as_bytes(), rest.get(1)),
        letters => (letters, rest.first()),
    };
    if group.contains(&b'f') && !group.starts_with(b"--") { file_name(behind?) } else { None }
}

/// The path in a database's name, which may be a `file:` URI.
fn file_name(name: &OsStr) -> Option<PathBuf> {
    let name = name.as_bytes();
    let path = match name.strip_prefix(b"file:") {
        Some(uri) => uri_path(uri)?,
        None => name.to_vec(),
    };
    (!path.is_empty() && !path.starts_with(b":")).then(|| OsString::from_vec(path).into())
}

fn uri_path(uri: &[u8]) -> Option<Vec<u8>> {
    let path = uri.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
    // `file://localhost/path` and `file:///path`.
    let path = match path.strip_prefix(b"//") {
        Some(rest) => &rest[rest.iter().position(|byte| *byte == b'/')?..],
        None => path,
    };
    Some(percent_decoded(path))
}

fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).filter(|_| *first == b'%');
        let escape = digits.and_then(|hex| std::str::from_utf8(hex).ok());
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                rest = &behind[2..];
            }
            None => {
                decoded.push(*first);
                rest = behind;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        database(&words).map(|path| path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_first_positional_word_is_the_database() {
        assert_eq!(found("-json my.db select").as_deref(), Some("my.db"));
        assert_eq!(found("--cmd .mode my.db").as_deref(), Some("my.db"));
        assert_eq!(found("-lookaside 0 0 my.db").as_deref(), Some("my.db"));
        assert_eq!(found("-- -odd.db").as_deref(), Some("-odd.db"));
        assert_eq!(found("-csv"), None);
    }

    #[test]
    fn memory_has_no_file() {
        assert_eq!(found(":memory:"), None);
        assert_eq!(found("file::memory:?cache=shared"), None);
    }

    #[test]
    fn names_of_extensions_are_one_argument() {
        assert_eq!(load_command("csv"), r#".load "csv""#);
        assert_eq!(load_command("my ext.wasm"), r#".load "my ext.wasm""#);
        assert_eq!(load_command("a\\b\"c\n"), r#".load "a\\b\"c\n""#);
    }

    #[test]
    fn uris_name_files() {
        assert_eq!(found("file:a%20b.db?mode=ro").as_deref(), Some("a b.db"));
        assert_eq!(found("file:///data/x.db#1").as_deref(), Some("/data/x.db"));
        assert_eq!(found("file://localhost/x.db").as_deref(), Some("/x.db"));
    }

    #[test]
    fn names_are_bytes() {
        let name = OsString::from_vec(b"\xff.db".to_vec());
        assert_eq!(database(std::slice::from_ref(&name)), Some(PathBuf::from(&name)));
        let uri = OsString::from_vec(b"file:\xfe%20x.db".to_vec());
        assert_eq!(database(&[uri]), Some(OsString::from_vec(b"\xfe x.db".to_vec()).into()));
    }

    #[test]
    fn archives_are_databases_too() {
        assert_eq!(found("-Acf x.sqlar file").as_deref(), Some("x.sqlar"));
        assert_eq!(found("-A cf x.sqlar file").as_deref(), Some("x.sqlar"));
        assert_eq!(found("-A --create --file x.sqlar a").as_deref(), Some("x.sqlar"));
    }
}
