//! Messages to standard error, which the parent may have closed and which may be a file on a full disk.

use std::io::Write;

use crate::words::escape::controls_escaped;

/// Print a message and a newline to standard error, with control characters escaped. A message that
/// cannot be written is lost: there is nowhere to report that, and `eprintln!` would panic.
pub fn complain(text: impl Into<String>) {
    let mut line = controls_escaped(text.into());
    line.push('\n');
    let _ = std::io::stderr().write_all(line.as_bytes());
}
