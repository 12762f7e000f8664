//! `hybrid`: the results of a search by words and one by a vector, as one.

use std::collections::HashMap;

use sql_tokens::quoted_name;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table, Value, sql};

use crate::inputs::{self, text};
use crate::registry;
use crate::search::Request;
use crate::storage::first;

/// Most rows of a result.
const MAX_K: i64 = 1000;

/// Rows of each search for one of the result: what is far behind in one of them can
/// still be among the best of both.
const CANDIDATES: usize = 10;

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const RANK_OFFSET: f64 = 60.0;

pub struct HybridTable;

impl Table for HybridTable {
    type Cursor = HybridCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        let declaration = "CREATE TABLE x(score, bm25, distance, fts_table HIDDEN, \
            vector_table HIDDEN, text HIDDEN, vector HIDDEN, k HIDDEN, method HIDDEN)";
        Ok((Self, declaration.into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let by_score = matches!(&info.order[..], [term] if term.column == 0 && term.descending);
        plan.order_consumed = by_score;
        inputs::best_index(info, plan, 3, 5)
    }

    fn open(&mut self) -> Result<HybridCursor> {
        Ok(HybridCursor::default())
    }
}

#[derive(Default)]
pub struct HybridCursor {
    found: std::vec::IntoIter<Scored>,
}

/// A row, and what the searches say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Scored {
    row_id: i64,
    score: f64,
    bm25: Option<f64>,
    distance: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    ReciprocalRanks,
    /// With the share of the words.
    Weighted(f64),
}

impl Cursor for HybridCursor {
    type Table = HybridTable;

    fn filter(&mut self, _: &mut HybridTable, mut scan: Scan) -> Result<()> {
        let [fts, vectors, words, vector, k, method] = inputs::inputs(&mut scan);
        let k = match k.whole() {
            Some(k) if (0..=MAX_K).contains(&k) => k as usize,
            _ => return Err(format!("hybrid: k must be an integer from 0 to {MAX_K}").into()),
        };
        let method = parse_method(&method)?;
        let fts = text(&fts, "the name of the FTS5 table")?;
        let vectors = text(&vectors, "the name of the table of vectors")?;
        let count = (CANDIDATES * k).min(MAX_K as usize);
        let said = by_words(&fts, words, count)?;
        let near = by_vector(&vectors, vector, count)?;
        self.found = fuse(&said, &near, method, k).into_iter();
        Ok(())
    }

    fn next(&mut self, _: &mut HybridTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        Ok(self.found.next().map(|found| {
            row.set(0, found.score);
            row.set(1, found.bm25);
            row.set(2, found.distance);
            found.row_id
        }))
    }
}

fn parse_method(method: &Value) -> Result<Method> {
    if method.is_null() {
        return Ok(Method::ReciprocalRanks);
    }
    let wrong =
        "hybrid: the method must be 'rrf', 'weighted' or 'weighted:SHARE' with a share from 0 to 1";
    let method = text(method, "the method")?;
    let share = match method.split_once(':') {
        None if method == "rrf" => return Ok(Method::ReciprocalRanks),
        None if method == "weighted" => Some(0.5),
        Some(("weighted", share)) => share.parse().ok(),
        _ => None,
    };
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    Ok(Method::Weighted(share.ok_or(wrong)?))
}

/// The best rows of an FTS5 table, with their bm25, the best first.
fn by_words(table: &str, words: Value, count: usize) -> Result<Vec<(i64, f64)>> {
    if words.is_null() {
        return Ok(Vec::new());
    }
    let table = quoted_name(table);
    let sql =
        format!("SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?");
    pairs(&sql, [words, Value::Integer(count as i64)])
}

/// The nearest rows of a table of ann or vec0, with their distances, the nearest first.
fn by_vector(table: &str, vector: Value, count: usize) -> Result<Vec<(i64, f64)>> {
    if vector.is_null() {
        return Ok(Vec::new());
    }
    if let Some(index) = registry::find(table)? {
        let vector = crate::vector::parse(&vector)?;
        let mut index = index.borrow_mut();
        index.check_dimensions(&vector)?;
        let request = Request { vector, k: count, ef: None, is_exact: false, filter: None };
        let found = index.nearest(&request)?.into_iter();
        return Ok(found.map(|it| (it.row_id, f64::from(it.distance))).collect());
    }
    let column = vector_column(table)?;
    let (table, column) = (quoted_name(table), quoted_name(&column));
    let sql = format!(
        "SELECT rowid, distance FROM {table} WHERE {column} MATCH ? AND k = ? ORDER BY distance"
    );
    pairs(&sql, [vector, Value::Integer(count as i64)])
}

/// The first column of a table of another extension: for vec0, the vector when it is
/// declared first.
fn vector_column(table: &str) -> Result<String> {
    let mut statement = sql::prepare(
        "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 AND lower(name) <> 'rowid' LIMIT 1",
    )?;
    let row = first(&mut statement, [Value::text(table)])?;
    match row.and_then(|mut row| row.pop()).as_ref().and_then(Value::as_str) {
        Some(Ok(column)) => Ok(column.to_owned()),
        _ => Err(format!("hybrid: no table `{table}` of vectors").into()),
    }
}

fn pairs(sql: &str, values: [Value; 2]) -> Result<Vec<(i64, f64)>> {
    let mut statement = sql::prepare(sql)?;
    let rows = statement.query(values)?;
    rows.map(|row| row.map(|row| (row[0].to_integer(), row[1].to_real()))).collect()
}

/// The `k` best of both, by their ranks or by their values.
fn fuse(said: &[(i64, f64)], near: &[(i64, f64)], method: Method, k: usize) -> Vec<Scored> {
    let mut scored: HashMap<i64, Scored> = HashMap::new();
    let shares = match method {
        Method::ReciprocalRanks => (1.0, 1.0),
        Method::Weighted(share) => (share, 1.0 - share),
    };
    for (place, (row_id, bm25)) in said.iter().enumerate() {
        let row = scored.entry(*row_id).or_insert(Scored { row_id: *row_id, ..Scored::default() });
        row.bm25 = Some(*bm25);
        row.score += shares.0 * part(said, place, method);
    }
    for (place, (row_id, distance)) in near.iter().enumerate() {
        let row = scored.entry(*row_id).or_insert(Scored { row_id: *row_id, ..Scored::default() });
        row.distance = Some(*distance);
        row.score += shares.1 * part(near, place, method);
    }
    let mut scored: Vec<Scored> = scored.into_values().collect();
    scored.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then(left.row_id.cmp(&right.row_id))
    });
    scored.truncate(k);
    scored
}

/// What a row at a position of one of the results adds: by its rank, or by how much better its
/// value is than the worst, from 0 to 1. Both bm25 and distances are better when smaller.
fn part(results: &[(i64, f64)], place: usize, method: Method) -> f64 {
    if method == Method::ReciprocalRanks {
        return 1.0 / (RANK_OFFSET + 1.0 + place as f64);
    }
    let (best, worst) = (results[0].1, results[results.len() - 1].1);
    if worst > best { (worst - results[place].1) / (worst - best) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_fused() {
        let fused =
            fuse(&[(1, -3.0), (2, -2.0)], &[(2, 0.1), (3, 0.2)], Method::ReciprocalRanks, 2);
        assert_eq!((fused[0].row_id, fused[0].bm25, fused[0].distance), (2, Some(-2.0), Some(0.1)));
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-12);
        assert_eq!((fused.len(), fused[1].row_id), (2, 1));
    }

    #[test]
    fn values_are_weighted() {
        let said = [(1, -3.0), (2, -2.0), (4, -1.0)];
        let fused = fuse(&said, &[(2, 0.1), (3, 0.2)], Method::Weighted(0.5), 9);
        let scores: Vec<_> = fused.iter().map(|it| (it.row_id, it.score)).collect();
        assert_eq!(scores, [(2, 0.75), (1, 0.5), (3, 0.0), (4, 0.0)]);
    }

    #[test]
    fn methods_are_named() {
        let parse = |text: &str| parse_method(&Value::text(text));
        assert_eq!(parse("weighted:0.7"), Ok(Method::Weighted(0.7)));
        assert_eq!(parse("rrf"), Ok(Method::ReciprocalRanks));
        for wrong in ["weighted:2", "weighted:", "other", "weighted:nan"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
