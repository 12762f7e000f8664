//! Groups of aggregate and window functions.

use std::collections::HashMap;
use std::marker::PhantomData;

use runtime::database::Event;
use runtime::database::wire::{self, Reader};

use super::{Aggregate, Context, WindowAggregate, index_all, outcome};
use crate::callback::{Called, Outcome};
use crate::error::{Error, Result};
use crate::types::ToSql;

/// Limit on the groups of an aggregate at a time. SQLite has a few; the sandbox chooses.
const MAX_GROUPS: usize = 65_536;

/// The groups of an aggregate function, by the ids that were sent to the sandbox.
pub struct Groups<D, A, T> {
    function: D,
    groups: HashMap<i64, Option<A>>,
    next: i64,
    offsets: Vec<u32>,
    inverse: fn(&D, &mut Context<'_>, &mut A) -> Result<()>,
    value: fn(&D, Option<&mut A>) -> Result<T>,
    result: PhantomData<fn() -> T>,
}

impl<D: Aggregate<A, T>, A, T: ToSql> Groups<D, A, T> {
    pub fn new(function: D) -> Self {
        Self {
            function,
            groups: HashMap::new(),
            next: 0,
            offsets: Vec::new(),
            inverse: |_, _, _| Err(Error::MalformedReply),
            value: |_, _| Err(Error::MalformedReply),
            result: PhantomData,
        }
    }

    /// The same for a window function.
    pub fn windows(function: D) -> Self
    where
        D: WindowAggregate<A, T>,
    {
        Self { inverse: D::inverse, value: D::value, ..Self::new(function) }
    }

    fn start(&mut self) -> Result<i64> {
        if self.groups.len() >= MAX_GROUPS {
            return Err(Error::sqlite(7, format!("more than {MAX_GROUPS} groups at a time")));
        }
        self.next = self.next.wrapping_add(1);
        self.groups.insert(self.next, None);
        Ok(self.next)
    }

    fn in_group(&mut self, event: Event, bytes: &[u8]) -> Outcome {
        let called = self.find(bytes).and_then(|(group, start)| {
            let Self { function, groups, offsets, .. } = self;
            let bytes = &bytes[start..];
            index_all(bytes, offsets)?;
            let context = &mut Context { bytes, offsets };
            match event {
                Event::Finish => {
                    let state = groups.remove(&group).flatten();
                    return function.finalize(context, state).map(Some);
                }
                Event::Value => {
                    let state = groups.get_mut(&group).and_then(Option::as_mut);
                    return (self.value)(function, state).map(Some);
                }
                _ => {}
            }
            let state = groups.get_mut(&group).ok_or(Error::MalformedReply)?;
            if state.is_none() {
                *state = Some(function.init(context)?);
            }
            let state = state.as_mut().ok_or(Error::MalformedReply)?;
            match event {
                Event::Inverse => (self.inverse)(function, context, state)?,
                _ => function.step(context, state)?,
            }
            Ok(None)
        });
        outcome(called)
    }

    /// The group, and the position of the arguments.
    fn find(&self, bytes: &[u8]) -> Result<(i64, usize)> {
        let mut reader = Reader(bytes);
        match reader.value()? {
            wire::Value::Integer(group) => Ok((group, bytes.len() - reader.0.len())),
            _ => Err(Error::MalformedReply),
        }
    }
}

impl<D, A, T> Called for Groups<D, A, T>
where
    D: Aggregate<A, T> + Send,
    A: Send,
    T: ToSql,
{
    fn call(&mut self, event: Event, bytes: &[u8]) -> Outcome {
        match event {
            Event::Start => outcome(self.start()),
            event => self.in_group(event, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count;

    impl Aggregate<i64, i64> for Count {
        fn init(&self, _: &mut Context<'_>) -> Result<i64> {
            Ok(0)
        }

        fn step(&self, _: &mut Context<'_>, state: &mut i64) -> Result<()> {
            *state += 1;
            Ok(())
        }

        fn finalize(&self, _: &mut Context<'_>, state: Option<i64>) -> Result<i64> {
            Ok(state.unwrap_or(-1))
        }
    }

    #[test]
    fn groups_that_were_not_given_are_refused_and_bounded() {
        let mut groups = Groups::new(Count);
        let mut group = wire::Writer::default();
        group.integer(77);
        assert!(groups.call(Event::Step, &group.0).is_err());
        assert!(groups.call(Event::Value, &group.0).is_err());
        assert!(groups.call(Event::Step, &[]).is_err());
        for _ in 0..MAX_GROUPS {
            assert!(groups.call(Event::Start, &[]).is_ok());
        }
        assert!(groups.call(Event::Start, &[]).is_err());
    }
}
