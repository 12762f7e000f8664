//! The first messages of a client: encryption, its name, and the proof of its password.

use std::io;

use sqlite_wasm_postgres::error::sqlstate::PROTOCOL_VIOLATION;
use sqlite_wasm_postgres::frames::{Bytes, violation};
use sqlite_wasm_postgres::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::out::Out;
use crate::auth::scram::{self, Exchange, Secret};

/// Bytes of a first message at most, as with Postgres.
const MAX_FIRST: u32 = 10_000;

/// Bytes of a message of the authentication at most.
const MAX_PROOF: u32 = 2048;

/// Settings of a first message at most.
const MAX_SETTINGS: usize = 64;

/// The version of the protocol, and codes instead of it.
const VERSION: u32 = 3;
const CANCEL: u32 = 80_877_102;
const SSL: u32 = 80_877_103;
const GSS: u32 = 80_877_104;

/// The codes of authentication.
const SASL: u32 = 10;
const SASL_CONTINUE: u32 = 11;
const SASL_FINAL: u32 = 12;

/// A connection of either kind.
pub trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A client's first message.
#[derive(Debug, PartialEq, Eq)]
pub enum First {
    /// It requests TLS.
    Ssl,
    /// It requests an encryption that is not supported.
    Gss,
    /// It ends a statement of another connection.
    Cancel(i32, u32),
    Start(Start),
}

/// Who a client says that it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Start {
    pub user: String,
    pub database: Option<String>,
    pub settings: Vec<(String, String)>,
    /// Options of a later protocol, which are ignored.
    pub unknown: Vec<String>,
    /// Whether the client knows a later protocol.
    pub is_later: bool,
}

/// Read the first message; `None` if the client is gone.
///
/// # Errors
///
/// If it is not one of Postgres'.
pub async fn first(io: &mut dyn Io) -> Result<Option<First>> {
    let Ok(length) = io.read_u32().await else { return Ok(None) };
    if !(8..=MAX_FIRST).contains(&length) {
        return Err(violation("invalid length of startup packet"));
    }
    let mut body = vec![0; length as usize - 4];
    match io.read_exact(&mut body).await {
        Ok(_) => read(&body).map(Some),
        Err(_) => Ok(None),
    }
}

fn read(body: &[u8]) -> Result<First> {
    let mut bytes = Bytes(body);
    let code = bytes.u32()?;
    match code {
        SSL => Ok(First::Ssl),
        GSS => Ok(First::Gss),
        CANCEL => Ok(First::Cancel(bytes.u32()? as i32, bytes.u32()?)),
        version if version >> 16 == VERSION => start(bytes, version & 0xffff > 0).map(First::Start),
        _ => Err(Error::new("0A000", "unsupported frontend protocol; the server supports 3.0")),
    }
}

fn start(mut bytes: Bytes<'_>, is_later: bool) -> Result<Start> {
    let mut start = Start { is_later, ..Start::default() };
    while bytes.0 != [0] {
        let (name, value) = (bytes.text()?, bytes.text()?);
        match name {
            "user" => start.user = value.to_owned(),
            "database" => start.database = Some(value.to_owned()),
            "options" => options(value, &mut start.settings),
            "replication" if matches!(value, "true" | "on" | "yes" | "1" | "database") => {
                return Err(Error::unsupported("replication"));
            }
            "replication" => {}
            name if name.starts_with("_pq_.") => start.unknown.push(name.to_owned()),
            name => start.settings.push((name.to_owned(), value.to_owned())),
        }
        if start.settings.len() > MAX_SETTINGS {
            return Err(Error::new(PROTOCOL_VIOLATION, "too many settings"));
        }
    }
    if start.user.is_empty() {
        Err(Error::new("28000", "no user name specified in startup packet"))
    } else {
        Ok(start)
    }
}

/// `-c name=value` and `--name=value`, the only options of the command line that are known. A
/// backslash makes any character a part of its word.
fn options(text: &str, settings: &mut Vec<(String, String)>) {
    let mut words = words(text).into_iter();
    while let Some(word) = words.next() {
        let setting = match word.strip_prefix("-c") {
            Some("") => words.next(),
            setting => setting.or(word.strip_prefix("--")).map(str::to_owned),
        };
        if let Some((name, value)) = setting.as_deref().and_then(|setting| setting.split_once('='))
        {
            settings.push((name.replace('-', "_"), value.to_owned()));
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(characters.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Send messages.
///
/// # Errors
///
/// Where the client is gone.
pub async fn send(io: &mut dyn Io, out: &mut Out) -> io::Result<()> {
    io.write_all(&out.0).await?;
    io.flush().await?;
    out.0.clear();
    Ok(())
}

/// Verify that the client knows the password.
///
/// # Errors
///
/// 28P01 if it does not, 08P01 if it does something else; `None` if it is gone.
pub async fn authenticate(
    io: &mut dyn Io,
    user: &str,
    secret: Option<&Secret>,
    key: &[u8],
) -> Result<(), Option<Error>> {
    let mut out = Out::default();
    out.authentication(SASL, format!("{}\0\0", scram::MECHANISM).as_bytes());
    send(io, &mut out).await.map_err(|_| None)?;
    let body = proof(io).await?;
    let message = initial(&body).map_err(Some)?;
    let exchange = Exchange::begin(message, user, secret, key)
        .map_err(|error| Some(violation(error.to_string())))?;
    out.authentication(SASL_CONTINUE, exchange.challenge().as_bytes());
    send(io, &mut out).await.map_err(|_| None)?;
    let body = proof(io).await?;
    let finished = std::str::from_utf8(&body).ok().and_then(|text| exchange.finish(text));
    let Some(last) = finished else {
        let message = format!("password authentication failed for user \"{user}\"");
        return Err(Some(Error::new("28P01", message)));
    };
    out.authentication(SASL_FINAL, last.as_bytes());
    send(io, &mut out).await.map_err(|_| None)
}

/// A client's message in the authentication.
async fn proof(io: &mut dyn Io) -> Result<Vec<u8>, Option<Error>> {
    let tag = io.read_u8().await.map_err(|_| None)?;
    let length = io.read_u32().await.map_err(|_| None)?;
    if tag != b'p' || !(4..=MAX_PROOF).contains(&length) {
        return Err(Some(violation("expected SASL response")));
    }
    let mut body = vec![0; length as usize - 4];
    io.read_exact(&mut body).await.map_err(|_| None)?;
    Ok(body)
}

/// What the client chose, and its first message of SCRAM.
fn initial(body: &[u8]) -> Result<&str> {
    let mut bytes = Bytes(body);
    if bytes.text()? != scram::MECHANISM {
        return Err(violation("client selected an invalid SASL authentication mechanism"));
    }
    let length = bytes.u32()? as usize;
    let message = std::str::from_utf8(bytes.0).ok().filter(|text| text.len() == length);
    message.ok_or_else(|| violation("malformed SASL response"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(code: u32, text: &[u8]) -> Vec<u8> {
        [&code.to_be_bytes(), text].concat()
    }

    #[test]
    fn first_messages_are_read() {
        assert_eq!(read(&packet(SSL, b"")).unwrap(), First::Ssl);
        assert_eq!(read(&packet(CANCEL, b"\0\0\0\x07\0\0\0\x09")).unwrap(), First::Cancel(7, 9));
        let text =
            b"user\0a\0database\0b\0options\0-c x.y=1\\ 5 -cz=2 --w-w=3\0application_name\0c\0\0";
        let First::Start(start) = read(&packet(3 << 16, text)).unwrap() else { panic!() };
        assert_eq!((start.user.as_str(), start.database.as_deref()), ("a", Some("b")));
        let settings: Vec<_> = start.settings.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(settings, ["x.y=1 5", "z=2", "w_w=3", "application_name=c"]);
        for wrong in [packet(2 << 16, b"\0"), packet(3 << 16, b"user\0a\0"), packet(3 << 16, b"\0")]
        {
            assert!(read(&wrong).is_err());
        }
    }

    #[test]
    fn any_first_message_is_read() {
        arbtest::arbtest(|u| {
            let code = *u.choose(&[SSL, GSS, CANCEL, 3 << 16, (3 << 16) + 2, 7])?;
            let rest = packet(code, u.bytes(u.len())?);
            let _ = read(&rest);
            let _ = initial(&rest);
            Ok(())
        });
    }
}
