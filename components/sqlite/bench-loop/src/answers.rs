//! The answers of a tape, as all players write them down: `tooling/bench/peers` do it alike.

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::tape::Statement;

/// Rows that are shown, so that a difference can be looked at.
const SHOWN: usize = 5;

#[derive(Default)]
pub struct Answers {
    digest: Sha256,
    rows: u64,
    shown: Vec<String>,
    ids: Vec<Vec<i64>>,
    gate: Vec<String>,
}

impl Answers {
    /// The rows of one step, each as [`row`] has it.
    pub fn add(&mut self, mut rows: Vec<String>, unordered: bool) {
        if unordered {
            rows.sort_unstable();
        }
        self.rows += rows.len() as u64;
        self.shown.extend(rows.iter().take(SHOWN - self.shown.len().min(SHOWN)).cloned());
        for row in rows {
            self.digest.update(row);
            self.digest.update(b"\n");
        }
        self.digest.update(b";\n");
    }

    /// The rows of a statement, as it says they are to be compared.
    pub fn add_statement(&mut self, rows: Vec<String>, about: &Statement) {
        if about.ids {
            let first = |row: &String| row.split('|').next()?.strip_prefix('i')?.parse().ok();
            self.ids.push(rows.iter().filter_map(first).collect());
        }
        if about.approximate {
            self.rows += rows.len() as u64;
        } else {
            self.add(rows, about.unordered);
        }
    }

    /// The rows of a statement that looks at the result.
    pub fn add_gate(&mut self, rows: Vec<String>) {
        self.gate.extend(rows);
    }

    pub fn json(mut self) -> Json {
        self.digest.update(self.gate.join("\n"));
        // Of whole tables, which the digest holds.
        self.gate.truncate(SHOWN);
        let digest: String =
            self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        json!({"digest": digest, "rows": self.rows, "shown": self.shown, "ids": self.ids, "gate": self.gate})
    }
}

/// One value: its type, and exactly its value.
pub enum Field<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

pub fn row<'a>(fields: impl Iterator<Item = Field<'a>>) -> String {
    let written: Vec<String> = fields
        .map(|field| match field {
            Field::Null => "n".to_owned(),
            Field::Integer(value) => format!("i{value}"),
            // The bits, since languages print reals in different ways; there is one zero.
            Field::Real(value) => format!("r{:016x}", (value + 0.0).to_bits()),
            Field::Text(bytes) => format!("t{}", String::from_utf8_lossy(bytes)),
            Field::Blob(bytes) => format!("b{:x}", Sha256::digest(bytes)),
        })
        .collect();
    written.join("|")
}
