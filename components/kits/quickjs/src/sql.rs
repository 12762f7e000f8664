//! SQL on the caller's connection, for the prelude's `sql`.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::{Array, Ctx, Object, Result, Value as Js};
use sqlite_wasm_kit::sql::{self, Statement};
use sqlite_wasm_kit::{Error, Value, code};

use crate::error::raise;
use crate::script::for_sql;
use crate::value::to_js;

/// Most statements that are kept prepared: more than a script has texts.
const MAX_KEPT: usize = 64;

/// A statement whose rows are read one at a time.
struct Reading {
    text: String,
    statement: Statement,
    columns: Vec<String>,
}

#[derive(Default)]
struct Statements {
    kept: HashMap<String, Statement>,
    reading: HashMap<u32, Reading>,
    last: u32,
}

thread_local! {
    static STATEMENTS: RefCell<Statements> = RefCell::default();
}

/// All rows.
pub fn all<'js>(ctx: Ctx<'js>, text: String, parameters: Array<'js>) -> Result<Array<'js>> {
    let mut reading = begin(&ctx, text, &parameters)?;
    let rows = Array::new(ctx.clone())?;
    let outcome = loop {
        match row(&ctx, &mut reading) {
            Ok(Some(row)) => rows.set(rows.len(), row)?,
            Ok(None) => break Ok(rows),
            Err(error) => break Err(error),
        }
    };
    keep(reading);
    outcome
}

/// Begin to read rows; returns a handle for [`next`] and [`close`].
pub fn open<'js>(ctx: Ctx<'js>, text: String, parameters: Array<'js>) -> Result<u32> {
    let reading = begin(&ctx, text, &parameters)?;
    STATEMENTS.with_borrow_mut(|all| {
        all.last = all.last.wrapping_add(1);
        all.reading.insert(all.last, reading);
        Ok(all.last)
    })
}

/// The next row; null after the last.
pub fn next<'js>(ctx: Ctx<'js>, number: u32) -> Result<Js<'js>> {
    let Some(mut reading) = STATEMENTS.with_borrow_mut(|all| all.reading.remove(&number)) else {
        return Ok(Js::new_null(ctx));
    };
    let row = row(&ctx, &mut reading);
    STATEMENTS.with_borrow_mut(|all| all.reading.insert(number, reading));
    Ok(row?.map_or_else(|| Js::new_null(ctx.clone()), Object::into_value))
}

/// End to read rows.
pub fn close(number: u32) {
    if let Some(reading) = STATEMENTS.with_borrow_mut(|all| all.reading.remove(&number)) {
        keep(reading);
    }
}

fn begin<'js>(ctx: &Ctx<'js>, text: String, parameters: &Array<'js>) -> Result<Reading> {
    let values = parameters.iter::<Js<'js>>().map(|value| for_sql(ctx, value?));
    let values = values.collect::<Result<Vec<Value>>>()?;
    let kept = STATEMENTS.with_borrow_mut(|all| all.kept.remove(&text));
    let prepare = || -> std::result::Result<_, Error> {
        let mut statement = kept.map_or_else(|| sql::prepare(&text), Ok)?;
        if values.len() < statement.parameter_count() as usize {
            return Err(Error::new(code::RANGE, "there are fewer values than parameters"));
        }
        statement.start(values)?;
        Ok(statement)
    };
    let statement = prepare().map_err(|error| raise(ctx, &error))?;
    Ok(Reading { columns: statement.column_names(), statement, text })
}

fn row<'js>(ctx: &Ctx<'js>, reading: &mut Reading) -> Result<Option<Object<'js>>> {
    let values = reading.statement.next_row().map_err(|error| raise(ctx, &error))?;
    let Some(values) = values else { return Ok(None) };
    let row = Object::new(ctx.clone())?;
    for (name, mut value) in reading.columns.iter().zip(values) {
        row.set(name.as_str(), to_js(ctx, &mut value)?)?;
    }
    Ok(Some(row))
}

/// Keep a statement for the next call with its text.
fn keep(Reading { text, mut statement, .. }: Reading) {
    statement.reset();
    STATEMENTS.with_borrow_mut(|all| {
        if all.kept.len() >= MAX_KEPT {
            all.kept.clear();
        }
        all.kept.insert(text, statement);
    });
}
