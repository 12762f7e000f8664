//! The audit: a line of JSON for each statement. A call whose lines cannot be written fails, and
//! changes nothing.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{Mode, OFlags, openat, renameat};
use serde_json::{Value, json};
use sqlite_wasm_runtime::installation::owner::{OTHERS, is_private, replaceable_in};
use sqlite_wasm_runtime::words::escape::escaped;

/// Characters of a statement in its line; a longer one is cut.
const MAX_STATEMENT: usize = 64 << 10;

/// Characters of other texts of a client.
const MAX_TEXT: usize = 200;

/// A statement, or a tool without one.
#[derive(Debug, Clone)]
pub struct Record {
    pub client: String,
    pub tool: &'static str,
    pub database: String,
    pub statement: String,
    pub took: Duration,
    pub rows: u64,
    pub outcome: &'static str,
}

/// The file.
pub struct Audit {
    directory: File,
    name: OsString,
    max_bytes: u64,
    open: Mutex<Open>,
}

struct Open {
    file: File,
    bytes: u64,
}

impl Audit {
    /// Open the file, which belongs to this user alone, or create it.
    ///
    /// # Errors
    ///
    /// Where others can read it, or replace it.
    pub fn open(path: &Path, max_bytes: u64) -> Result<Self> {
        let shown = escaped(path);
        let name = path.file_name().with_context(|| format!("`{shown}` is not a file"))?.to_owned();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent: PathBuf = parent.unwrap_or(Path::new(".")).to_owned();
        let directory = File::open(&parent)
            .with_context(|| format!("failed to open the directory of `{shown}`"))?;
        let file =
            open_in(&directory, &name).with_context(|| format!("failed to open `{shown}`"))?;
        let found = file.metadata()?;
        ensure!(found.is_file(), "`{shown}` is not a file");
        ensure!(
            is_private(&found, OTHERS),
            "others can read or write `{shown}`; `chown` it to yourself and `chmod 600` it"
        );
        if let Some(above) = replaceable_in(&file)? {
            bail!("others own `{}` or may write it, and could replace `{shown}`", escaped(&above));
        }
        let open = Mutex::new(Open { file, bytes: found.len() });
        Ok(Self { directory, name, max_bytes, open })
    }

    /// The directory, in which a file that is full gets another name.
    pub fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Write the lines of a call, all or none.
    ///
    /// # Errors
    ///
    /// The system's: the disk is full.
    pub fn write(&self, records: &[Record]) -> io::Result<()> {
        let lines: String = records.iter().map(line).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.bytes > 0 && open.bytes + lines.len() as u64 > self.max_bytes {
            self.rotate(&mut open)?;
        }
        let written =
            open.file.write_all_at(lines.as_bytes(), open.bytes).and_then(|()| open.file.flush());
        match written {
            Ok(()) => open.bytes += lines.len() as u64,
            // No half of a line stays.
            Err(_) => open.file.set_len(open.bytes)?,
        }
        written
    }

    fn rotate(&self, open: &mut Open) -> io::Result<()> {
        let mut before = self.name.clone();
        before.push(".1");
        renameat(&self.directory, &self.name, &self.directory, &before)?;
        *open = Open { file: open_in(&self.directory, &self.name)?, bytes: 0 };
        Ok(())
    }
}

fn open_in(directory: &File, name: &OsString) -> io::Result<File> {
    // A named pipe without a reader does not block.
    let flags =
        OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(openat(directory, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// In ASCII: characters that move the cursor or the direction of writing are escaped.
fn line(record: &Record) -> String {
    let json: Value = json!({
        "time": jiff::Timestamp::now().to_string(),
        "client": cut(&record.client, MAX_TEXT),
        "tool": record.tool,
        "database": cut(&record.database, MAX_TEXT),
        "statement": cut(&record.statement, MAX_STATEMENT),
        "milliseconds": record.took.as_micros() as f64 / 1000.0,
        "rows": record.rows,
        "outcome": record.outcome,
    });
    let mut line = String::new();
    let mut units = [0; 2];
    for letter in json.to_string().chars() {
        match letter {
            ' '..='~' => line.push(letter),
            _ => letter
                .encode_utf16(&mut units)
                .iter()
                .for_each(|unit| line.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    line.push('\n');
    line
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn record(statement: &str) -> Record {
        let (client, database) = ("c\u{1b}[2J".to_owned(), "shop".to_owned());
        let statement = statement.to_owned();
        Record {
            client,
            tool: "query",
            database,
            statement,
            took: Duration::from_micros(1500),
            rows: 3,
            outcome: "ok",
        }
    }

    #[test]
    fn lines_are_ascii_and_come_back() {
        let line = line(&record("SELECT '\n\u{202e}é\u{1f600}\u{7f}'"));
        assert!(line.trim_end().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{line}");
        let json: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["statement"], "SELECT '\n\u{202e}é\u{1f600}\u{7f}'");
        assert_eq!((json["milliseconds"].as_f64(), json["rows"].as_u64()), (Some(1.5), Some(3)));
        assert_eq!(cut("éab", 2), "éa…");
    }

    #[test]
    fn a_full_file_gets_another_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit");
        let size = line(&record("1")).len() as u64;
        // The time may have fewer digits.
        let audit = Audit::open(&path, 2 * size + 20).unwrap();
        for _ in 0..3 {
            audit.write(&[record("1")]).unwrap();
        }
        let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
        assert_eq!((lines(&path), lines(&directory.path().join("audit.1"))), (1, 2));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // It goes on where it ended.
        Audit::open(&path, 1 << 20).unwrap().write(&[record("2")]).unwrap();
        assert_eq!(lines(&path), 2);
    }

    #[test]
    fn what_others_can_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("audit");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = |path: &Path| Audit::open(path, 1).err().map(|error| format!("{error:#}"));
        assert!(refused(&path).unwrap().contains("chmod 600"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(refused(&path), None);
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(refused(&link).is_some());
        assert!(refused(Path::new("/dev/full")).is_some());
    }
}
