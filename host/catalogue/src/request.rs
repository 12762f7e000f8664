//! The requests of the runner to `sqlite-wasm-fetch`: a line for each request, and for each reply a
//! line with the length and then the bytes, or a line with an error.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};

use crate::index::{Facts, MAX_FILE_BYTES, MAX_INDEX_BYTES, MAX_SIGNATURE_BYTES};
use crate::names::{check_name, check_sha256, parse_version};

/// Longest line of a request or a reply.
const MAX_LINE_BYTES: u64 = 4096;

/// A request for bytes of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The index.
    Index,
    /// The signature of the index.
    Signature,
    /// The file of an extension.
    File {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// Its SHA-256.
        sha256: String,
        /// Its length.
        bytes: u64,
    },
}

impl Request {
    /// For the file of an extension.
    pub fn file(facts: &Facts) -> Self {
        Self::File {
            name: facts.name.clone(),
            version: facts.version.clone(),
            sha256: facts.sha256.clone(),
            bytes: facts.bytes,
        }
    }

    /// Most bytes of the reply.
    pub fn max_bytes(&self) -> u64 {
        match self {
            Self::Index => MAX_INDEX_BYTES,
            Self::Signature => MAX_SIGNATURE_BYTES,
            Self::File { bytes, .. } => *bytes,
        }
    }
}

/// As one line.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index => f.write_str("index"),
            Self::Signature => f.write_str("signature"),
            Self::File { name, version, sha256, bytes } => {
                write!(f, "file {name} {version} {sha256} {bytes}")
            }
        }
    }
}

impl FromStr for Request {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self> {
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["index"] => Ok(Self::Index),
            ["signature"] => Ok(Self::Signature),
            ["file", name, version, sha256, bytes] => {
                check_name(name)?;
                parse_version(version)?;
                check_sha256(sha256)?;
                let bytes = bytes.parse().context("a length is a number")?;
                ensure!(bytes <= MAX_FILE_BYTES, "a file has up to {MAX_FILE_BYTES} bytes");
                let (version, sha256) = (version.to_owned(), sha256.to_owned());
                Ok(Self::File { name: name.to_owned(), version, sha256, bytes })
            }
            _ => bail!("a request is `index`, `signature` or `file NAME VERSION SHA256 BYTES`"),
        }
    }
}

/// Write the reply to a request.
///
/// # Errors
///
/// When the reader went away.
pub fn write_reply(out: &mut impl Write, reply: &Result<Vec<u8>>) -> io::Result<()> {
    match reply {
        Ok(bytes) => {
            writeln!(out, "ok {}", bytes.len())?;
            out.write_all(bytes)?;
        }
        Err(error) => {
            let mut line = format!("error {error:#}").replace(['\n', '\r'], " ");
            line.truncate(line.floor_char_boundary(MAX_LINE_BYTES as usize - 1));
            writeln!(out, "{line}")?;
        }
    }
    out.flush()
}

/// Read the reply to `request`.
///
/// # Errors
///
/// The error of the reply, or that it is malformed or too long.
pub fn read_reply(input: &mut impl BufRead, request: &Request) -> Result<Vec<u8>> {
    let line = read_line(input)?.context("it ended without a reply")?;
    let length: u64 = match line.split_once(' ') {
        Some(("ok", length)) => length.parse().context("its reply has no length")?,
        Some(("error", message)) => bail!("{message}"),
        _ => bail!("its reply is malformed"),
    };
    ensure!(length <= request.max_bytes(), "its reply is longer than it may be");
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 == length, "its reply is incomplete");
    Ok(bytes)
}

/// A line without its end; none at the end of the input.
///
/// # Errors
///
/// When it is too long, or is not UTF-8.
pub fn read_line(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = String::new();
    input.by_ref().take(MAX_LINE_BYTES).read_line(&mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let line = line.strip_suffix('\n').context("a line has no end")?;
    Ok(Some(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_were_written() {
        let (name, version) = ("a".to_owned(), "1.0.0".to_owned());
        let file = Request::File { name, version, sha256: "0f".repeat(32), bytes: 7 };
        for request in [Request::Index, Request::Signature, file] {
            assert_eq!(request.to_string().parse::<Request>().unwrap(), request);
        }
        for line in ["", "index 1", "file ../a 1.0.0 0f 1", "file a 1.0.0 0f 1", "file a", "other"]
        {
            assert!(line.parse::<Request>().is_err(), "{line}");
        }
    }

    #[test]
    fn replies_are_bounded() {
        let read = |bytes: &[u8]| read_reply(&mut &bytes[..], &Request::Signature);
        let mut written = Vec::new();
        write_reply(&mut written, &Ok(b"a\nb".to_vec())).unwrap();
        assert_eq!(read(&written).unwrap(), b"a\nb");
        written.clear();
        write_reply(&mut written, &Err(Error::msg("no\nroom").context("it failed"))).unwrap();
        assert_eq!(read(&written).unwrap_err().to_string(), "it failed: no room");
        written.clear();
        write_reply(&mut written, &Err(Error::msg("é".repeat(5000)))).unwrap();
        assert!(read(&written).unwrap_err().to_string().starts_with("éé"));
        for reply in ["", "ok", "ok x\n", "ok 4097\n", "ok 5\nabc", "maybe 1\na", &"x".repeat(5000)]
        {
            assert!(read(reply.as_bytes()).is_err(), "{reply}");
        }
    }
}
