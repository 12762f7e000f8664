//! Operations, as the receiver reads them.

use core::ffi::CStr;

use crate::opcode::{Capability, Opcode, Sender};
use crate::parameter::{Bound, Database, Locations, Parameter, Text};
use crate::table::table;
use crate::{Error, Reader, Value};

macro_rules! operation {
    ($(#[$attribute:meta])* $enum:ident: $(
        $(#[doc = $doc:literal])*
        $name:ident = $code:literal, $capability:ident,
        $encoder:ident($($parameter:ident: $type:ty),*) $(=> $reply:literal)?;
    )*) => {
        $(#[$attribute])*
        #[allow(missing_docs, reason = "the names of parameters say what they are")]
        #[derive(Clone, Copy, Debug)]
        pub enum $enum<'a> {
            $($(#[doc = $doc])* $name { $($parameter: $type),* },)*
        }

        impl<'a> $enum<'a> {
            /// Read the parameters of an operation.
            ///
            /// # Errors
            ///
            /// Why they cannot be read; [`Error::Malformed`] for an operation of another group.
            #[inline]
            fn read_parameters(opcode: Opcode, from: &mut Reader<'a>) -> Result<Self, Error> {
                Ok(match opcode {
                    $(Opcode::$name => {
                        $(let $parameter = Parameter::read(from)?;)*
                        Self::$name { $($parameter),* }
                    })*
                    _ => return Err(Error::Malformed),
                })
            }
        }
    };
}

macro_rules! operations {
    (
        Everyone { $($everyone:tt)* } Program { $($program:tt)* } Host { $($host:tt)* }
        Objects { $($objects:tt)* } $($rest:tt)*
    ) => {
        operation! {
            /// An operation of an extension or program; see [`Opcode`].
            Operation: $($everyone)*
        }
        operation! {
            /// An operation that only a program has; see [`Opcode`]. A request contains one of them
            /// and nothing else.
            ProgramOperation: $($program)*
        }
        operation! {
            /// An operation of a program on SQLite's objects, by their addresses; see [`Opcode`].
            ObjectOperation: $($objects)*
        }
    };
}

table!(operations);

impl<'a> Operation<'a> {
    /// Read one operation. Operations of programs and of extensions can be mixed with no others.
    ///
    /// # Errors
    ///
    /// Why it cannot be read; [`Error::Malformed`] if the sender may not send it.
    #[inline]
    pub fn read(from: &mut Reader<'a>, sender: Sender) -> Result<Self, Error> {
        let opcode = Opcode::from_sender(from.u8()?, sender)?;
        Self::read_parameters(opcode, from)
    }

    /// Whether all operations are possible in calls without SQL, since they only release something.
    /// An extension may have written any bytes.
    pub fn only_release(mut operations: Reader<'a>) -> bool {
        while let Some(&code) = operations.0.first() {
            let needs = Opcode::of(code).map(Opcode::capability);
            let is_read = Self::read(&mut operations, Sender::Extension).is_ok();
            if !is_read || needs != Some(Capability::Nothing) {
                return false;
            }
        }
        true
    }
}

impl<'a> ObjectOperation<'a> {
    /// Read the parameters of an operation of [`Group::Objects`](crate::Group::Objects).
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`].
    #[inline]
    pub fn read(opcode: Opcode, from: &mut Reader<'a>) -> Result<Self, Error> {
        Self::read_parameters(opcode, from)
    }
}

impl<'a> ProgramOperation<'a> {
    /// Read the operation of a request.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`], also if other bytes follow.
    pub fn read(request: &'a [u8]) -> Result<Self, Error> {
        let mut from = Reader(request);
        let opcode = Opcode::from_sender(from.u8()?, Sender::Program)?;
        let operation = Self::read_parameters(opcode, &mut from)?;
        if from.is_empty() { Ok(operation) } else { Err(Error::Malformed) }
    }
}
