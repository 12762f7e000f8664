//! The data in a store. There is one type for all stores, since wasmtime's and WASI's functions are
//! compiled for each type of data: with three types this crate took 155 s to compile instead of 111.

use wasmtime_wasi::{WasiCtxView, WasiView};

use crate::database::Host;
use crate::extensions::Sandbox;
use crate::runner::CommandHost;

/// The data in the store of what runs in it.
pub enum Data {
    Command(Box<CommandHost>),
    Database(Box<Host>),
    Extension(Box<Sandbox>),
}

macro_rules! of_kind {
    ($kind:ident: $data:ty, $get:ident, $get_mut:ident) => {
        impl Data {
            /// The data of this kind. The function that fills the linker also fills the stores, so
            /// an import finds no other kind.
            pub fn $get(&self) -> &$data {
                match self {
                    Self::$kind(data) => data,
                    _ => unreachable!("the store of another kind"),
                }
            }

            /// The same, to change it.
            pub fn $get_mut(&mut self) -> &mut $data {
                match self {
                    Self::$kind(data) => data,
                    _ => unreachable!("the store of another kind"),
                }
            }
        }
    };
}

of_kind!(Command: CommandHost, command, command_mut);
of_kind!(Database: Host, database, database_mut);
of_kind!(Extension: Sandbox, extension, extension_mut);

impl WasiView for Data {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let (ctx, table) = match self {
            Self::Command(host) => (&mut host.wasi, &mut host.table),
            Self::Database(host) => (&mut host.wasi, &mut host.table),
            Self::Extension(sandbox) => (&mut sandbox.wasi, &mut sandbox.table),
        };
        WasiCtxView { ctx, table }
    }
}
