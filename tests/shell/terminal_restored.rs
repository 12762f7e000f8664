//! However the program ends while a line is edited, the terminal is left as it
//! was found.

use crate::support::terminal::{CTRL_D, Terminal};
use crate::support::{self, Directory, End};
use nix::libc::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};

fn shell(directory: &Directory, args: &[&str]) -> Terminal {
    let args = [args, &[":memory:"]].concat();
    let command = support::command(&support::our_binary(), &args, &directory.path());
    let mut terminal = Terminal::open(command);
    terminal.shows("sqlite> ");
    terminal
}

fn is_cooked(terminal: &std::fs::File) -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    let settings = tcgetattr(terminal).expect("it is a terminal");
    settings.local_modes.contains(LocalModes::ECHO | LocalModes::ICANON)
}

#[test]
fn signals_restore_the_terminal_and_end_the_program() {
    for signal in [SIGTERM, SIGHUP, SIGQUIT] {
        let directory = Directory::fresh("signal");
        let terminal = shell(&directory, &[]);
        assert!(!terminal.is_cooked(), "the line editor sets the terminal");
        let other_end = terminal.other_end();
        terminal.signal(signal);
        assert_eq!(terminal.ends().0, End::Signalled);
        assert!(is_cooked(&other_end), "after signal {signal}");
    }
}

/// The control: a program that is killed cannot restore it.
#[test]
fn only_a_signal_that_cannot_be_caught_leaves_it() {
    let directory = Directory::fresh("killed");
    let terminal = shell(&directory, &[]);
    let other_end = terminal.other_end();
    terminal.signal(SIGKILL);
    assert_eq!(terminal.ends().0, End::Signalled);
    assert!(!is_cooked(&other_end));
}

#[test]
fn the_time_limit_restores_the_terminal() {
    let directory = Directory::fresh("timeout");
    let terminal = shell(&directory, &["--timeout", "500ms"]);
    let other_end = terminal.other_end();
    let (end, shown) = terminal.ends();
    assert_eq!(end, End::Exited(124));
    assert!(shown.contains("--timeout"), "{shown}");
    assert!(is_cooked(&other_end));
}

#[test]
fn two_interrupts_from_outside_restore_the_terminal() {
    let directory = Directory::fresh("interrupts");
    let terminal = shell(&directory, &[]);
    let other_end = terminal.other_end();
    terminal.signal(SIGINT);
    terminal.signal(SIGINT);
    // One may arrive before the other is handled, and counts once.
    terminal.signal(SIGTERM);
    assert_ne!(terminal.ends().0, End::Exited(0));
    assert!(is_cooked(&other_end));
}

#[test]
fn an_ordinary_end_leaves_it_as_it_was() {
    let directory = Directory::fresh("ordinary");
    let mut terminal = shell(&directory, &[]);
    let other_end = terminal.other_end();
    terminal.types(CTRL_D);
    assert_eq!(terminal.ends().0, End::Exited(0));
    assert!(is_cooked(&other_end));
}
