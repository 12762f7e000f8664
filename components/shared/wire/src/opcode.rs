//! The bytes with which operations begin, and who may send them.

use core::ffi::CStr;

use crate::parameter::{Bound, Database, Locations, Parameter, Rest, Text};
use crate::table::table;
use crate::{Error, Value};

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// An extension, which is not trusted.
    Extension,
    /// The program outside the sandbox.
    Program,
    /// The host, for itself.
    Host,
}

/// The operations that have one sender and one way of performing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Of extensions and programs; see [`Operation`](crate::Operation).
    Everyone,
    /// Of programs; see [`ProgramOperation`](crate::ProgramOperation).
    Program,
    /// Of the host itself.
    Host,
    /// Of programs, on SQLite's objects by their addresses in the sandbox, as extensions have them by
    /// handles; see [`ObjectOperation`](crate::ObjectOperation).
    Objects,
    /// Of programs, as [`Group::Objects`], but extensions have no such operation.
    Calls,
}

impl Group {
    /// Whether a sender may send operations of this group.
    #[inline]
    pub const fn is_open_to(self, sender: Sender) -> bool {
        match sender {
            Sender::Extension => matches!(self, Self::Everyone),
            Sender::Program => !matches!(self, Self::Host),
            Sender::Host => matches!(self, Self::Host),
        }
    }
}

/// What an extension needs to send an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Nothing: it is possible in calls without SQL, too.
    Nothing,
    /// The grant `sql:ro` or `sql`. What SQL then does is checked when it is prepared and run.
    Sql,
    /// The grant `sql`.
    SqlWrite,
    /// No extension can have it.
    Program,
}

/// A row of the table of operations.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The byte.
    pub opcode: Opcode,
    /// The name, such as `OpenBlobs`.
    pub name: &'static str,
    /// The lines of the description.
    pub description: &'static [&'static str],
    /// Names and types.
    pub parameters: &'static [(&'static str, &'static str)],
    /// The reply, if there is one.
    pub reply: Option<&'static str>,
    /// What an extension needs.
    pub capability: Capability,
    /// Who may send it.
    pub group: Group,
}

/// The lifetime of the types of parameters in the table.
struct Types<'a>(core::marker::PhantomData<&'a ()>);

macro_rules! none_or {
    () => {
        None
    };
    ($reply:literal) => {
        Some($reply)
    };
}

macro_rules! opcodes {
    ($($group:ident {$(
        $(#[doc = $doc:literal])*
        $name:ident = $code:literal, $capability:ident,
        $encoder:ident($($parameter:ident: $type:ty),*) $(=> $reply:literal)?;
    )*})*) => {
        /// The byte with which an operation begins. Its parameters follow, as in the table of
        /// operations, laid out as in [`Reader`](crate::Reader).
        ///
        /// At most one operation of a request has a reply. After an operation that fails, only
        /// operations that release something are performed: [`Opcode::Reset`], [`Opcode::Close`],
        /// [`Opcode::CloseAll`] and [`Opcode::Keep`].
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Opcode {
            $($($(#[doc = $doc])* $name = $code,)*)*
        }

        impl Opcode {
            /// The operation that begins with a byte.
            #[inline]
            pub const fn of(code: u8) -> Option<Self> {
                match code {
                    $($($code => Some(Self::$name),)*)*
                    _ => None,
                }
            }

            /// Its group, which says who may send it.
            #[inline]
            pub const fn group(self) -> Group {
                match self {
                    $($(Self::$name => Group::$group,)*)*
                }
            }

            /// What an extension needs to send it.
            #[inline]
            pub const fn capability(self) -> Capability {
                match self {
                    $($(Self::$name => Capability::$capability,)*)*
                }
            }
        }

        impl<'a> Types<'a> {
            const ROWS: &'static [Row] = &[$($(Row {
                opcode: Opcode::$name,
                name: stringify!($name),
                description: &[$($doc),*],
                parameters: &[$((stringify!($parameter), <$type as Parameter<'a>>::TYPE)),*],
                reply: none_or!($($reply)?),
                capability: Capability::$capability,
                group: Group::$group,
            },)*)*];
        }
    };
}

table!(opcodes);

impl Opcode {
    /// All rows of the table, with the operations of extensions first, in the order of their bytes.
    pub const ROWS: &[Row] = Types::ROWS;

    /// The operations that extensions may send.
    pub fn of_extensions() -> impl Iterator<Item = Self> + Clone {
        let rows = Self::ROWS.iter().filter(|row| row.group.is_open_to(Sender::Extension));
        rows.map(|row| row.opcode)
    }

    /// The operation that begins with a byte of this sender. Only this function refuses operations
    /// that their sender may not send.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for those, as for bytes with which no operation begins.
    #[inline]
    pub const fn from_sender(code: u8, sender: Sender) -> Result<Self, Error> {
        match Self::of(code) {
            Some(opcode) if opcode.group().is_open_to(sender) => Ok(opcode),
            _ => Err(Error::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_is_its_byte() {
        for code in 0..=255 {
            let rows = || Opcode::ROWS.iter().filter(|row| row.opcode as u8 == code);
            assert_eq!(Opcode::of(code), rows().next().map(|row| row.opcode));
            assert!(rows().count() <= 1);
        }
    }

    /// Without a gap, since they are the positions in `sql-work.operation`.
    #[test]
    fn opcodes_of_extensions_are_counted_from_0() {
        for (index, opcode) in Opcode::of_extensions().enumerate() {
            assert_eq!(opcode as usize, index);
            assert_eq!(Opcode::ROWS[index].opcode, opcode);
        }
    }

    #[test]
    fn each_sender_may_send_what_the_table_says() {
        use Sender::{Extension, Host, Program};

        for code in 0..=255 {
            let senders: &[Sender] = match code {
                0..=19 => &[Extension, Program],
                128..=130 | 160..=179 | 183..=239 => &[Program],
                254 => &[Host],
                _ => &[],
            };
            for sender in [Extension, Program, Host] {
                let may = Opcode::from_sender(code, sender).is_ok();
                assert_eq!(may, senders.contains(&sender), "{code} of {sender:?}");
            }
        }
    }

    /// Only operations of extensions are checked against a grant.
    #[test]
    fn extensions_never_need_what_only_a_program_has() {
        for row in Opcode::ROWS {
            let is_open = row.group.is_open_to(Sender::Extension);
            let is_program = row.capability == Capability::Program;
            assert!(!(is_open && is_program), "{}", row.name);
            assert!(is_open || row.group == Group::Host || is_program, "{}", row.name);
        }
    }
}
