//! A small client of the Postgres wire, which can also send what no client sends.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroU32;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac, pbkdf2};

use super::support::{PATIENCE, Server};

/// A message of the server.
pub type Message = (char, Vec<u8>);

pub struct Client<S = TcpStream> {
    pub stream: S,
    pub key: Vec<u8>,
}

/// A message of a client.
pub fn message(tag: char, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[tag as u8][..], &length, body].concat()
}

pub fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

/// The first message.
pub fn start(user: &str, database: &str) -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    for word in ["user", user, "database", database, "application_name", "test"] {
        body.extend(text(word));
    }
    body.push(0);
    packet(&body)
}

/// A message without a type.
pub fn packet(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

pub fn parse(name: &str, sql: &str, types: &[u32]) -> Vec<u8> {
    let mut body = [text(name), text(sql)].concat();
    body.extend((types.len() as u16).to_be_bytes());
    types.iter().for_each(|ty| body.extend(ty.to_be_bytes()));
    message('P', &body)
}

/// Text values for a statement, whose results are text or binary.
pub fn bind(portal: &str, statement: &str, values: &[Option<&str>], format: u16) -> Vec<u8> {
    let mut body = [text(portal), text(statement), vec![0, 0]].concat();
    body.extend((values.len() as u16).to_be_bytes());
    for value in values {
        let length = value.map_or(-1, |value| value.len() as i32);
        body.extend(length.to_be_bytes());
        body.extend(value.unwrap_or_default().as_bytes());
    }
    body.extend([0, 1]);
    body.extend(format.to_be_bytes());
    message('B', &body)
}

pub fn execute(portal: &str, rows: u32) -> Vec<u8> {
    message('E', &[text(portal), rows.to_be_bytes().to_vec()].concat())
}

pub fn sync() -> Vec<u8> {
    message('S', &[])
}

impl Client {
    /// A client of `shop.db`.
    pub fn new(server: &Server) -> Self {
        Self::of(server.postgres())
    }

    pub fn of(address: SocketAddr) -> Self {
        let mut client = Self::begin(address, "local", "shop");
        client.greeted();
        client
    }

    pub fn begin(address: SocketAddr, user: &str, database: &str) -> Self {
        let mut client = Self::connect(address);
        client.send(&start(user, database));
        client
    }

    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, key: Vec::new() }
    }
}

impl<S: Read + Write> Client<S> {
    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn try_receive(&mut self) -> io::Result<Message> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut body = vec![0; length - 4];
        self.stream.read_exact(&mut body)?;
        Ok((head[0] as char, body))
    }

    pub fn receive(&mut self) -> Message {
        self.try_receive().unwrap()
    }

    /// The messages up to ReadyForQuery.
    pub fn until_ready(&mut self) -> Vec<Message> {
        let mut all = Vec::new();
        loop {
            all.push(self.receive());
            if all.last().is_some_and(|(tag, _)| *tag == 'Z') {
                return all;
            }
        }
    }

    /// Authenticated, up to the first ReadyForQuery: the settings.
    pub fn greeted(&mut self) -> Vec<(String, String)> {
        let all = self.until_ready();
        assert_eq!(all[0], ('R', vec![0; 4]), "{}", shown(&all));
        self.key = all.iter().find(|(tag, _)| *tag == 'K').unwrap().1.clone();
        let setting = |(tag, body): &Message| {
            let text = String::from_utf8_lossy(body).into_owned();
            let (name, value) = text.trim_end_matches('\0').split_once('\0')?;
            (*tag == 'S').then(|| (name.to_owned(), value.to_owned()))
        };
        all.iter().filter_map(setting).collect()
    }

    /// Prove a password.
    pub fn prove(&mut self, password: &str) {
        let first = "n,,n=,r=0123456789";
        let initial = [text("SCRAM-SHA-256"), (first.len() as u32).to_be_bytes().to_vec()].concat();
        assert_eq!(self.receive().1, b"\0\0\0\x0aSCRAM-SHA-256\0\0");
        self.send(&message('p', &[initial, first.into()].concat()));
        let challenge = String::from_utf8(self.receive().1[4..].to_vec()).unwrap();
        let part = |name: &str| {
            challenge.split(',').find_map(|part| part.strip_prefix(name)).unwrap().to_owned()
        };
        let salt = STANDARD.decode(part("s=")).unwrap();
        let rounds = NonZeroU32::new(part("i=").parse().unwrap()).unwrap();
        let mut salted = [0; 32];
        let algorithm = pbkdf2::PBKDF2_HMAC_SHA256;
        pbkdf2::derive(algorithm, rounds, &salt, password.as_bytes(), &mut salted);
        let mac = |key: &[u8], text: &[u8]| {
            hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text).as_ref().to_vec()
        };
        let key = mac(&salted, b"Client Key");
        let unproved = format!("c=biws,r={}", part("r="));
        let covered = format!("n=,r=0123456789,{challenge},{unproved}");
        let stored = digest::digest(&digest::SHA256, &key);
        let signature = mac(stored.as_ref(), covered.as_bytes());
        let proof: Vec<u8> = key.iter().zip(signature).map(|(one, other)| one ^ other).collect();
        let last = format!("{unproved},p={}", STANDARD.encode(proof));
        self.send(&message('p', last.as_bytes()));
    }

    /// The messages that a query gets.
    pub fn query(&mut self, sql: &str) -> Vec<Message> {
        self.send(&message('Q', &text(sql)));
        self.until_ready()
    }

    /// The rows of a query: cells between `|`, lines between line feeds.
    pub fn rows(&mut self, sql: &str) -> String {
        let all = self.query(sql);
        assert!(all.iter().all(|(tag, _)| *tag != 'E'), "{sql}: {}", shown(&all));
        rows(&all)
    }

    /// The SQLSTATE and message of a failing query.
    pub fn error(&mut self, sql: &str) -> (String, String) {
        let all = self.query(sql);
        error(&all).unwrap_or_else(|| panic!("{sql}: {}", shown(&all)))
    }
}

/// The rows of messages.
pub fn rows(all: &[Message]) -> String {
    let rows = all.iter().filter(|(tag, _)| *tag == 'D');
    rows.map(|(_, body)| cells(body).join("|")).collect::<Vec<_>>().join("\n")
}

fn cells(mut body: &[u8]) -> Vec<String> {
    let count = u16::from_be_bytes([body[0], body[1]]);
    body = &body[2..];
    let cell = |_| {
        let length = i32::from_be_bytes(body[..4].try_into().unwrap());
        let (cell, rest) = body[4..].split_at(length.max(0) as usize);
        body = rest;
        if length < 0 { "NULL".to_owned() } else { String::from_utf8_lossy(cell).into_owned() }
    };
    (0..count).map(cell).collect()
}

/// The first error among messages.
pub fn error(all: &[Message]) -> Option<(String, String)> {
    let (_, body) = all.iter().find(|(tag, _)| *tag == 'E')?;
    let field = |name: u8| {
        let fields = body.split(|byte| *byte == 0);
        let mut fields = fields.filter_map(|field| field.split_first());
        let found = fields.find(|(found, _)| **found == name);
        found.map(|(_, text)| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    };
    Some((field(b'C'), field(b'M')))
}

/// The types of messages, and their texts.
pub fn shown(all: &[Message]) -> String {
    let one = |(tag, body): &Message| format!("{tag} {}", String::from_utf8_lossy(body));
    all.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The types of messages.
pub fn tags(all: &[Message]) -> String {
    all.iter().map(|(tag, _)| *tag).collect()
}
