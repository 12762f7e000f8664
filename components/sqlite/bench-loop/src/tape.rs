//! The tape: a line of JSON, then steps in binary (little endian). `tooling/bench/tape.py` writes it.

use std::error::Error;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;

/// Longest text or blob, in bytes: far above that of any workload.
const MAX_VALUE_BYTES: u32 = 64 << 20;

/// A statement, which steps refer to by its index.
#[derive(Deserialize)]
pub struct Statement {
    pub sql: String,
    /// Its rows have no order, so they are compared sorted.
    #[serde(default)]
    pub unordered: bool,
    /// The program itself searches the rows for this many nearest vectors.
    #[serde(default)]
    pub neighbours: usize,
    /// The integers in the first column are shown, for the recall.
    #[serde(default)]
    pub ids: bool,
    /// Its answers need not be the same everywhere.
    #[serde(default)]
    pub approximate: bool,
}

/// The first line.
#[derive(Deserialize)]
pub struct Header {
    pub settings: Vec<String>,
    #[serde(default)]
    pub schema: Vec<String>,
    pub statements: Vec<Statement>,
    /// Queries that are run at the end; their rows are compared, too.
    #[serde(default)]
    pub gate: Vec<String>,
    /// Operations that are timed together.
    pub block: usize,
    /// Operations that are played first, untimed.
    #[serde(default)]
    pub warmup: usize,
    /// Closing the connection is timed too.
    #[serde(default)]
    pub close: bool,
    /// Where several processes are timed at once.
    pub meeting: Option<Meeting>,
}

/// How processes wait for each other: by a row of the database, which all engines have.
#[derive(Deserialize)]
pub struct Meeting {
    /// The statement that counts this process.
    pub arrive: String,
    /// The query for the count.
    pub look: String,
    /// The count with which all begin.
    pub count: u32,
}

pub enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// What a step runs.
pub enum Call {
    /// Prepared before anything is timed.
    Prepared(usize),
    /// Prepared, run and dropped.
    Text(String),
}

pub struct Step {
    pub call: Call,
    pub values: Vec<Value>,
    /// The last one of its operation.
    pub ends: bool,
}

pub struct Tape<R> {
    pub header: Header,
    input: BufReader<R>,
}

impl<R: Read> Tape<R> {
    pub fn read(input: R) -> Result<Self, Box<dyn Error>> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let mut line = String::new();
        input.read_line(&mut line)?;
        Ok(Self { header: serde_json::from_str(&line)?, input })
    }

    /// The next step, or none at the end.
    pub fn step(&mut self) -> Result<Option<Step>, Box<dyn Error>> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let kind = self.byte()?;
        let call = match kind & 0x7f {
            0 => Call::Prepared(usize::from(u16::from_le_bytes(self.bytes()?))),
            1 => Call::Text(self.text()?),
            other => return Err(format!("a step of kind {other}").into()),
        };
        let values = (0..self.byte()?).map(|_| self.value()).collect::<Result<_, _>>()?;
        Ok(Some(Step { call, values, ends: kind & 0x80 != 0 }))
    }

    /// All steps that are left.
    pub fn steps(&mut self) -> Result<Vec<Step>, Box<dyn Error>> {
        let mut steps = Vec::new();
        while let Some(step) = self.step()? {
            steps.push(step);
        }
        Ok(steps)
    }

    fn value(&mut self) -> Result<Value, Box<dyn Error>> {
        Ok(match self.byte()? {
            0 => Value::Null,
            1 => Value::Integer(i64::from_le_bytes(self.bytes()?)),
            2 => Value::Real(f64::from_le_bytes(self.bytes()?)),
            3 => Value::Text(self.text()?),
            4 => Value::Blob(self.sized()?),
            other => return Err(format!("a value of type {other}").into()),
        })
    }

    fn text(&mut self) -> Result<String, Box<dyn Error>> {
        Ok(String::from_utf8(self.sized()?)?)
    }

    fn sized(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        let size = u32::from_le_bytes(self.bytes()?);
        if size > MAX_VALUE_BYTES {
            return Err("a value is too long".into());
        }
        let mut bytes = vec![0; size as usize];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, Box<dyn Error>> {
        Ok(self.bytes::<1>()?[0])
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Box<dyn Error>> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
