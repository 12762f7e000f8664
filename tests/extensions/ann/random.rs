//! Random changes and searches, of two connections, compared with a list of all vectors.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::answers;
use crate::support::Directory;

/// Integers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// Small integers, whose distances are exact in any order of sums.
    fn vector(&mut self) -> [i64; 4] {
        std::array::from_fn(|_| self.below(41) as i64 - 20)
    }
}

type Rows = BTreeMap<i64, ([i64; 4], i64)>;

/// What a table stores of a vector.
#[derive(Clone, Copy, PartialEq)]
enum Quantize {
    None,
    Int8,
    Binary,
}

impl Quantize {
    const ALL: [Self; 3] = [Self::None, Self::Int8, Self::Binary];

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Int8 => "int8",
            Self::Binary => "binary",
        }
    }

    /// The squared distance of a query and what is stored of a vector.
    fn squared(self, stored: &[i64; 4], query: &[i64; 4]) -> f64 {
        let largest = stored.iter().map(|part| part.abs()).max().unwrap_or(0);
        let scale = largest as f32 / 127.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let distance = |(stored, query): (&i64, &i64)| {
            let rounded = (*stored as f32 * inverse).round_ties_even() * scale;
            match self {
                Self::None => ((stored - query).pow(2)) as f64,
                Self::Int8 => f64::from((rounded - *query as f32).powi(2)),
                Self::Binary => f64::from((*stored > 0) != (*query > 0)),
            }
        };
        let sum: f64 = stored.iter().zip(query).map(distance).sum();
        if self == Self::Binary { sum * sum } else { sum }
    }

    /// The squared distances of the nearest rows that have a kind.
    fn nearest(self, rows: &Rows, query: &[i64; 4], k: usize, kind: Option<i64>) -> String {
        let passing = rows.values().filter(|(_, own)| kind.is_none_or(|kind| kind == *own));
        let mut distances: Vec<f64> =
            passing.map(|(vector, _)| self.squared(vector, query)).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let distances = distances.iter().take(k).map(|it| format!("{it:.2}"));
        distances.collect::<Vec<_>>().join(",")
    }
}

/// A script of changes and searches, and what the searches must print.
struct Script {
    quantize: Quantize,
    connection: usize,
    numbers: Numbers,
    rows: Rows,
    saved: Vec<Rows>,
    sql: String,
    expected: Vec<String>,
}

impl Script {
    fn new(seed: u64, quantize: Quantize) -> Self {
        let (rows, saved, expected) = (Rows::new(), Vec::new(), Vec::new());
        let sql = format!(
            "CREATE VIRTUAL TABLE v USING ann(e float[4], kind integer, m=4, quantize={});\n",
            quantize.name()
        );
        Self { quantize, connection: 0, numbers: Numbers(seed), rows, saved, sql, expected }
    }

    /// A second connection, which some of the steps use.
    fn connect(&mut self) {
        self.sql += ".connection 1\n.open a.db\n.load ann\n.connection 0\n";
        self.connection = 0;
    }

    fn switch_connection(&mut self) {
        if self.saved.is_empty() {
            self.connection = 1 - self.connection;
            let _ = writeln!(self.sql, ".connection {}", self.connection);
        }
    }

    fn say(&mut self, sql: &str) {
        self.sql += sql;
        self.sql += ";\n";
    }

    fn step(&mut self) {
        let (id, vector) = (self.numbers.below(60) as i64, self.numbers.vector());
        let kind = self.numbers.below(3) as i64;
        let text = format!("'{vector:?}'");
        match self.numbers.below(15) {
            0..5 => {
                self.rows.insert(id, (vector, kind));
                self.say(&format!(
                    "INSERT OR REPLACE INTO v(rowid, e, kind) VALUES ({id}, {text}, {kind})"
                ));
            }
            5 => {
                self.rows.remove(&id);
                self.say(&format!("DELETE FROM v WHERE rowid = {id}"));
            }
            6 => {
                self.rows.entry(id).and_modify(|row| row.0 = vector);
                self.say(&format!("UPDATE v SET e = {text} WHERE rowid = {id}"));
            }
            7 => {
                self.rows.retain(|_, row| row.1 != kind);
                self.say(&format!("DELETE FROM v WHERE kind = {kind}"));
            }
            8 => self.transaction(),
            14 => self.switch_connection(),
            9 if self.saved.is_empty() => self.say("VACUUM"),
            9 => {
                self.say("PRAGMA integrity_check");
                self.expected.push("ok".into());
            }
            _ => self.search(&vector, kind),
        }
    }

    /// Savepoints in each other, released or taken back.
    fn transaction(&mut self) {
        let depth = self.saved.len();
        match self.numbers.below(3) {
            0 => {
                self.saved.push(self.rows.clone());
                self.say(&format!("SAVEPOINT s{depth}"));
            }
            1 if depth > 0 => {
                self.saved.pop();
                self.say(&format!("RELEASE s{}", depth - 1));
            }
            2 if depth > 0 => {
                self.rows.clone_from(&self.saved[depth - 1]);
                self.say(&format!("ROLLBACK TO s{}", depth - 1));
            }
            _ => {}
        }
    }

    fn search(&mut self, query: &[i64; 4], kind: i64) {
        let k = self.numbers.below(12) as usize;
        let kind = k.is_multiple_of(2).then_some(kind);
        let filter = kind.map_or(String::new(), |kind| format!(" AND kind = {kind}"));
        let exact = if k.is_multiple_of(3) { " AND exact = 1" } else { "" };
        self.say(&format!(
            "SELECT ifnull(group_concat(round(distance * distance, 2)), '') FROM \
             (SELECT distance FROM v WHERE e MATCH '{query:?}' AND k = {k}{filter}{exact} ORDER BY distance)"
        ));
        self.expected.push(self.quantize.nearest(&self.rows, query, k, kind));
    }

    fn end(&mut self) {
        if !self.saved.is_empty() {
            self.say("RELEASE s0");
            self.saved.clear();
        }
        self.say("PRAGMA integrity_check");
        self.expected.push("ok".into());
    }
}

#[test]
fn random_changes_are_searched_as_a_list_is() {
    for (seed, quantize) in (1..).zip(Quantize::ALL) {
        let directory = Directory::fresh(&format!("ann-random-{seed}"));
        let mut script = Script::new(seed, quantize);
        // Each run opens the database anew.
        for _ in 0..4 {
            script.connect();
            (0..150).for_each(|_| script.step());
            script.end();
            answers(&directory, &script.sql, &script.expected);
            script.sql.clear();
            script.expected.clear();
        }
    }
}

/// `cargo test … ann::random::soak -- --ignored`, with `SOAK_MINUTES` for another time
#[test]
#[ignore = "fifteen minutes of random changes"]
fn soak() {
    let begin = std::time::Instant::now();
    let minutes = std::env::var("SOAK_MINUTES").map_or(15, |it| it.parse().expect("a number"));
    let mut seed = 1000;
    while begin.elapsed().as_secs() < 60 * minutes {
        seed += 1;
        let directory = Directory::fresh("ann-soak");
        let mut script = Script::new(seed, Quantize::ALL[seed as usize % 3]);
        script.connect();
        (0..1500).for_each(|_| script.step());
        script.end();
        answers(&directory, &script.sql, &script.expected);
    }
}
