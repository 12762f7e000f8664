//! Aggregate and window functions.

use std::cell::RefCell;

use crate::arguments::Arguments;
use crate::function::{Risk, Signature, Stability, signature_choices};
use crate::provider::Provider;
use crate::slab::Slab;
use crate::{Error, IntoOutput, Output, Result, Value, bindings, code};

/// The accumulator of an aggregate function. `default()` starts a group.
pub trait Aggregate: Default + 'static {
    /// Add a row.
    fn step(&mut self, row: Arguments<'_>) -> Result<()>;

    /// The result, also for a group without rows.
    fn finish(self) -> Result<impl IntoOutput>;
}

/// An accumulator from which rows can be removed, for OVER.
pub trait Window: Aggregate {
    /// Remove the oldest row; the arguments are those of its `step`.
    fn inverse(&mut self, row: Arguments<'_>) -> Result<()>;

    /// The result for the rows in the window.
    fn value(&mut self) -> Result<impl IntoOutput>;
}

/// An aggregate function of the extension's table.
#[derive(Clone, Copy, Debug)]
pub struct AggregateFunction {
    pub(crate) signature: Signature,
    pub(crate) kind: bindings::types::FunctionKind,
    start: fn() -> Box<dyn Running>,
}

impl AggregateFunction {
    /// A function with `arguments` arguments and the accumulator `A`.
    pub const fn new<A: Aggregate>(
        name: &'static str,
        arguments: i8,
        result: Stability,
        risk: Risk,
    ) -> Self {
        Self {
            signature: Signature::new(name, arguments, result, risk),
            kind: bindings::types::FunctionKind::Aggregate,
            start: || Box::new(Plain(A::default())),
        }
    }

    /// The same, also usable with OVER.
    pub const fn window<W: Window>(
        name: &'static str,
        arguments: i8,
        result: Stability,
        risk: Risk,
    ) -> Self {
        Self {
            signature: Signature::new(name, arguments, result, risk),
            kind: bindings::types::FunctionKind::Window,
            start: || Box::new(Windowed(W::default())),
        }
    }

    /// Its name, and a new accumulator.
    pub(crate) fn begin(&self) -> (&'static str, Box<dyn Running>) {
        (self.signature.name, (self.start)())
    }

    /// Call it on rows as SQLite would; for tests.
    pub fn compute(&self, rows: impl IntoIterator<Item = Vec<Value>>) -> Result<Value> {
        let mut running = (self.start)();
        for mut row in rows {
            running.step(Arguments::new(self.signature.name, &mut row, &[]))?;
        }
        running.finish().map(|output| output.value)
    }
}

signature_choices!(AggregateFunction);

/// An accumulator without its type.
pub trait Running {
    /// Add a row.
    fn step(&mut self, row: Arguments<'_>) -> Result<()>;
    /// Remove the oldest row.
    fn inverse(&mut self, row: Arguments<'_>) -> Result<()>;
    /// The result so far.
    fn value(&mut self) -> Result<Output>;
    /// The result.
    fn finish(self: Box<Self>) -> Result<Output>;
}

struct Plain<A>(A);

impl<A: Aggregate> Running for Plain<A> {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        self.0.step(row)
    }

    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        Err(no_window(row.function()))
    }

    fn value(&mut self) -> Result<Output> {
        Err(no_window("aggregate"))
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        self.0.finish()?.into_output()
    }
}

struct Windowed<W>(W);

impl<W: Window> Running for Windowed<W> {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        self.0.step(row)
    }

    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        self.0.inverse(row)
    }

    fn value(&mut self) -> Result<Output> {
        self.0.value()?.into_output()
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        self.0.finish()?.into_output()
    }
}

fn no_window(function: &str) -> Error {
    Error::new(code::MISUSE, format!("{function}: may not be used with OVER"))
}

fn unknown() -> Error {
    Error::new(code::MISUSE, "no such computation is in progress")
}

/// An accumulator, and the name of its function for errors.
struct Progress {
    function: &'static str,
    running: Box<dyn Running>,
}

thread_local! {
    static IN_PROGRESS: RefCell<Slab<Progress>> = const { RefCell::new(Slab::new()) };
}

/// Rows in the host's order.
struct Rows {
    count: u32,
    width: u32,
    values: Vec<Value>,
    subtypes: Vec<u8>,
}

impl Rows {
    fn send(
        mut self,
        accumulator: u32,
        each: fn(&mut dyn Running, Arguments<'_>) -> Result<()>,
    ) -> Result<()> {
        let width = self.width as usize;
        IN_PROGRESS.with_borrow_mut(|all| {
            let progress = all.get(accumulator).ok_or_else(unknown)?;
            for row in 0..self.count as usize {
                let range = row * width..(row + 1) * width;
                let subtypes = self.subtypes.get(range.clone()).unwrap_or_default();
                let values = &mut self.values[range];
                let row = Arguments::new(progress.function, values, subtypes);
                each(&mut *progress.running, row)?;
            }
            Ok(())
        })
    }
}

impl<T: Provider> bindings::aggregate::exports::sqlite_wasm::extension::aggregate::Guest for T {
    fn start(function: u32) -> u32 {
        let (function, running) = T::start(function);
        IN_PROGRESS.with_borrow_mut(|all| all.insert(Progress { function, running }))
    }

    fn step(
        accumulator: u32,
        count: u32,
        width: u32,
        values: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<()> {
        let rows = Rows { count, width, values, subtypes };
        rows.send(accumulator, |running, row| running.step(row))
    }

    fn inverse(
        accumulator: u32,
        count: u32,
        width: u32,
        values: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<()> {
        let rows = Rows { count, width, values, subtypes };
        rows.send(accumulator, |running, row| running.inverse(row))
    }

    fn value(accumulator: u32) -> Result<Output> {
        IN_PROGRESS.with_borrow_mut(|all| {
            let progress = all.get(accumulator).ok_or_else(unknown)?;
            progress.running.value()
        })
    }

    fn finish(accumulator: u32) -> Result<Output> {
        let progress = IN_PROGRESS.with_borrow_mut(|all| all.remove(accumulator));
        progress.ok_or_else(unknown)?.running.finish()
    }

    fn abandon(accumulator: u32) {
        IN_PROGRESS.with_borrow_mut(|all| all.remove(accumulator));
    }
}
