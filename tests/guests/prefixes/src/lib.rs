//! prefixes: the beginnings of a text as rows, as the example of reference 001 has them.
//!
//! - `prefixes(TEXT)`: a table with the column `prefix`, from one character to the whole text
//! - `prefixes_by_row(TEXT)`: the same, of which the engine fetches one row at a time

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::EponymousOnly, Result, Table};

const MODULES: &[Module] = &[
    Module::new::<Prefixes<{ u32::MAX }>>("prefixes", EponymousOnly, Innocuous),
    Module::new::<Prefixes<1>>("prefixes_by_row", EponymousOnly, Innocuous),
];

sqlite_wasm_kit::extension! {
    name: "prefixes",
    description: "the beginnings of a text",
    modules: MODULES,
}

const PREFIX: u32 = 0;
const TEXT: i32 = 1;

struct Prefixes<const MAX_BATCH: u32>;

impl<const MAX_BATCH: u32> Table for Prefixes<MAX_BATCH> {
    type Cursor = Beginnings<MAX_BATCH>;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(prefix TEXT, text HIDDEN)".into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let place = info
            .constraints
            .iter()
            .position(|c| c.column == TEXT && matches!(c.operator, Operator::Equal));
        let Some(place) = place else {
            return Err("prefixes: TEXT is missing".into());
        };
        if !info.constraints[place].usable {
            return Ok(Planned::No);
        }
        plan.take(place, Check::Omit);
        (plan.cost, plan.rows) = (10.0, 10);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Beginnings<MAX_BATCH>> {
        Ok(Beginnings::default())
    }
}

#[derive(Default)]
struct Beginnings<const MAX_BATCH: u32> {
    text: String,
    end: usize,
}

impl<const MAX: u32> Cursor for Beginnings<MAX> {
    type Table = Prefixes<MAX>;

    const MAX_BATCH: u32 = MAX;

    fn filter(&mut self, _: &mut Prefixes<MAX>, mut scan: Scan) -> Result<()> {
        let text: Option<String> = scan.get(0);
        (self.text, self.end) = (text.unwrap_or_default(), 0);
        Ok(())
    }

    fn next(&mut self, _: &mut Prefixes<MAX>, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(next) = self.text[self.end..].chars().next() else {
            return Ok(None);
        };
        self.end += next.len_utf8();
        row.set(PREFIX, &self.text[..self.end]);
        Ok(Some(self.end as i64))
    }
}
