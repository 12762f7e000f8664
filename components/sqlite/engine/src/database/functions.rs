//! Functions and collations of the program.

use std::cmp::Ordering;
use std::ffi::c_int;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use wire::{Function as Described, FunctionKind, Reader, Value as Content, Writer, code};

use super::c_name;
use super::callbacks::{Callback, Returned, put_arguments};
use crate::extensions::scalar::{self, set_inline};
use crate::host::dispatch::SqlError;
use crate::host::extension_types::TextEncoding;
use crate::program_callbacks::Event;
use crate::room::{self, NoMemory};
use crate::sqlite::connection::Connection;
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;
use crate::sqlite::function::{self, Aggregate, Direction, Scalar};
use crate::sqlite::value::{Arguments, Form};

/// The bits for SQLite's encodings, which are not flags. The program receives UTF-8.
const ENCODINGS: c_int = 7;

/// A function of the program.
struct Function {
    callback: Callback,
    has_result_subtype: bool,
}

/// Register a function; without a callback, remove it.
pub fn create(
    db: &Connection,
    callback: Option<Callback>,
    described: &Described,
) -> Result<(), SqlError> {
    let (name, arguments) = (c_name(described.name)?, described.arguments);
    let Some(callback) = callback else {
        return registered(db.remove_function(&name, arguments), described.name);
    };
    let flags = described.flags.cast_signed();
    let has_result_subtype = flags & sqlite::SQLITE_RESULT_SUBTYPE != 0;
    let function = Rc::new(Function { callback, has_result_subtype });
    let flags = flags & !ENCODINGS | sqlite::SQLITE_UTF8;
    let is_window = described.kind == FunctionKind::Window;
    let code = match described.kind {
        FunctionKind::Scalar => db.create_scalar(&name, arguments, flags, function),
        _ => db.create_aggregate(&name, arguments, flags, is_window, function),
    };
    registered(code, described.name)
}

/// The error for SQLite's result code of a registration.
fn registered(code: c_int, name: &[u8]) -> Result<(), SqlError> {
    scalar::registered(code, &String::from_utf8_lossy(name))
}

/// Register a collation; without a callback, remove it.
pub fn create_collation(
    db: &Connection,
    callback: Option<Callback>,
    name: &[u8],
) -> Result<(), SqlError> {
    let c_name = c_name(name)?;
    let code = match callback {
        Some(callback) => {
            db.create_collation(&c_name, TextEncoding::Utf8, Rc::new(Collation(callback)))
        }
        None => db.remove_collation(&c_name),
    };
    registered(code, name)
}

impl Function {
    fn set_result(&self, context: &Context, returned: Result<Returned, SqlError>) {
        let set = match returned {
            Ok(Returned::Inline(value)) => {
                set_inline(&value, context, TextEncoding::Utf8).map(|subtype| {
                    if subtype != 0 && self.has_result_subtype {
                        context.set_subtype(subtype);
                    }
                })
            }
            Ok(Returned::Long(bytes)) => set_long(context, &bytes),
            Err(error) => Err(error),
        };
        if let Err(error) = set {
            context.set_error(&error);
        }
    }
}

fn put_group(writer: &mut Writer, group: i64) -> Result<(), NoMemory> {
    writer.integer(group);
    Ok(())
}

fn set_long(context: &Context, bytes: &[u8]) -> Result<(), SqlError> {
    match Reader(bytes).value() {
        Ok(Content::Null) => context.set_null(),
        Ok(Content::Integer(integer)) => context.set_integer(integer),
        Ok(Content::Real(real)) => context.set_real(real),
        Ok(Content::Text(text)) => context.set_text(text, TextEncoding::Utf8),
        Ok(Content::Blob(blob)) => context.set_blob(blob),
        Err(_) => return Err(failure(code::ERROR, "the program returned no value")),
    }
    Ok(())
}

impl Scalar for Function {
    fn form(&self) -> Form {
        Form::UTF8
    }

    fn call(&self, context: &Context, arguments: Arguments) {
        let put = |writer: &mut _| put_arguments(writer, arguments);
        self.set_result(context, self.callback.call(Event::Scalar, put));
    }
}

impl Aggregate for Function {
    /// The program's id of a group.
    type Group = i64;

    fn form(&self) -> Form {
        Form::UTF8
    }

    fn start(&self, _: &Connection) -> Result<i64, SqlError> {
        match self.callback.call(Event::Start, |_| Ok(()))? {
            Returned::Inline(value) if matches!(value.value(), Some(Content::Integer(_))) => {
                Ok(value.words[0].cast_signed())
            }
            _ => Err(failure(code::ERROR, "the program returned no group")),
        }
    }

    fn step(
        &self,
        _: &Connection,
        group: &mut i64,
        direction: Direction,
        arguments: Arguments,
    ) -> Result<(), SqlError> {
        let event = match direction {
            Direction::Add => Event::Step,
            Direction::Remove => Event::Inverse,
        };
        let put = |writer: &mut Writer| {
            writer.integer(*group);
            put_arguments(writer, arguments)
        };
        self.callback.call(event, put).map(drop)
    }

    fn value(&self, context: &Context, group: &mut i64) -> Result<(), SqlError> {
        self.set_result(context, self.callback.call(Event::Value, |to| put_group(to, *group)));
        Ok(())
    }

    fn finish(&self, context: &Context, group: i64) -> Result<(), SqlError> {
        self.set_result(context, self.callback.call(Event::Finish, |to| put_group(to, group)));
        Ok(())
    }
}

/// A collation of the program.
struct Collation(Callback);

impl function::Collation for Collation {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let order = self.0.integer(Event::Compare, |to| {
            room::put(to, Content::Text(left))?;
            room::put(to, Content::Text(right))
        });
        order.map_or_else(|| left.cmp(right), |order| order.cmp(&0))
    }
}
