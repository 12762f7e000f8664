//! The data in a store. There is one type for all stores, since wasmtime's and WASI's functions are
//! compiled for each type of data: with three types this crate took 155 s to compile instead of 111.

use std::any::Any;

use wasmtime_wasi::{WasiCtxView, WasiView};

/// The data of a kind of store: of a command, a database or an extension.
pub trait Kind: WasiView + Any {}

impl<K: WasiView + Any> Kind for K {}

/// The data in a store.
pub struct Data(Box<dyn Kind>);

impl Data {
    /// Data of this kind.
    pub fn new(kind: impl Kind) -> Self {
        Self(Box::new(kind))
    }

    /// The data, of the kind that it was made of. A linker and the stores that it serves are made
    /// for one kind, so what it links names no other.
    pub fn of<K: Kind>(&self) -> &K {
        let data: &dyn Any = &*self.0;
        data.downcast_ref().unwrap_or_else(|| unreachable!("a store of another kind"))
    }

    /// The same, to change it.
    pub fn of_mut<K: Kind>(&mut self) -> &mut K {
        let data: &mut dyn Any = &mut *self.0;
        data.downcast_mut().unwrap_or_else(|| unreachable!("a store of another kind"))
    }
}

impl WasiView for Data {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.0.ctx()
    }
}
