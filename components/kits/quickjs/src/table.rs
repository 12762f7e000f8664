//! Tables whose rows are what an iterator of JavaScript yields: an array, or an object with the
//! columns as properties. Hidden columns are the parameters of the function that makes the iterator.

use rquickjs::{Ctx, Function, Object, Persistent, Value as Js};
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Error, Result, Table, Value, code};

use crate::script::{self, Callable, for_sql, invoke};

/// A table of the script.
pub struct TableDefinition {
    /// Its name in SQL.
    pub name: String,
    /// Its CREATE TABLE statement.
    pub declaration: String,
    /// The names of its columns, without the parameters.
    pub columns: Vec<String>,
    /// How many parameters it has, which are the columns behind the others.
    pub parameters: u32,
    /// Called with the parameters; returns what can be iterated.
    pub rows: Callable,
}

/// A connected table.
pub struct Rows(&'static TableDefinition);

impl Rows {
    /// The table with this index.
    pub fn of(module: usize) -> Result<Self> {
        Ok(Self(&script::loaded()?.tables[module]))
    }

    pub fn declaration(&self) -> &'static str {
        &self.0.declaration
    }
}

impl Table for Rows {
    type Cursor = Iteration;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Err(Error::new(code::MISUSE, "the index of the table is missing"))
    }

    /// The plan's `idxNum` has a bit for each parameter that is given.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let first = self.0.columns.len() as i32;
        for parameter in 0..self.0.parameters {
            let is_it = |constraint: &&(usize, &sqlite_wasm_kit::table::Constraint)| {
                constraint.1.column == first + parameter as i32
                    && matches!(constraint.1.operator, Operator::Equal)
            };
            let given: Vec<_> = info.constraints.iter().enumerate().collect();
            let given: Vec<_> = given.iter().filter(is_it).collect();
            match given.iter().find(|(_, constraint)| constraint.usable) {
                Some((place, _)) => {
                    plan.take(*place, Check::Omit);
                    plan.number |= 1 << parameter;
                }
                None if given.is_empty() => {}
                None => return Ok(Planned::No),
            }
        }
        // The more parameters are given, the fewer rows there are.
        plan.cost /= f64::from(1 + plan.number.count_ones());
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Iteration> {
        Ok(Iteration { table: self.0, iterator: None, given: Vec::new(), row_id: 0 })
    }
}

/// A scan.
pub struct Iteration {
    table: &'static TableDefinition,
    /// The iterator, with its `next`; none before the scan, and after the last row.
    iterator: Option<(Persistent<Object<'static>>, Callable)>,
    /// The parameters; NULL for those that are not given.
    given: Vec<Value>,
    row_id: i64,
}

impl Cursor for Iteration {
    type Table = Rows;

    fn filter(&mut self, _: &mut Rows, mut scan: Scan) -> Result<()> {
        self.end();
        self.row_id = 0;
        let mut place = 0;
        self.given.clear();
        for parameter in 0..self.table.parameters {
            let is_given = scan.number & (1 << parameter) != 0;
            self.given.push(if is_given { scan.take(place) } else { Value::Null });
            place += usize::from(is_given);
        }
        let (table, mut given) = (self.table, self.given.clone());
        // Those that are missing at the end have the defaults that JavaScript declares.
        given.truncate((i32::BITS - scan.number.leading_zeros()) as usize);
        self.iterator = Some(script::loaded()?.run(&table.name, |ctx| {
            let rows = invoke(ctx, &table.rows, None, &mut given)?;
            let iterator = iterator(ctx, rows)?;
            let next: Function<'_> = iterator.get("next")?;
            Ok((Persistent::save(ctx, iterator), Persistent::save(ctx, next)))
        })?);
        Ok(())
    }

    fn next(&mut self, _: &mut Rows, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some((iterator, next)) = &self.iterator else { return Ok(None) };
        let (table, script) = (self.table, script::loaded()?);
        let has_row = script.run(&table.name, |ctx| {
            let this = rquickjs::function::This(iterator.clone().restore(ctx)?);
            let step: Object<'_> = next.clone().restore(ctx)?.call((this,))?;
            if step.get::<_, Option<bool>>("done")?.unwrap_or_default() {
                return Ok(false);
            }
            write(ctx, table, &step.get("value")?, row)?;
            Ok(true)
        });
        if !matches!(has_row, Ok(true)) {
            self.iterator = None;
            return has_row.map(|_| None);
        }
        for (column, value) in (table.columns.len() as u32..).zip(&self.given) {
            if row.wants(column) {
                row.set(column, value.clone());
            }
        }
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}

/// The iterator of what a script returned.
fn iterator<'js>(ctx: &Ctx<'js>, rows: Js<'js>) -> rquickjs::Result<Object<'js>> {
    let symbol = rquickjs::Symbol::iterator(ctx.clone());
    let begin: Option<Function<'js>> = match rows.as_object() {
        Some(object) => object.get(symbol)?,
        None => None,
    };
    match begin {
        Some(begin) => begin.call((rquickjs::function::This(rows),)),
        None => Err(rquickjs::Exception::throw_type(ctx, "rows must return what can be iterated")),
    }
}

/// Write the columns that are used.
fn write<'js>(
    ctx: &Ctx<'js>,
    table: &TableDefinition,
    value: &Js<'js>,
    row: &mut Row<'_>,
) -> rquickjs::Result<()> {
    let Some(object) = value.as_object() else {
        return Err(rquickjs::Exception::throw_type(ctx, "a row must be an array or an object"));
    };
    let array = object.as_array();
    for (column, name) in table.columns.iter().enumerate() {
        if row.wants(column as u32) {
            let value: Js<'js> = match array {
                Some(array) => array.get(column)?,
                None => object.get(name.as_str())?,
            };
            row.set(column as u32, for_sql(ctx, value)?);
        }
    }
    Ok(())
}

impl Iteration {
    /// Let the iterator end before its last row: a generator's `finally` runs.
    fn end(&mut self) {
        let Some((iterator, _)) = self.iterator.take() else { return };
        let Ok(script) = script::loaded() else { return };
        // The scan has ended, so there is nobody to report a failure to.
        let _ = script.run(&self.table.name, |ctx| {
            let iterator = iterator.restore(ctx)?;
            let end: Option<Function<'_>> = iterator.get("return")?;
            match end {
                Some(end) => end.call((rquickjs::function::This(iterator),)),
                None => Ok(()),
            }
        });
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        self.end();
    }
}
