//! Aggregates: the state is a value of JavaScript. What `step` and `inverse` return is the next
//! state, unless it is undefined: then they have changed the state itself.

use rquickjs::{Persistent, Value as Js};
use sqlite_wasm_kit::{Arguments, Output, Result, Running};

use crate::script::{self, Callable, Script, SqlFunction, for_sql, invoke, missing};

type State = Persistent<Js<'static>>;

/// One computation.
pub struct Computation {
    function: usize,
    /// None before the first row.
    state: Option<State>,
}

impl Computation {
    pub fn new(function: usize) -> Self {
        Self { function, state: None }
    }

    /// The script, and the function in it.
    fn function(&self) -> Result<(&'static Script, &'static SqlFunction)> {
        let script = script::loaded()?;
        Ok((script, &script.functions[self.function]))
    }

    fn change(
        &mut self,
        mut row: Arguments<'_>,
        by: fn(&SqlFunction) -> &Option<Callable>,
    ) -> Result<()> {
        let (script, function) = self.function()?;
        let change = by(function).as_ref().ok_or_else(|| missing(&function.name))?;
        let start = function.start.as_ref().ok_or_else(|| missing(&function.name))?;
        let before = self.state.take();
        let next = script.run(&function.name, |ctx| {
            let before = match before {
                Some(state) => state.restore(ctx)?,
                None => invoke(ctx, start, None, &mut [])?,
            };
            let next = invoke(ctx, change, Some(before.clone()), row.values_mut())?;
            Ok(Persistent::save(ctx, if next.is_undefined() { before } else { next }))
        })?;
        self.state = Some(next);
        Ok(())
    }

    /// The result of `by` for the state.
    fn result(&self, by: fn(&SqlFunction) -> &Option<Callable>) -> Result<Output> {
        let (script, function) = self.function()?;
        let compute = by(function).as_ref().ok_or_else(|| missing(&function.name))?;
        let start = function.start.as_ref().ok_or_else(|| missing(&function.name))?;
        let value = script.run(&function.name, |ctx| {
            let state = match &self.state {
                Some(state) => state.clone().restore(ctx)?,
                None => invoke(ctx, start, None, &mut [])?,
            };
            let result = invoke(ctx, compute, Some(state), &mut [])?;
            for_sql(ctx, result)
        })?;
        Ok(value.into())
    }
}

impl Running for Computation {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        self.change(row, |function| &function.step)
    }

    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        self.change(row, |function| &function.inverse)
    }

    fn value(&mut self) -> Result<Output> {
        self.result(|function| &function.value)
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        self.result(|function| &function.finish)
    }
}
