//! Aggregate and window functions.

use crate::values::show;
use crate::watch::Alive;
use sqlite_wasm_kit::{Aggregate, Arguments, IntoOutput, Result, Window};
use std::collections::VecDeque;

/// All rows, in their order; fails at a row whose first argument is `fail`.
#[derive(Default)]
pub struct List {
    rows: VecDeque<String>,
    _alive: Alive,
}

impl List {
    fn text(&self) -> String {
        let rows: Vec<&str> = self.rows.iter().map(String::as_str).collect();
        format!("[{}]", rows.join(" "))
    }
}

fn line(row: &Arguments<'_>) -> String {
    row.values().iter().map(show).collect::<Vec<_>>().join(",")
}

impl Aggregate for List {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        if row.values().first().is_some_and(|first| show(first) == "'fail'") {
            return Err("conf_list: told to fail".into());
        }
        self.rows.push_back(line(&row));
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.text())
    }
}

impl Window for List {
    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        match self.rows.pop_front() {
            Some(oldest) if oldest == line(&row) => Ok(()),
            oldest => {
                Err(format!("conf_list: {} is not the oldest, {oldest:?}", line(&row)).into())
            }
        }
    }

    fn value(&mut self) -> Result<impl IntoOutput> {
        Ok(self.text())
    }
}

/// How many rows; it has no arguments.
#[derive(Default)]
pub struct Count {
    rows: i64,
    _alive: Alive,
}

impl Aggregate for Count {
    fn step(&mut self, _: Arguments<'_>) -> Result<()> {
        self.rows += 1;
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.rows)
    }
}

impl Window for Count {
    fn inverse(&mut self, _: Arguments<'_>) -> Result<()> {
        self.rows -= 1;
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput> {
        Ok(self.rows)
    }
}

/// The subtypes of the rows.
#[derive(Default)]
pub struct Subtypes(Vec<String>);

impl Aggregate for Subtypes {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        self.0.push(row.subtype(0).to_string());
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.0.join(" "))
    }
}
