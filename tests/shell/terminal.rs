//! A user at a terminal: prompts, line editing, completion, history, start-up
//! file, Ctrl-C and Ctrl-D.

use std::fs;
use std::path::PathBuf;

use crate::support::terminal::{CTRL_C, CTRL_D, LEFT, TAB, Terminal, UP};
use crate::support::{self, Directory, ENDLESS, End};

/// The prompt, and the one in the middle of a statement.
const PROMPT: &str = "sqlite> ";
const CONTINUATION: &str = "   ...> ";

/// The directory where a user works, which is also their home.
struct Home {
    directory: Directory,
}

impl Home {
    fn fresh(name: &str) -> Self {
        Self { directory: Directory::fresh(name) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn holds(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("the directory is ours");
        fs::write(path, text).expect("the directory is ours");
    }

    /// A terminal with the shell at its first prompt.
    fn shell(&self, args: &[&str]) -> Terminal {
        let mut terminal = self.starting(args, &[]);
        terminal.shows(PROMPT);
        terminal
    }

    /// A terminal with a shell that is starting.
    fn starting(&self, args: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let program = support::our_binary();
        let mut command = support::command(&program, args, &self.directory.path());
        command.envs(variables.iter().copied());
        Terminal::open(command)
    }

    fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

#[test]
fn a_session_greets_as_natively_and_ends_with_ctrl_d() {
    let home = Home::fresh("greeting");
    let version = support::natively(&home.directory.path(), &["-version"]);
    let version: Vec<_> = version.out().split(' ').take(3).map(String::from).collect();
    let mut terminal = home.starting(&[], &[]);
    let greeting = terminal.shows(PROMPT);
    let first = format!("SQLite version {}", version.join(" "));
    assert!(greeting.starts_with(&first), "{greeting}");
    assert!(greeting.contains("Enter \".help\" for usage hints."), "{greeting}");
    assert!(greeting.contains("transient in-memory database"), "{greeting}");
    terminal.enters("SELECT 6 * 7;");
    terminal.shows("42\n");
    terminal.shows(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends().0, End::Exited(0));
}

#[test]
fn a_statement_goes_on_after_the_continuation_prompt() {
    let home = Home::fresh("continuation");
    let mut terminal = home.shell(&[":memory:"]);
    for (line, prompt) in [
        ("SELECT", CONTINUATION),
        ("'a", "'  ...> "),
        ("b' || (", "(x1...> "),
        ("'c')", CONTINUATION),
    ] {
        terminal.enters(line);
        terminal.shows(prompt);
    }
    terminal.enters(";");
    terminal.shows("a\nbc\n");
    terminal.shows(PROMPT);
}

#[test]
fn prompts_can_be_set() {
    let home = Home::fresh("prompts");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters(".prompt first# second#");
    terminal.shows("first#");
    terminal.enters("SELECT");
    terminal.shows("second#");
}

#[test]
fn a_line_can_be_edited() {
    let home = Home::fresh("editing");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.types("SELECT 13;");
    terminal.types(&LEFT.repeat(2));
    terminal.enters("2");
    terminal.shows("123\n");
    // Backspace, then to the beginning and the end of the line.
    terminal.types("ELECT 45x\x7f\x01S\x05");
    terminal.enters("6;");
    terminal.shows("456\n");
}

#[test]
fn letters_beyond_ascii_can_be_typed() {
    let home = Home::fresh("letters");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.types("SELECT length('aé日😀x');");
    terminal.types(&LEFT.repeat(4));
    terminal.types("\x7f");
    terminal.enters("");
    terminal.shows("4\n");
}

#[test]
fn tab_completes_tables_columns_and_keywords() {
    let home = Home::fresh("completion");
    let mut terminal = home.shell(&["test.db"]);
    terminal.enters("CREATE TABLE albums(artist_name, title_of_it);");
    terminal.shows(PROMPT);
    terminal.enters("INSERT INTO albums VALUES ('found', 'too');");
    terminal.shows(PROMPT);
    for (typed, rest, shown) in [
        ("SELECT artist_name FROM alb", ";", "found\n"),
        ("SELECT title_of", " FROM albums;", "too\n"),
        ("SELECT 'key' WHERE 1 NOT NU", ";", "key\n"),
    ] {
        terminal.types(typed);
        terminal.types(TAB);
        terminal.enters(rest);
        terminal.shows(shown);
        terminal.shows(PROMPT);
    }
}

/// What fits more than one name shows them all.
#[test]
fn tab_shows_what_a_word_could_become() {
    let home = Home::fresh("candidates");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters("CREATE TABLE planets(a); CREATE TABLE plants(a);");
    terminal.shows(PROMPT);
    terminal.types("SELECT a FROM plan");
    terminal.types(&TAB.repeat(2));
    let shown = terminal.shows("plants");
    assert!(shown.contains("planets"), "{shown}");
    // The line is shown again, and can be finished.
    terminal.shows("SELECT a FROM plan");
    terminal.enters("ets;");
    let shown = terminal.shows(PROMPT);
    assert!(!shown.contains("rror"), "{shown}");
}

/// Whole scripts are pasted, and programs such as `expect` type faster than a
/// user.
#[test]
fn lines_typed_ahead_are_not_lost() {
    let home = Home::fresh("ahead");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.types("SELECT 'first' || 1;\rSELECT 'second' || 2;\rSELECT 'third' || 3;\r");
    for line in ["first1\n", "second2\n", "third3\n"] {
        terminal.shows(line);
    }
}

#[test]
fn lines_typed_while_a_statement_runs_are_not_lost() {
    let home = Home::fresh("meanwhile");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters(&ENDLESS.replace("FROM c)", "FROM c WHERE i < 3000000)"));
    terminal.waits_until_busy();
    terminal.enters("SELECT 'meanwhile' || 1;");
    terminal.shows("3000000\n");
    terminal.shows("meanwhile1\n");
}

#[test]
fn the_history_is_kept_and_read_again() {
    let home = Home::fresh("history");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters("SELECT 'kept';");
    terminal.shows("kept\n");
    terminal.shows(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends().0, End::Exited(0));
    assert_eq!(home.read(".sqlite_history"), "SELECT 'kept';\n");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters(UP);
    terminal.shows("kept\n");
    terminal.shows(PROMPT);
    terminal.enters("SELECT 'more';");
    terminal.shows("more\n");
    terminal.shows(PROMPT);
    terminal.enters(".quit");
    assert_eq!(terminal.ends().0, End::Exited(0));
    let history = home.read(".sqlite_history");
    assert!(
        history.starts_with("SELECT 'kept';\n") && history.contains("SELECT 'more';\n"),
        "{history}"
    );
}

#[test]
fn the_history_lies_where_sqlite_history_says() {
    let home = Home::fresh("history-place");
    let place = home.path("other-place").display().to_string();
    let mut terminal = home.starting(&[":memory:"], &[("SQLITE_HISTORY", &place)]);
    terminal.shows(PROMPT);
    terminal.enters("SELECT 'kept';");
    terminal.shows("kept\n");
    terminal.shows(PROMPT);
    terminal.types(CTRL_D);
    terminal.ends();
    assert_eq!(home.read("other-place"), "SELECT 'kept';\n");
    assert!(!home.path(".sqlite_history").exists());
}

/// What a user typed is nobody else's.
#[test]
fn the_history_is_readable_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::fresh("history-mode");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters(".quit");
    terminal.ends();
    let metadata = fs::metadata(home.path(".sqlite_history")).expect("it is kept");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}

/// The directories of both files need not be granted for that.
#[test]
fn the_start_up_file_is_read_with_a_word_about_it() {
    let home = Home::fresh("start-up");
    let file = "home/.config/sqlite3/sqliterc";
    home.holds(file, ".headers on\n.print from the start-up file\n");
    home.holds("work/empty", "");
    let place = home.path("home").display().to_string();
    let history = home.path("home/.sqlite_history").display().to_string();
    let program = support::our_binary();
    let mut command = support::command(&program, &[":memory:"], &home.path("work"));
    command.env("HOME", &place).env("SQLITE_HISTORY", history);
    let mut terminal = Terminal::open(command);
    let greeting = terminal.shows(PROMPT);
    let file = home.path(file).display().to_string();
    let word = format!("-- Loading resources from {file}\nfrom the start-up file\n");
    assert!(greeting.starts_with(&word), "{greeting}");
    terminal.enters("SELECT 1 AS heading;");
    terminal.shows("heading\n1\n");
    terminal.shows(PROMPT);
    terminal.enters(".quit");
    assert_eq!(terminal.ends().0, End::Exited(0));
    assert!(home.path("home/.sqlite_history").exists(), "the history was not kept");
}

#[test]
fn the_start_up_file_of_the_configuration_directory_goes_first() {
    let home = Home::fresh("start-up-config");
    home.holds(".config/sqlite3/sqliterc", ".print from the home\n");
    home.holds("config/sqlite3/sqliterc", ".print from the configuration\n");
    let config = home.path("config").display().to_string();
    let mut terminal = home.starting(&[":memory:"], &[("XDG_CONFIG_HOME", &config)]);
    let greeting = terminal.shows(PROMPT);
    assert!(greeting.contains("from the configuration"), "{greeting}");
    assert!(!greeting.contains("from the home"), "{greeting}");
}

#[test]
fn another_start_up_file_takes_its_place() {
    let home = Home::fresh("start-up-other");
    home.holds(".config/sqlite3/sqliterc", ".print from the home\n");
    home.holds("other.sql", ".print from the other\n");
    let mut terminal = home.starting(&["-init", "other.sql", ":memory:"], &[]);
    let greeting = terminal.shows(PROMPT);
    assert!(
        greeting.contains("from the other") && !greeting.contains("from the home"),
        "{greeting}"
    );
}

#[test]
fn ctrl_c_stops_the_statement_and_the_shell_lives_on() {
    let home = Home::fresh("interrupt");
    let mut terminal = home.shell(&[":memory:"]);
    for _ in 0..3 {
        terminal.enters(".print starts");
        terminal.shows("starts\n");
        terminal.enters(ENDLESS);
        terminal.waits_until_busy();
        terminal.types(CTRL_C);
        terminal.shows("interrupted (9)\n");
        terminal.shows(PROMPT);
    }
    terminal.enters("SELECT 'lives' || ' on';");
    terminal.shows("lives on\n");
    terminal.shows(PROMPT);
    terminal.enters(".exit 4");
    assert_eq!(terminal.ends().0, End::Exited(4));
}

/// As with the line editor of the native shell: neither this line nor those
/// before it are lost.
#[test]
fn ctrl_c_at_a_prompt_keeps_what_was_typed() {
    let home = Home::fresh("keeps");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.types("SELECT 'fist'");
    terminal.types(&LEFT.repeat(3));
    terminal.types(CTRL_C);
    terminal.shows(PROMPT);
    terminal.enters("r");
    terminal.shows(CONTINUATION);
    terminal.types(", 'second'");
    terminal.shows("second'");
    terminal.types(CTRL_C);
    terminal.shows(CONTINUATION);
    terminal.enters(";");
    terminal.shows("first|second\n");
}

#[test]
fn a_second_ctrl_c_in_a_line_ends_the_shell() {
    let home = Home::fresh("second");
    let mut terminal = home.shell(&[":memory:"]);
    for line in ["SELECT 'one' || 1;", "SELECT 'two' || 2;"] {
        terminal.types(CTRL_C);
        terminal.shows(PROMPT);
        terminal.enters(line);
        terminal.shows(PROMPT);
    }
    terminal.types("SELECT");
    terminal.types(CTRL_C);
    terminal.shows(PROMPT);
    terminal.types(CTRL_C);
    assert_eq!(terminal.ends().0, End::Exited(1));
}

#[test]
fn ctrl_d_within_a_statement_ends_the_shell() {
    let home = Home::fresh("within");
    let mut terminal = home.shell(&[":memory:"]);
    terminal.enters("SELECT 1");
    terminal.shows(CONTINUATION);
    terminal.types(CTRL_D);
    let (end, shown) = terminal.ends();
    assert!(matches!(end, End::Exited(0 | 1)), "{end:?}: {shown}");
}

/// The terminal is as it was: a shell after ours would echo.
#[test]
fn the_terminal_is_left_as_it_was() {
    let home = Home::fresh("left");
    let program = support::our_binary();
    let program = program.to_str().expect("its path is UTF-8");
    let script =
        "before=$(stty -g); \"$0\" :memory:; test \"$before\" = \"$(stty -g)\" && echo same";
    let mut command =
        support::command("/bin/sh".as_ref(), &["-c", script, program], &home.directory.path());
    command.env("PATH", "/usr/bin:/bin");
    let mut terminal = Terminal::open(command);
    terminal.shows(PROMPT);
    terminal.types(CTRL_D);
    terminal.shows("same\n");
}

/// Only on a terminal, and it goes when the compiler is done.
#[test]
fn compiling_shows_progress() {
    let home = Home::fresh("progress");
    let component = support::portable_component();
    let component = component.to_str().expect("its path is UTF-8");
    let mut terminal = home.starting(&["--no-cache", component, ":memory:"], &[]);
    terminal.shows("compiling cli.wasm");
    terminal.shows(PROMPT);
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends().0, End::Exited(0));
}

/// A script on standard input is not a session, even when its output is seen.
#[test]
fn a_script_at_a_terminal_has_no_prompts() {
    let home = Home::fresh("script");
    home.holds("script.sql", "SELECT 'from' || ' the script';\n");
    let program = support::our_binary();
    let program = program.to_str().expect("its path is UTF-8");
    let words = ["-c", "\"$0\" :memory: <script.sql", program];
    let command = support::command("/bin/sh".as_ref(), &words, &home.directory.path());
    let (end, shown) = Terminal::open(command).ends();
    assert_eq!((end, shown.as_str()), (End::Exited(0), "from the script\n"));
}
