//! Aggregate and window functions: rows are collected and cross in batches.

use wire::{POINTER_SUBTYPE, Value as Content};

use super::calls::{call, forget_pointers};
use super::scalar::Function;
use crate::ffi::imports::{aggregate_finish, aggregate_inverse, aggregate_step, aggregate_value};
use crate::ffi::layout::{Argument, List, Rows};
use crate::host::dispatch::{self, SqlError};
use crate::sqlite::connection::Connection;
use crate::sqlite::context::Context;
use crate::sqlite::function::{Aggregate, Direction};
use crate::sqlite::value::{Arguments, Form};

/// Limit on rows in a batch.
const MAX_ROWS: u32 = 64;

/// A batch is sent when its text and blobs exceed this many bytes, which are copied until then.
const MAX_BYTES: usize = 64 << 10;

/// The first byte in [`Group::bytes`], and the length.
type Span = (usize, usize);

/// An accumulator, and rows that the extension has not received yet.
pub struct Group {
    accumulator: u32,
    direction: Direction,
    count: u32,
    width: u32,
    rows: Vec<Content<Span>>,
    bytes: Vec<u8>,
    subtypes: Vec<u8>,
}

impl Group {
    fn add(&mut self, value: Content<&[u8]>) {
        self.rows.push(value.map(|content| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(content);
            (start, content.len())
        }));
    }

    /// Send the rows to the extension.
    fn send(&mut self, db: &Connection, extension: u32) -> Result<(), SqlError> {
        if self.count == 0 {
            return Ok(());
        }
        let content = |(start, length): Span| List::new(&self.bytes[start..start + length]);
        let values: Vec<Argument> = self.rows.iter().map(|value| value.map(content)).collect();
        let rows = Rows {
            count: self.count,
            width: self.width,
            values: &values,
            subtypes: &self.subtypes,
        };
        let send = match self.direction {
            Direction::Add => aggregate_step,
            Direction::Remove => aggregate_inverse,
        };
        let sent = call(db, extension, send(extension, self.accumulator, &rows));
        drop(values);
        self.count = 0;
        self.rows.clear();
        self.bytes.clear();
        self.subtypes.clear();
        sent
    }
}

impl Aggregate for Function {
    type Group = Group;

    fn form(&self) -> Form {
        self.form
    }

    fn start(&self, db: &Connection) -> Result<Group, SqlError> {
        if self.has_pointers {
            forget_pointers(db, self.extension);
        }
        let start = dispatch::aggregate_start(self.extension, self.index);
        Ok(Group {
            accumulator: call(db, self.extension, start)?,
            direction: Direction::Add,
            count: 0,
            width: 0,
            rows: Vec::new(),
            bytes: Vec::new(),
            subtypes: Vec::new(),
        })
    }

    fn step(
        &self,
        db: &Connection,
        group: &mut Group,
        direction: Direction,
        arguments: Arguments,
    ) -> Result<(), SqlError> {
        let width = arguments.len() as u32;
        if group.direction != direction || group.width != width {
            group.send(db, self.extension)?;
            group.direction = direction;
            group.width = width;
        }
        arguments.iter().for_each(|argument| group.add(self.content(argument)));
        let subtypes = self.subtypes(arguments);
        group.subtypes.extend_from_slice(&subtypes);
        group.count += 1;
        // SQLite may drop a pointer after the call, so send its row now.
        let has_pointer = self.has_pointers && subtypes.contains(&POINTER_SUBTYPE);
        if group.count == MAX_ROWS || group.bytes.len() > MAX_BYTES || has_pointer {
            group.send(db, self.extension)?;
        }
        Ok(())
    }

    fn value(&self, context: &Context, group: &mut Group) -> Result<(), SqlError> {
        let db = context.connection();
        group.send(db, self.extension)?;
        let value = aggregate_value(self.extension, group.accumulator);
        self.set_result(context, call(db, self.extension, value));
        Ok(())
    }

    fn finish(&self, context: &Context, mut group: Group) -> Result<(), SqlError> {
        let (db, accumulator) = (context.connection(), group.accumulator);
        group.send(db, self.extension).inspect_err(|_| {
            // The user sees the failure of the rows.
            let abandoned = dispatch::aggregate_abandon(self.extension, accumulator);
            let _ = call(db, self.extension, abandoned);
        })?;
        let finish = aggregate_finish(self.extension, accumulator);
        self.set_result(context, call(db, self.extension, finish));
        Ok(())
    }
}
