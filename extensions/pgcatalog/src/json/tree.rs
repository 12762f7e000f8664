//! JSON as a tree, with the text that each part of it was.

use std::cmp::Ordering;

use sqlite_wasm_kit::{Error, Result};

use super::build::quoted;
use crate::numbers::Numeric;

/// Values in each other at most; PostgreSQL's own limit is its stack.
const MAX_DEPTH: u32 = 256;

/// A value.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Its text, as it was given; empty for what was made here.
    pub raw: &'a str,
    pub value: Json<'a>,
}

#[derive(Clone, Debug)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(String),
    Array(Vec<Node<'a>>),
    Object(Vec<(String, Node<'a>)>),
}

/// Whether texts are only checked, or must have a value, as in `jsonb`.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Json,
    Jsonb,
}

fn invalid() -> Error {
    "22P02: invalid input syntax for type json".into()
}

/// The tree of a text.
pub fn parse(text: &str, mode: Mode) -> Result<Node<'_>> {
    let mut reader = Reader { text, at: 0, mode, depth: 0 };
    let node = reader.value()?;
    reader.space();
    if reader.at == text.len() { Ok(node) } else { Err(invalid()) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    mode: Mode,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(invalid()) }
    }

    fn value(&mut self) -> Result<Node<'a>> {
        self.space();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("54001: JSON is nested more than {MAX_DEPTH} deep").into());
        }
        let start = self.at;
        let value = match self.peek().ok_or_else(invalid)? {
            b'{' => self.object()?,
            b'[' => self.array()?,
            b'"' => Json::Text(self.string()?),
            b'-' | b'0'..=b'9' => Json::Number(self.number()?),
            _ => self.word()?,
        };
        self.depth -= 1;
        Ok(Node { raw: &self.text[start..self.at], value })
    }

    fn object(&mut self) -> Result<Json<'a>> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(invalid());
            }
            let key = self.string()?;
            self.expect(b':')?;
            members.push((key, self.value()?));
            if !self.take(b',') {
                self.expect(b'}')?;
                return Ok(Json::Object(members));
            }
        }
    }

    fn array(&mut self) -> Result<Json<'a>> {
        self.at += 1;
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if !self.take(b',') {
                self.expect(b']')?;
                return Ok(Json::Array(elements));
            }
        }
    }

    fn word(&mut self) -> Result<Json<'a>> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += end;
        match &rest[..end] {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            _ => Err(invalid()),
        }
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(invalid()) }
    }

    fn number(&mut self) -> Result<&'a str> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => Err(invalid()),
            _ => Ok(&self.text[start..self.at]),
        }
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').ok_or_else(invalid)?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            match rest.as_bytes()[end] {
                b'"' => return Ok(out),
                b'\\' => self.escape(&mut out)?,
                _ => return Err(invalid()),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let escaped = self.peek().ok_or_else(invalid)?;
        self.at += 1;
        out.push(match escaped {
            b'"' | b'\\' | b'/' => char::from(escaped),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(out),
            _ => return Err(invalid()),
        });
        Ok(())
    }

    fn unit(&mut self) -> Result<u16> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(invalid)?;
        self.at += 4;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten().ok_or_else(invalid)
    }

    fn unicode(&mut self, out: &mut String) -> Result<()> {
        let first = self.unit()?;
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.unit()?;
            if let Some(Ok(both)) = char::decode_utf16([first, second]).next() {
                out.push(both);
                return Ok(());
            }
            self.at = before;
        }
        match char::from_u32(first.into()) {
            Some('\0') if self.mode == Mode::Jsonb => {
                Err("22P05: unsupported Unicode escape sequence".into())
            }
            Some(character) => {
                out.push(character);
                Ok(())
            }
            None if self.mode == Mode::Jsonb => Err(invalid()),
            None => {
                out.push('\u{fffd}');
                Ok(())
            }
        }
    }
}

/// The order of keys: first the shorter ones.
pub fn key_order(one: &str, other: &str) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// The digits that `jsonb` shows, which are those of `numeric`.
pub fn digits(number: &str) -> String {
    if !number.contains(['e', 'E']) && !number.starts_with("-0") {
        return number.to_owned();
    }
    Numeric::parse(number).map_or_else(|| number.to_owned(), |number| number.to_string())
}

/// Members sorted by their keys, of which the last of each counts.
pub fn sorted(members: Vec<(String, Node<'_>)>) -> Vec<(String, Node<'_>)> {
    let mut members = members;
    members.reverse();
    members.sort_by(|(one, _), (other, _)| key_order(one, other));
    members.dedup_by(|(one, _), (other, _)| one == other);
    members
}

impl<'a> Node<'a> {
    pub fn made(value: Json<'a>) -> Self {
        Self { raw: "", value }
    }

    /// A value of `jsonb`: its objects have each key once, in their order.
    pub fn canonical(self) -> Self {
        let value = match self.value {
            Json::Array(elements) => {
                Json::Array(elements.into_iter().map(Self::canonical).collect())
            }
            Json::Object(members) => {
                let members = members.into_iter().map(|(key, value)| (key, value.canonical()));
                Json::Object(sorted(members.collect()))
            }
            other => other,
        };
        Self { value, ..self }
    }

    /// The text of `jsonb`.
    pub fn write(&self, out: &mut String) {
        match &self.value {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => out.push_str(&digits(number)),
            Json::Text(text) => quoted(text, out),
            Json::Array(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    element.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    quoted(key, out);
                    out.push_str(": ");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The name of its type.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::Text(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }
}

/// The tree of `jsonb`.
pub fn jsonb(text: &str) -> Result<Node<'_>> {
    parse(text, Mode::Jsonb).map(Node::canonical)
}
