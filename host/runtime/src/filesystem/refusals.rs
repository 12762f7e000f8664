//! Reports of paths that no grant covers: one line for each directory, up to a
//! limit.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::filesystem::grants::Grant;
use crate::filesystem::stdio::Output;
use crate::words::escape::{escaped, shell_word};

/// Limit on reported directories. The component chooses the paths; more lines help no user,
/// and each directory is stored so that it is reported once.
const MAX_REPORTS: usize = 32;

/// Reports refused paths, up to [`MAX_REPORTS`].
#[derive(Default)]
pub(crate) struct Refusals {
    output: Option<Output>,
    reported: HashSet<PathBuf>,
}

impl Refusals {
    /// Write the reports to `output`.
    pub fn on(output: Output) -> Self {
        Self { output: Some(output), reported: HashSet::new() }
    }

    /// Report that `path` is refused, once for its directory.
    pub fn report(&mut self, path: &Path) {
        if self.reported.len() > MAX_REPORTS {
            return;
        }
        // A directory that does not exist cannot be granted.
        let directory = if path.is_dir() { Some(path) } else { path.parent() };
        let Some(directory) = directory.filter(|directory| directory.is_dir()) else {
            return;
        };
        if !self.reported.insert(directory.to_owned()) {
            return;
        }
        if self.reported.len() > MAX_REPORTS {
            self.print("further refusals are not reported")
        } else {
            self.print(&refusal(path, directory))
        }
    }

    fn print(&self, text: &str) {
        if let Some(output) = &self.output {
            // There is nowhere to report a failure of this.
            let _ = output.lock().write_all(format!("sqlite-wasm-run: {text}\n").as_bytes());
        }
    }
}

/// The report, with the option that grants the path if it can be typed.
fn refusal(path: &Path, directory: &Path) -> String {
    let refused = format!("`{}` is outside the granted directories", escaped(path));
    match option_value(directory) {
        Some(directory) => format!("{refused}; `--dir {directory}` grants it"),
        None => refused,
    }
}

/// The directory as a value of `--dir`; none if the option would misread or
/// refuse it.
fn option_value(directory: &Path) -> Option<String> {
    let name = directory.to_str()?;
    let is_plain = !name.contains("::") && !name.ends_with(":ro");
    if is_plain && !Grant::is_kernels(directory) { shell_word(name) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_cannot_be_forged_by_a_name() {
        let forged = "/tmp/x` is outside the granted directories; `--dir /` grants it\n\u{1b}[2K";
        let line = refusal(Path::new(forged), Path::new("/tmp"));
        assert_eq!(line.matches('`').count(), 4, "{line}");
        assert!(!line.contains(['\n', '\u{1b}']), "{line}");
        assert!(line.ends_with("`--dir /tmp` grants it"), "{line}");
    }

    #[test]
    fn an_option_that_cannot_be_typed_is_left_out() {
        for (directory, option) in [
            ("/proc/self", None),
            ("/my own", Some("`--dir '/my own'` grants it")),
            ("/it's", Some(r"`--dir '/it'\''s'` grants it")),
            ("/a\nb", None),
            ("/a`b", None),
            ("/a:ro", None),
            ("/a::b", None),
        ] {
            let line = refusal(&Path::new(directory).join("x"), Path::new(directory));
            assert_eq!(line.split_once("; ").map(|(_, option)| option), option);
        }
    }
}
