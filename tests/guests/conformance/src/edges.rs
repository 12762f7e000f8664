//! Values at the edges, by name and as a table.

use crate::watch::Alive;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table, Value};

fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("null", Value::Null),
        ("zero", Value::Integer(0)),
        ("least", Value::Integer(i64::MIN)),
        ("greatest", Value::Integer(i64::MAX)),
        ("real", Value::Real(0.1)),
        ("minus zero", Value::Real(-0.0)),
        ("smallest", Value::Real(5e-324)),
        ("largest", Value::Real(f64::MAX)),
        ("infinity", Value::Real(f64::INFINITY)),
        ("minus infinity", Value::Real(f64::NEG_INFINITY)),
        ("nan", Value::Real(f64::NAN)),
        ("empty text", Value::text("")),
        ("text", Value::text("größe")),
        ("nul text", Value::Text(b"a\0b".to_vec())),
        ("no utf8", Value::Text(vec![b'a', 0xff, 0xc3, b'b'])),
        ("empty blob", Value::Blob(Vec::new())),
        ("blob", Value::Blob(vec![0, 1, 254, 255])),
    ]
}

pub fn by_name(name: String) -> Result<Value> {
    let found = all().into_iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value).ok_or_else(|| format!("conf_edge: no edge `{name}`").into())
}

/// The table of all.
pub struct Edges(#[allow(dead_code)] Alive);

impl Table for Edges {
    type Cursor = EdgesCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self(Alive::default()), "CREATE TABLE x(name TEXT, value)".into()))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<EdgesCursor> {
        Ok(EdgesCursor::default())
    }
}

#[derive(Default)]
pub struct EdgesCursor {
    next: usize,
    _alive: Alive,
}

impl Cursor for EdgesCursor {
    type Table = Edges;

    fn filter(&mut self, _: &mut Edges, _: Scan) -> Result<()> {
        self.next = 0;
        Ok(())
    }

    fn next(&mut self, _: &mut Edges, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some((name, value)) = all().into_iter().nth(self.next) else {
            return Ok(None);
        };
        self.next += 1;
        row.set(0, name);
        row.set(1, value);
        Ok(Some(-(self.next as i64)))
    }
}
