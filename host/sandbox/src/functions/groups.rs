//! Groups of aggregate and window functions.

use std::collections::HashMap;
use std::marker::PhantomData;

use runtime::database::wire::{Event, Reader, Writer, code};

use super::registered::Called;
use super::{Aggregate, Context, WindowAggregate, index_arguments, put_value};
use crate::error::{Error, Result};
use crate::types::ToSql;

/// Limit on the groups of an aggregate at a time. SQLite has a few; the sandbox chooses.
const MAX_GROUPS: usize = 65_536;

/// The groups of an aggregate function, by the ids that were sent to the sandbox.
pub struct Groups<D, A, T> {
    function: D,
    groups: HashMap<u32, Option<A>>,
    next: u32,
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

    /// Begin a group. Returns its id, which is not 0.
    fn begin(&mut self) -> Result<u32> {
        if self.groups.len() >= MAX_GROUPS {
            let message = format!("more than {MAX_GROUPS} groups at a time");
            return Err(Error::sqlite(code::NOMEM, message));
        }
        loop {
            self.next = self.next.wrapping_add(1);
            if self.next != 0 && !self.groups.contains_key(&self.next) {
                self.groups.insert(self.next, None);
                return Ok(self.next);
            }
        }
    }

    /// Add a row to a group, or remove one from its window. Writes the group.
    fn step(&mut self, event: Event, from: &mut Reader, reply: &mut Writer) -> Result<()> {
        let group = match from.u32()? {
            0 => self.begin(),
            id => Ok(id),
        };
        reply.u32(*group.as_ref().unwrap_or(&0));
        let Self { function, groups, offsets, .. } = self;
        let state = groups.get_mut(&group?).ok_or(Error::MalformedReply)?;
        let bytes = index_arguments(from, offsets)?;
        let context = &mut Context { bytes, offsets };
        if state.is_none() {
            *state = Some(function.init(context)?);
        }
        let state = state.as_mut().ok_or(Error::MalformedReply)?;
        match event {
            Event::AggregateInverse => (self.inverse)(function, context, state),
            _ => function.step(context, state),
        }
    }

    /// The value of a window so far, or of a group that ends.
    fn value(&mut self, event: Event, from: &mut Reader) -> Result<T> {
        let id = from.u32()?;
        let Self { function, groups, .. } = self;
        match event {
            Event::AggregateFinal => {
                let state = groups.remove(&id).flatten();
                function.finalize(&mut Context { bytes: &[], offsets: &[] }, state)
            }
            _ => (self.value)(function, groups.get_mut(&id).and_then(Option::as_mut)),
        }
    }
}

impl<D, A, T> Called for Groups<D, A, T>
where
    D: Aggregate<A, T> + Send,
    A: Send,
    T: ToSql,
{
    fn call(&mut self, event: Event, from: &mut Reader, reply: &mut Writer) -> Result<()> {
        match event {
            Event::AggregateStep | Event::AggregateInverse => self.step(event, from, reply),
            event => put_value(reply, &self.value(event, from)?),
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
        let mut call = |event, group: u32| {
            let (mut from, mut reply) = (Writer::default(), Writer::default());
            from.u32(group);
            from.u32(0);
            let called = groups.call(event, &mut Reader(&from.0), &mut reply).is_ok();
            (called, reply.0)
        };
        assert_eq!(call(Event::AggregateStep, 77), (false, vec![77, 0, 0, 0]));
        assert!(!call(Event::AggregateValue, 77).0);
        assert!(!call(Event::AggregateInverse, 0).0, "it is no window");
        for group in 2..=MAX_GROUPS as u32 {
            assert_eq!(call(Event::AggregateStep, 0), (true, group.to_le_bytes().to_vec()));
        }
        assert!(!call(Event::AggregateStep, 0).0);
        assert!(call(Event::AggregateFinal, 2).0 && call(Event::AggregateStep, 0).0);
        assert!(!call(Event::AggregateStep, 2).0, "it has ended");
        assert!(
            Groups::new(Count)
                .call(Event::AggregateStep, &mut Reader(&[]), &mut Writer::default())
                .is_err()
        );
    }
}
