//! The player, on the crate `sqlite` of the module around it.

use std::error::Error;
use std::io::Read;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use super::sqlite::types::{ToSqlOutput, ValueRef};
use super::sqlite::{Connection, Result, Rows, Statement, ToSql, params_from_iter};
use crate::Mode;
use crate::answers::{Answers, Field, row};
use crate::nearest::Nearest;
use crate::tape::{self, Call, Header, Meeting, Step, Tape, Value};
use crate::times::Times;

/// How long a process waits for the others: longer than any takes to start.
const MEETING_TIME: Duration = Duration::from_mins(1);

/// A process is late by this at most, which is little of what is timed then.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

impl ToSql for Value {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Real(value) => ValueRef::Real(*value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub fn play(
    open: impl FnOnce() -> Result<Connection>,
    mode: Mode,
    mut tape: Tape<impl Read>,
) -> std::result::Result<String, Box<dyn Error>> {
    let db = open()?;
    tape.header.settings.iter().chain(&tape.header.schema).try_for_each(|sql| run(&db, sql))?;
    match mode {
        Mode::Setup => set_up(&db, tape),
        Mode::Check => check(&db, tape),
        Mode::Time => {
            let steps = tape.steps()?;
            let mut times = time(&db, &tape.header, &steps)?;
            let start = Instant::now();
            drop(db);
            if tape.header.close {
                times.add_rest(start.elapsed());
            }
            Ok(times.json().to_string())
        }
    }
}

/// A statement whose rows do not matter.
fn run(db: &Connection, sql: &str) -> Result<()> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query(())?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn prepared<'db>(db: &'db Connection, header: &Header) -> Result<Vec<Statement<'db>>> {
    header.statements.iter().map(|statement| db.prepare(&statement.sql)).collect()
}

fn set_up(
    db: &Connection,
    mut tape: Tape<impl Read>,
) -> std::result::Result<String, Box<dyn Error>> {
    let mut statements = prepared(db, &tape.header)?;
    let start = Instant::now();
    while let Some(step) = tape.step()? {
        count_rows(db, &mut statements, &tape.header, &step)?;
    }
    Ok(json!({"setup_ns": start.elapsed().as_nanos() as u64}).to_string())
}

fn time(
    db: &Connection,
    header: &Header,
    steps: &[Step],
) -> std::result::Result<Times, Box<dyn Error>> {
    let mut statements = prepared(db, header)?;
    let operations: Vec<&[Step]> = steps.split_inclusive(|step| step.ends).collect();
    for step in operations.iter().take(header.warmup).copied().flatten() {
        count_rows(db, &mut statements, header, step)?;
    }
    if let Some(meeting) = &header.meeting {
        meet(db, meeting)?;
    }
    let mut times = Times::new()?;
    for block in operations.chunks(header.block.max(1)) {
        let mut rows = 0;
        let start = Instant::now();
        for step in block.iter().copied().flatten() {
            rows += count_rows(db, &mut statements, header, step)?;
        }
        times.add(start.elapsed(), block.len());
        times.rows(rows);
    }
    Ok(times)
}

/// Wait until all processes are here, so that none of them is timed alone.
fn meet(db: &Connection, meeting: &Meeting) -> std::result::Result<(), Box<dyn Error>> {
    run(db, &meeting.arrive)?;
    let (begun, all) = (Instant::now(), format!("i{}", meeting.count));
    let mut look = db.prepare(&meeting.look)?;
    while lines(look.query(())?)? != [all.as_str()] {
        if begun.elapsed() > MEETING_TIME {
            return Err("the other processes have not come".into());
        }
        sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// Run a step and read every column of its rows.
fn count_rows(
    db: &Connection,
    statements: &mut [Statement],
    header: &Header,
    step: &Step,
) -> Result<u64> {
    match &step.call {
        Call::Text(sql) => read(&mut db.prepare(sql)?, step),
        Call::Prepared(place) => match header.statements[*place].neighbours {
            0 => read(&mut statements[*place], step),
            count => Ok(nearest(&mut statements[*place], step, count)?.ids().count() as u64),
        },
    }
}

fn read(statement: &mut Statement, step: &Step) -> Result<u64> {
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(&step.values))?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            std::hint::black_box(row.get_ref(column)?);
        }
        count += 1;
    }
    Ok(count)
}

fn nearest(statement: &mut Statement, step: &Step, count: usize) -> Result<Nearest> {
    let query: &[u8] = if let Some(Value::Blob(query)) = step.values.first() { query } else { &[] };
    let mut found = Nearest::new(query, count);
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        if let (ValueRef::Integer(id), ValueRef::Blob(vector)) = (row.get_ref(0)?, row.get_ref(1)?)
        {
            found.offer(id, vector);
        }
    }
    Ok(found)
}

fn check(
    db: &Connection,
    mut tape: Tape<impl Read>,
) -> std::result::Result<String, Box<dyn Error>> {
    let mut answers = Answers::default();
    {
        let mut statements = prepared(db, &tape.header)?;
        while let Some(step) = tape.step()? {
            match &step.call {
                Call::Text(sql) => answers.add(rows_of(&mut db.prepare(sql)?, &step)?, false),
                Call::Prepared(place) => {
                    answer(
                        &mut answers,
                        &mut statements[*place],
                        &tape.header.statements[*place],
                        &step,
                    )?;
                }
            }
        }
    }
    for sql in &tape.header.gate {
        answers.add_gate(lines(db.prepare(sql)?.query(())?)?);
    }
    Ok(answers.json().to_string())
}

fn answer(
    answers: &mut Answers,
    statement: &mut Statement,
    about: &tape::Statement,
    step: &Step,
) -> Result<()> {
    if about.neighbours > 0 {
        let found = nearest(statement, step, about.neighbours)?;
        answers.add(found.ids().map(|id| format!("i{id}")).collect(), false);
    } else {
        answers.add_statement(rows_of(statement, step)?, about);
    }
    Ok(())
}

fn rows_of(statement: &mut Statement, step: &Step) -> Result<Vec<String>> {
    lines(statement.query(params_from_iter(&step.values))?)
}

fn lines(mut rows: Rows) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    while let Some(each) = rows.next()? {
        // Until the first column that is not there.
        let fields = (0..).map_while(|column| each.get_ref(column).ok());
        lines.push(row(fields.map(|value| match value {
            ValueRef::Null => Field::Null,
            ValueRef::Integer(value) => Field::Integer(value),
            ValueRef::Real(value) => Field::Real(value),
            ValueRef::Text(bytes) => Field::Text(bytes),
            ValueRef::Blob(bytes) => Field::Blob(bytes),
        })));
    }
    Ok(lines)
}
