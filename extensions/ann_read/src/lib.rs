//! ann_read: vectors out of files.
//!
//! - `ann_read(FILE)`: a table with a row for each vector of a file in a granted
//!   directory (`--grant ann_read=dir:data:ro`). `vector` is a blob of 32-bit reals, and
//!   the row id counts from 1
//!
//! The file's first bytes or its name say what it is:
//!
//! - `.npy`: a NumPy array of one or two dimensions in C order, of `f2`, `f4`, `f8`, `i1`
//!   or `u1`, little-endian
//! - `.fvecs`, `.bvecs`: as of the TEXMEX corpora
//! - `.jsonl`, `.ndjson`: a JSON value in each line, which is also in the column `line`: `vector`
//!   is the vector if the value is a numeric array, and NULL for an object, of which
//!   `line -> '$.embedding'` takes a part
//!
//! ```sql
//! INSERT INTO v(rowid, embedding) SELECT rowid, vector FROM ann_read('data/base.npy');
//! ```

mod formats;

use formats::Vectors;
use sqlite_wasm_kit::Risk::DirectOnly;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::EponymousOnly, Need, Result, Table, Value};

/// A hostile schema could show files to who may not see them: only direct.
const MODULES: &[Module] = &[Module::new::<ReadTable>("ann_read", EponymousOnly, DirectOnly)];

sqlite_wasm_kit::extension! {
    name: "ann_read",
    description: "vectors out of .npy, .fvecs and JSON lines",
    modules: MODULES,
    needs: &[Need::Directory("the files of vectors that it reads")],
}

const VECTOR: u32 = 0;
const LINE: u32 = 1;
const FILE: i32 = 2;

struct ReadTable;

impl Table for ReadTable {
    type Cursor = ReadCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(vector, line, file HIDDEN)".into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let is_file = |it: &sqlite_wasm_kit::table::Constraint| {
            it.column == FILE && matches!(it.operator, Operator::Equal)
        };
        match info.constraints.iter().position(is_file) {
            Some(place) if info.constraints[place].usable => {
                plan.take(place, Check::Omit);
                Ok(Planned::Yes)
            }
            Some(_) => Ok(Planned::No),
            None => Err("ann_read: the file is missing: ann_read('data/x.npy')".into()),
        }
    }

    fn open(&mut self) -> Result<ReadCursor> {
        Ok(ReadCursor::default())
    }
}

#[derive(Default)]
struct ReadCursor {
    vectors: Option<Vectors>,
    row_id: i64,
}

impl Cursor for ReadCursor {
    type Table = ReadTable;

    fn filter(&mut self, _: &mut ReadTable, mut scan: Scan) -> Result<()> {
        let file: Option<String> = scan.get(0);
        let file = file.ok_or("ann_read: the file must be a text")?;
        *self = Self { vectors: Some(Vectors::open(&file)?), row_id: 0 };
        Ok(())
    }

    fn next(&mut self, _: &mut ReadTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(found) = self.vectors.as_mut().map_or(Ok(None), Vectors::next)? else {
            return Ok(None);
        };
        row.set(VECTOR, found.vector.map(Value::Blob));
        row.set(LINE, found.line);
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}
