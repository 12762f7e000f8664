//! The command line: the runner's own options, and the arguments of SQLite's
//! shell.
//!
//! The shell's options need no separator: `sqlite-wasm-run -json my.db` works.
//! The runner therefore sorts the words before clap parses them. Long options
//! of the runner can appear anywhere before the SQL; all other words are the
//! shell's. The first of those is the component if it ends with `.wasm` or
//! `.cwasm`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use sqlite_wasm_runtime::runner::shell_arguments::Word;
use sqlite_wasm_runtime::wall::exit_code;

use crate::commands::completions::Completions;
use crate::commands::compose::Compose;
use crate::commands::doctor::Doctor;
use crate::commands::extension::Extension;
use crate::commands::man::ManPage;
use crate::commands::mcp::Mcp;
use crate::commands::precompile::Precompile;
use crate::commands::run::RunOptions;
use crate::commands::serve::Serve;
use sqlite_wasm_runtime::words::complaint::complain;

const ABOUT: &str = "\
Runs SQLite's command-line shell in a WebAssembly sandbox, like `sqlite3`.

By default the sandbox can access the working directory, and the
directory of the database named on the command line, but not `/` and not
dotfiles in the home directory. In those places, and if the database is a
symbolic link, it can access only the database. There are no other files, no
network and no programs. The environment contains only HOME,
XDG_CONFIG_HOME and SQLITE_HISTORY.";

const USAGE: &str = "\
sqlite-wasm-run [OPTIONS] [COMPONENT.wasm|.cwasm] [SQLITE3 ARGUMENTS...]
       sqlite-wasm-run <COMMAND>";

/// The names of the commands. They are listed here because clap takes 40 µs to
/// build its definitions, which most starts do not need.
const COMMANDS: &[&str] =
    &["compose", "precompile", "extension", "serve", "mcp", "doctor", "completions", "man"];

/// The runner's own part of the command line.
#[derive(Debug, Default, Parser)]
#[command(
    name = "sqlite-wasm-run",
    about = ABOUT,
    override_usage = USAGE,
    after_help = exit_code::HELP,
    disable_version_flag = true,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Cli {
    /// The command, if it is not to run a component.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How a component is run.
    #[command(flatten)]
    pub run: RunOptions,
}

/// The commands other than running a component.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Combine the shell and extensions in one component.
    Compose(Compose),
    /// Compile a component ahead of time.
    Precompile(Precompile),
    /// List and inspect extensions.
    Extension(Extension),
    /// Serve databases to many clients, each in its own sandbox.
    Serve(Serve),
    /// Offer databases to agents by the Model Context Protocol, each call in its own sandbox.
    Mcp(Mcp),
    /// Check what this machine offers, and a database.
    Doctor(Doctor),
    /// Print a shell completion script.
    Completions(Completions),
    /// Print the manual page in roff format.
    Man(ManPage),
}

/// A command line, sorted.
#[derive(Debug)]
pub struct Sorted {
    /// The runner's own part.
    pub cli: Cli,
    /// The component, if one is named.
    pub component: Option<PathBuf>,
    /// The shell's arguments, without the program's name.
    pub shell: Vec<OsString>,
}

/// Sort and parse the words behind the program's name.
///
/// # Errors
///
/// Clap's error, which also carries the text of `--help`.
pub fn parse(words: Vec<OsString>) -> Result<Sorted, clap::Error> {
    if words.first().and_then(|word| word.to_str()).is_some_and(|word| COMMANDS.contains(&word)) {
        let cli = Cli::try_parse_from(std::iter::once("sqlite-wasm-run".into()).chain(words))?;
        return Ok(Sorted { cli, component: None, shell: Vec::new() });
    }
    let mut sorter = Sorter::default();
    sorter.sort(words);
    let cli = if sorter.own.is_empty() {
        Cli::default()
    } else {
        Cli::try_parse_from(std::iter::once("sqlite-wasm-run".into()).chain(sorter.own))?
    };
    Ok(Sorted { cli, component: sorter.component, shell: sorter.shell })
}

/// Print clap's error: help as it is, a usage error in one line.
///
/// # Errors
///
/// When the help cannot be printed.
pub fn report(error: &clap::Error) -> Result<ExitCode> {
    if !error.use_stderr() {
        error.print()?;
        return Ok(ExitCode::SUCCESS);
    }
    match error.kind() {
        // A command without its subcommand: the help names them.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.print()?,
        _ => complain(usage_error(&error.render().to_string())),
    }
    Ok(exit_code::ExitCode::Usage.into())
}

/// Clap's message with its tips, without the usage, in one line.
fn usage_error(text: &str) -> String {
    let is_shown = |part: &&str| part.starts_with("error:") || part.starts_with("tip:");
    let parts: Vec<String> = text
        .split("\n\n")
        .map(str::trim)
        .filter(is_shown)
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    format!("{}; see `--help`", parts.join("; "))
}

#[derive(Default)]
struct Sorter {
    own: Vec<OsString>,
    component: Option<PathBuf>,
    shell: Vec<OsString>,
}

impl Sorter {
    fn sort(&mut self, words: Vec<OsString>) {
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if let Some(takes_value) = own_option(&word) {
                self.own.push(word);
                self.own.extend(words.by_ref().take(usize::from(takes_value)));
                continue;
            }
            match Word::of(&word) {
                Word::Positional if self.is_component(&word) => {
                    self.component = Some(word.into());
                }
                Word::Option(count) => {
                    self.shell.push(word);
                    self.shell.extend(words.by_ref().take(count));
                }
                Word::Archive | Word::Separator => {
                    self.shell.push(word);
                    self.shell.extend(words.by_ref());
                }
                Word::Positional => self.shell.push(word),
            }
        }
    }

    /// Whether `word` is the first positional word and has a component's file
    /// name.
    fn is_component(&self, word: &OsStr) -> bool {
        let is_first = self.component.is_none()
            && self.shell.iter().all(|word| Word::of(word) != Word::Positional);
        let word = word.as_bytes();
        is_first && (word.ends_with(b".wasm") || word.ends_with(b".cwasm"))
    }
}

/// For an option of the runner: whether its value is the next word.
fn own_option(word: &OsStr) -> Option<bool> {
    let name = word.as_bytes().strip_prefix(b"--")?;
    // Only the value can be invalid UTF-8.
    let end = name.iter().position(|byte| *byte == b'=');
    let has_value = end.is_some();
    let name = std::str::from_utf8(&name[..end.unwrap_or(name.len())]).ok()?;
    if name == "help" {
        return Some(false);
    }
    let command = Cli::command();
    let option = command.get_arguments().find(|option| option.get_long() == Some(name))?;
    Some(option.get_action().takes_values() && !has_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> Sorted {
        parse(line.split_whitespace().map(OsString::from).collect()).unwrap()
    }

    #[test]
    fn the_shells_options_need_no_separator() {
        let line = sorted("-json my.db SELECT");
        assert_eq!(line.shell, ["-json", "my.db", "SELECT"]);
        assert_eq!(line.component, None);
    }

    #[test]
    fn the_first_word_may_be_a_component() {
        let line = sorted("--no-cache cli.cwasm -csv my.db other.wasm");
        assert_eq!(line.component, Some("cli.cwasm".into()));
        assert_eq!(line.shell, ["-csv", "my.db", "other.wasm"]);
    }

    #[test]
    fn values_of_the_shells_options_are_not_looked_at() {
        let line = sorted("-cmd --no-cache my.db");
        assert_eq!(line.shell, ["-cmd", "--no-cache", "my.db"]);
    }

    #[test]
    fn own_options_may_follow_the_shells() {
        let line = sorted("-csv --timeout 5 my.db");
        assert_eq!(line.shell, ["-csv", "my.db"]);
        assert!(line.cli.run.timeout.is_some());
    }

    #[test]
    fn commands_and_defaults_agree_with_clap() {
        let command = Cli::command();
        let names: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, COMMANDS);
        let parsed = Cli::try_parse_from(["sqlite-wasm-run"]).unwrap();
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Cli::default()));
    }

    #[test]
    fn usage_errors_are_one_line() {
        let error = Cli::try_parse_from(["sqlite-wasm-run", "extension", "lst"]).unwrap_err();
        let line = usage_error(&error.render().to_string());
        assert!(line.starts_with("error: unrecognized subcommand 'lst'; tip: "), "{line}");
        assert!(line.ends_with("'list'; see `--help`"), "{line}");
        let error = Cli::try_parse_from(["sqlite-wasm-run", "compose"]).unwrap_err();
        let line = usage_error(&error.render().to_string());
        assert!(line.contains("not provided: --embed <NAME,...>; see"), "{line}");
    }

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
