//! The user's history file: plain lines in the native shell's format, so that
//! both share it.
//!
//! The host opens the file before a component runs, and cuts it to its newest
//! lines. A component can only append lines that the user typed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use nix::libc::O_NONBLOCK;

/// Limit on lines in the file, as in the native shell (`process_input`'s caller in
/// `shell.c`).
const MAX_LINES: usize = 2000;

/// Bytes read from the end of the file. 2000 lines have some hundred thousand.
const MAX_BYTES: u64 = 4 << 20;

/// The history of one session.
#[derive(Debug)]
pub struct History {
    /// For appending; `None` for a file that this user cannot write.
    file: Option<File>,
    /// The lines of the file, until the editor takes them.
    lines: Vec<String>,
    /// The newest line, which is not added again.
    newest: Option<String>,
    /// Lines typed, and not yet in the file.
    typed: Vec<String>,
}

impl History {
    /// Open the file at `path`, which is created if missing; none if it is
    /// unusable or not a regular file.
    pub fn open(path: &Path) -> Option<Self> {
        let mut options = OpenOptions::new();
        // Only the user may read the lines. Opening a pipe must not block.
        options.read(true).mode(0o600).custom_flags(O_NONBLOCK);
        let writable = options.clone().append(true).create(true).open(path);
        let is_writable = writable.is_ok();
        let mut file = writable.or_else(|_| options.open(path)).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let content = newest_bytes(&mut file).ok()?;
        let lines = newest_lines(&content);
        if is_writable {
            // If cutting fails, the next start tries again.
            let _ = cut(path, &file, &content, &lines);
        }
        let lines = lines.iter().map(|line| String::from_utf8_lossy(line).into_owned());
        let lines: Vec<_> = lines.collect();
        let newest = lines.last().cloned();
        Some(Self { file: is_writable.then_some(file), lines, newest, typed: Vec::new() })
    }

    /// The lines of the file, the first time.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Add a line that the user typed.
    pub fn add(&mut self, line: &str) {
        if self.newest.as_deref() != Some(line) {
            self.newest = Some(line.to_owned());
            self.typed.push(line.to_owned());
        }
    }

    /// Append the newly typed lines with one write, since other shells may
    /// append too.
    pub fn save(&mut self) {
        let text: String = self.typed.drain(..).flat_map(|line| [line, "\n".into()]).collect();
        if let Some(file) = &mut self.file
            && !text.is_empty()
        {
            // As in the native shell, a failure is not reported.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// The last [`MAX_BYTES`] of a file.
fn newest_bytes(file: &mut File) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MAX_BYTES)))?;
    let mut content = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut content)?;
    Ok(content)
}

fn newest_lines(content: &[u8]) -> Vec<&[u8]> {
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    if content.is_empty() {
        return Vec::new();
    }
    let mut newest: Vec<_> = content.rsplit(|byte| *byte == b'\n').take(MAX_LINES).collect();
    newest.reverse();
    newest
}

/// Cut the file at `path` to `lines` if it has more. The lines are overwritten before the file is
/// truncated, so a full disk loses nothing.
fn cut(path: &Path, file: &File, content: &[u8], lines: &[&[u8]]) -> io::Result<()> {
    let kept: usize = lines.iter().map(|line| line.len() + 1).sum();
    let is_whole = file.metadata()?.len() == content.len() as u64;
    if kept >= content.len() || !is_whole {
        return Ok(());
    }
    let mut text = lines.join(&b'\n');
    text.push(b'\n');
    let cut = OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(path)?;
    cut.write_all_at(&text, 0)?;
    cut.set_len(text.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn with(content: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history");
        fs::write(&path, content).unwrap();
        (directory, path)
    }

    #[test]
    fn lines_are_appended_and_not_twice_in_a_row() {
        let (_directory, path) = with("one\n");
        let mut history = History::open(&path).unwrap();
        assert_eq!(history.take_lines(), ["one"]);
        for line in ["one", "two", "two", "one"] {
            history.add(line);
        }
        // Another shell, meanwhile.
        let mut other = History::open(&path).unwrap();
        other.add("other");
        other.save();
        history.save();
        history.save();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\nother\ntwo\none\n");
    }

    #[test]
    fn the_file_is_cut_to_its_newest_lines() {
        let all: String = (0..MAX_LINES + 5).map(|line| format!("line {line}\n")).collect();
        let (_directory, path) = with(&all);
        let mut history = History::open(&path).unwrap();
        assert_eq!(history.take_lines().len(), MAX_LINES);
        let kept = fs::read_to_string(&path).unwrap();
        assert!(
            kept.starts_with("line 5\n") && kept.ends_with(&format!("line {}\n", MAX_LINES + 4))
        );
        assert_eq!(kept.lines().count(), MAX_LINES);
    }

    #[test]
    fn only_regular_files_are_used() {
        let directory = tempfile::tempdir().unwrap();
        assert!(History::open(directory.path()).is_none());
        assert!(History::open(Path::new("/dev/null")).is_none());
    }
}
