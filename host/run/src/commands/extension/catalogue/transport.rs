//! How the bytes of a source come here: from a directory, or from the program that has the network.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, ensure};
use rustix::fs::{CWD, Mode, OFlags, openat};
use sqlite_wasm_catalogue::index::{INDEX, SIGNATURE};
use sqlite_wasm_catalogue::location::Location;
use sqlite_wasm_catalogue::names::file_name;
use sqlite_wasm_catalogue::request::{Request, read_reply};
use sqlite_wasm_catalogue::sources::Source;
use sqlite_wasm_runtime::installation::program_files::FETCHER;
use sqlite_wasm_runtime::words::escape::escaped;

use crate::commands::server_program::program;

/// Where requests go.
pub enum Transport {
    /// A directory, opened.
    Directory(File),
    /// A program that has the network.
    Fetcher(Fetcher),
}

impl Transport {
    /// Open a source: before the second wall, behind which no program with a network starts.
    pub fn open(source: &Source) -> Result<Self> {
        match Location::parse(&source.url)? {
            Location::Directory(path) => directory(&path).map(Self::Directory),
            _ => Fetcher::start(source).map(Self::Fetcher),
        }
    }

    /// The bytes that the request names, not more than it allows. Nothing is known of them.
    pub fn get(&mut self, request: &Request) -> Result<Vec<u8>> {
        match self {
            Self::Directory(directory) => read_in(directory, request),
            Self::Fetcher(fetcher) => fetcher.get(request),
        }
    }
}

fn directory(path: &Path) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = openat(CWD, path, flags, Mode::empty());
    Ok(opened.with_context(|| format!("failed to open `{}`", escaped(path)))?.into())
}

/// A file of the directory itself: links lead elsewhere, and a pipe may never end.
fn read_in(directory: &File, request: &Request) -> Result<Vec<u8>> {
    let name = match request {
        Request::Index => INDEX.to_owned(),
        Request::Signature => SIGNATURE.to_owned(),
        Request::File { name, version, .. } => file_name(name, version),
    };
    let read = || -> Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(directory, &*name, flags, Mode::empty())?);
        ensure!(file.metadata()?.is_file(), "it is not a file");
        let mut bytes = Vec::new();
        file.take(request.max_bytes() + 1).read_to_end(&mut bytes)?;
        let max_bytes = request.max_bytes();
        ensure!(bytes.len() as u64 <= max_bytes, "it is longer than {max_bytes} bytes");
        Ok(bytes)
    };
    read().with_context(|| format!("failed to read its file `{name}`"))
}

/// A running `sqlite-wasm-fetch`, which ends with its input.
pub struct Fetcher {
    child: Child,
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Fetcher {
    fn start(source: &Source) -> Result<Self> {
        let (mut command, _opened) =
            program(FETCHER, "install this program again, or build it by `make build`")?;
        command.arg(&source.url);
        for host in &source.redirects {
            command.args(["--redirect", host]);
        }
        if let Some(file) = &source.certificates {
            command.args(["--certificates", file]);
        }
        // Nothing of the user's environment changes where it connects.
        let command = command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = || format!("failed to start `{FETCHER}`");
        let mut child = command.stderr(Stdio::null()).spawn().with_context(failed)?;
        let (requests, replies) = (child.stdin.take(), child.stdout.take());
        let replies = BufReader::new(replies.with_context(failed)?);
        Ok(Self { child, requests, replies })
    }

    fn get(&mut self, request: &Request) -> Result<Vec<u8>> {
        // If it has ended, its reply says why.
        if let Some(requests) = &mut self.requests {
            let _ = writeln!(requests, "{request}");
        }
        read_reply(&mut self.replies, request)
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}
