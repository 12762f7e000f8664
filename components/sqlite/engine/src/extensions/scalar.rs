//! Scalar functions.

use std::ffi::{CString, c_int};
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use wire::{Head, InlineArguments, InlineValue, Value as Content, code, tag};

use super::attached;
use super::calls::{call, forget_pointers};
use super::pointers::{self, Pointer};
use crate::ffi::imports::{inline_call, inline_pending_result, scalar_call};
use crate::ffi::layout::{Argument, HostValue, InlineOutcome, List, Output};
use crate::host::dispatch::{SqlError, Unfinished};
use crate::host::extension_types::{self, FunctionFlags, Risk, TextEncoding};
use crate::sqlite::connection::{Connection, encoding_code};
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;
use crate::sqlite::function::Scalar;
use crate::sqlite::value::{self, Arguments, Form, Numbers};

/// A function of an extension.
pub struct Function {
    pub extension: u32,
    /// Its index in the manifest, or the handle that it got at run time.
    pub index: u32,
    /// The form of its arguments; its results have the same encoding.
    pub form: Form,
    wants_subtypes: bool,
    has_result_subtype: bool,
    /// It can be called by `inline-call`.
    is_inline: bool,
    /// Its arguments and results can be pointers.
    pub has_pointers: bool,
}

/// SQLite's limit (`SQLITE_MAX_FUNCTION_ARG`) is 1000; more than this many are on the heap.
const ARGUMENTS_ON_STACK: usize = 16;

/// Arguments, and their subtypes if the function reads them.
struct Lowered<'a> {
    stack: [Argument<'a>; ARGUMENTS_ON_STACK],
    heap: Vec<Argument<'a>>,
    count: usize,
    subtypes: Vec<u8>,
}

impl Lowered<'_> {
    fn values(&self) -> &[Argument<'_>] {
        if self.heap.is_empty() { &self.stack[..self.count] } else { &self.heap }
    }
}

impl Function {
    /// A function from the description of an extension, with its `index`.
    pub fn new(extension: u32, index: u32, function: &extension_types::Function) -> Self {
        let has = |flag| function.flags.contains(flag);
        Self {
            extension,
            index,
            form: Form {
                encoding: function.encoding,
                numbers: if has(FunctionFlags::NUMBERS_AS_TEXT) {
                    Numbers::AsText
                } else {
                    Numbers::Unchanged
                },
            },
            wants_subtypes: has(FunctionFlags::ARGUMENT_SUBTYPES),
            has_result_subtype: has(FunctionFlags::RESULT_SUBTYPE),
            is_inline: has(FunctionFlags::INLINE),
            has_pointers: has(FunctionFlags::POINTERS),
        }
    }

    /// A function that a table overloads, and that is not in the manifest.
    pub fn overload(extension: u32, index: u32, has_pointers: bool) -> Self {
        Self {
            extension,
            index,
            form: Form::UTF8,
            wants_subtypes: true,
            has_result_subtype: true,
            is_inline: false,
            has_pointers,
        }
    }

    /// An argument in the form that the extension takes.
    pub fn content<'a>(&self, argument: value::Argument<'a>) -> Content<&'a [u8]> {
        let handle = if self.has_pointers {
            pointers::handle(argument.pointer(), self.extension)
        } else {
            None
        };
        handle.map_or_else(|| argument.content(), Content::Integer)
    }

    /// The subtypes of arguments, if the extension takes them.
    pub fn subtypes(&self, arguments: Arguments) -> Vec<u8> {
        let subtypes = arguments.iter().map(|argument| argument.subtype());
        if self.has_pointers {
            let pointers = arguments.iter().map(|argument| argument.pointer());
            pointers::subtypes(subtypes.zip(pointers), self.extension)
        } else if self.wants_subtypes {
            subtypes.collect()
        } else {
            Vec::new()
        }
    }

    fn lowered<'a>(&self, arguments: Arguments<'a>) -> Lowered<'a> {
        let mut lowered = Lowered {
            stack: [Content::Null; ARGUMENTS_ON_STACK],
            heap: Vec::new(),
            count: arguments.len(),
            subtypes: self.subtypes(arguments),
        };
        let values = arguments.iter().map(|argument| self.content(argument).map(List::new));
        if arguments.len() > ARGUMENTS_ON_STACK {
            lowered.heap = values.collect();
        } else {
            for (slot, value) in lowered.stack.iter_mut().zip(values) {
                *slot = value;
            }
        }
        lowered
    }

    /// The arguments for `inline-call`, if they are few and short enough.
    fn inline_arguments(&self, arguments: Arguments) -> Option<InlineArguments> {
        InlineArguments::new(arguments.iter().map(|argument| argument.content()))
    }

    fn call_inline(&self, context: &Context, arguments: &InlineArguments) {
        let (extension, function) = (self.extension, self.index);
        // The value stays where the host has stored it: copying it takes as long as setting it.
        let result = match &mut inline_call(extension, function, arguments) {
            InlineOutcome::Done(value) => return self.set_inline(context, value),
            InlineOutcome::Stored => inline_pending_result(extension, function),
            InlineOutcome::Pending(request) => Err(Unfinished::Pending(request.take())),
        };
        self.set_result(context, call(context.connection(), extension, result));
    }

    fn set_inline(&self, context: &Context, value: &InlineValue) {
        match set_inline(value, context, self.form.encoding) {
            Ok(subtype) => self.set_subtype(context, subtype),
            Err(SqlError { code, message }) => {
                let name = attached::name(context.connection(), self.extension).unwrap_or_default();
                let message = format!("the extension `{name}` broke the contract: {message}");
                context.set_error(&failure(code, &message));
            }
        }
    }

    /// Set a result in SQLite's context.
    pub fn set_result(&self, context: &Context, result: Result<Output, SqlError>) {
        match result {
            Err(error) => context.set_error(&error),
            Ok(Output { value, subtype }) => match self.pointer(&value, subtype) {
                Some(pointer) => context.set_pointer(pointer),
                None => {
                    context.set_value(value, self.form.encoding);
                    self.set_subtype(context, subtype);
                }
            },
        }
    }

    fn pointer(&self, value: &HostValue, subtype: u8) -> Option<Rc<Pointer>> {
        if !self.has_pointers {
            return None;
        }
        Pointer::new(value, subtype, self.extension)
    }

    /// Drop subtypes of functions that have not declared them: SQLite would fail the call.
    fn set_subtype(&self, context: &Context, subtype: u8) {
        if subtype != 0 && self.has_result_subtype {
            context.set_subtype(subtype);
        }
    }
}

impl Scalar for Function {
    fn form(&self) -> Form {
        self.form
    }

    #[inline]
    fn call(&self, context: &Context, arguments: Arguments) {
        if self.is_inline
            && let Some(arguments) = self.inline_arguments(arguments)
        {
            return self.call_inline(context, &arguments);
        }
        let db = context.connection();
        if self.has_pointers {
            forget_pointers(db, self.extension);
        }
        let lowered = self.lowered(arguments);
        let begun = scalar_call(self.extension, self.index, lowered.values(), &lowered.subtypes);
        self.set_result(context, call(db, self.extension, begun));
    }
}

/// Set the value as the result, and return its subtype. An extension that is fused with this
/// program can return anything; the error describes an invalid value.
#[inline]
pub fn set_inline(
    value: &InlineValue,
    context: &Context,
    encoding: TextEncoding,
) -> Result<u8, SqlError> {
    let head = value.head();
    if !head.is_valid() {
        return Err(broken(head));
    }
    match head.tag {
        tag::NULL => context.set_null(),
        tag::INTEGER => context.set_integer(value.words[0].cast_signed()),
        tag::REAL => context.set_real(f64::from_bits(value.words[0])),
        tag::TEXT => {
            let bytes = value.words.map(u64::to_le_bytes);
            context.set_text(&bytes.as_flattened()[..head.length.into()], encoding);
        }
        _ => {
            let bytes = value.words.map(u64::to_le_bytes);
            context.set_blob(&bytes.as_flattened()[..head.length.into()]);
        }
    }
    Ok(head.subtype)
}

fn broken(Head { tag, length, .. }: Head) -> SqlError {
    let message = format!("an inline value of class {tag} with {length} bytes is not valid");
    failure(code::ERROR, &message)
}

/// SQLite's flags for a function.
pub fn function_flags(function: &extension_types::Function) -> c_int {
    let flags = [
        (FunctionFlags::DETERMINISTIC, sqlite::SQLITE_DETERMINISTIC),
        (FunctionFlags::ARGUMENT_SUBTYPES, sqlite::SQLITE_SUBTYPE),
        (FunctionFlags::RESULT_SUBTYPE, sqlite::SQLITE_RESULT_SUBTYPE),
    ]
    .into_iter()
    .filter(|(flag, _)| function.flags.contains(*flag))
    .fold(0, |all, (_, code)| all | code);
    let risk = match function.risk {
        Risk::Innocuous => sqlite::SQLITE_INNOCUOUS,
        Risk::Ordinary => 0,
        Risk::DirectOnly => sqlite::SQLITE_DIRECTONLY,
    };
    flags | risk | encoding_code(function.encoding)
}

/// Register a scalar function with SQLite.
pub fn create_function(
    db: &Connection,
    function: &extension_types::Function,
    called: Rc<impl Scalar>,
) -> Result<(), SqlError> {
    let name = c_name(&function.name)?;
    let (arguments, flags) = (function.arguments.into(), function_flags(function));
    registered(db.create_scalar(&name, arguments, flags, called), &function.name)
}

/// A name as a C string for SQLite.
pub fn c_name(name: &str) -> Result<CString, SqlError> {
    CString::new(name).map_err(|_| refusal(code::MISUSE, &name.replace('\0', "?")))
}

/// The error for SQLite's result code of a registration.
pub fn registered(code: c_int, name: &str) -> Result<(), SqlError> {
    if code == code::OK { Ok(()) } else { Err(refusal(code, name)) }
}

/// The reason for which SQLite refuses a registration.
fn refusal(code: c_int, name: &str) -> SqlError {
    let why = match code {
        // SQLite does not replace a function while a statement runs.
        code::BUSY => "a statement is running; use `.load` or `--load`",
        _ => "SQLite refuses it",
    };
    failure(code, &format!("cannot register `{name}`: {why}"))
}
