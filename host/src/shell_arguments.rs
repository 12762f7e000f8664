//! The command line of SQLite's shell, as far as the runner must understand
//! it: which word is the database, and which belongs to an option.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Options of the shell (3.49) that take words, and how many. With one or two
/// dashes; all others take none.
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

/// What a word of the command line is to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// An option, followed by so many words of its own.
    Option(usize),
    /// `-A…`: all that follows is for `.archive`.
    Archive,
    /// `--`: all that follows is no option.
    Separator,
    /// The database, or SQL.
    Positional,
}

impl Word {
    /// What `word` is, where an option may stand.
    pub fn of(word: &str) -> Self {
        let Some(name) = word.strip_prefix('-') else {
            return Self::Positional;
        };
        let name = name.strip_prefix('-').unwrap_or(name);
        match name {
            "" => Self::Separator,
            _ if name.starts_with('A') => Self::Archive,
            _ => Self::Option(
                OPTIONS_WITH_WORDS
                    .iter()
                    .find(|(option, _)| *option == name)
                    .map_or(0, |(_, words)| *words),
            ),
        }
    }
}

/// The shell's command that loads the extension `name`: one argument, whatever
/// characters it has, by the rules of its dot-commands.
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
pub fn database(arguments: &[String]) -> Option<PathBuf> {
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

/// The file that `.archive`'s options name: behind `--file`, or the word
/// behind a group of letters with `f` in it, such as `-Acf x.sqlar`.
fn archive(word: &str, rest: &[String]) -> Option<PathBuf> {
    if let Some(position) = rest.iter().position(|word| word == "--file" || word == "-f") {
        return file_name(rest.get(position + 1)?);
    }
    let letters = word.trim_start_matches('-').trim_start_matches('A');
    let (group, behind) = match letters {
        "" => (rest.first()?.as_str(), rest.get(1)),
        letters => (letters, rest.first()),
    };
    if group.contains('f') && !group.starts_with("--") { file_name(behind?) } else { None }
}

/// The path in a database's name, which may be a `file:` URI.
fn file_name(name: &str) -> Option<PathBuf> {
    let Some(uri) = name.strip_prefix("file:") else {
        return (!name.is_empty() && !name.starts_with(':')).then(|| name.into());
    };
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    // `file://localhost/path` and `file:///path`.
    let path = match path.strip_prefix("//") {
        Some(rest) => &rest[rest.find('/')?..],
        None => path,
    };
    let path = percent_decoded(path);
    (!path.is_empty() && !path.starts_with(b":"))
        .then(|| std::os::unix::ffi::OsStrExt::from_bytes(&path[..]))
        .map(|path: &OsStr| path.into())
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<String> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        database(&words).map(|path| path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_first_word_that_is_no_option_is_the_database() {
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
    fn archives_are_databases_too() {
        assert_eq!(found("-Acf x.sqlar file").as_deref(), Some("x.sqlar"));
        assert_eq!(found("-A cf x.sqlar file").as_deref(), Some("x.sqlar"));
        assert_eq!(found("-A --create --file x.sqlar a").as_deref(), Some("x.sqlar"));
    }
}
