//! The contract of `wit/extension`, as the host calls it: [`direct`]ly, or so that the call is
//! [`suspendable`], since the extension uses SQL.

macro_rules! exports {
    () => {
        use wasmtime::component::{Instance, InstancePre};
        use wasmtime::{Result, Store};

        use crate::imports::data::Data;
        use exports::sqlite_wasm::extension as interfaces;

        /// The exports of an extension; only `extension` is required.
        pub struct Exports {
            extension: interfaces::extension::Guest,
            scalar: Option<interfaces::scalar::Guest>,
            inline: Option<interfaces::inline::Guest>,
            aggregate: Option<interfaces::aggregate::Guest>,
            collation: Option<interfaces::collation::Guest>,
            table: Option<interfaces::table::Guest>,
            pointers: Option<interfaces::pointers::Guest>,
        }

        macro_rules! found {
            ($name:ident, $pre:ident, $store:ident, $instance:ident) => {
                match interfaces::$name::GuestIndices::new($pre) {
                    Ok(indices) => Some(indices.load(&mut *$store, $instance)?),
                    Err(_) => None,
                }
            };
        }

        macro_rules! offered {
            ($name:ident) => {
                pub fn $name(&self) -> Result<&interfaces::$name::Guest> {
                    let missing =
                        concat!("the extension does not export `", stringify!($name), "`");
                    self.$name.as_ref().ok_or_else(|| wasmtime::format_err!("{missing}"))
                }
            };
        }

        impl Exports {
            pub fn find(
                pre: &InstancePre<Data>,
                store: &mut Store<Data>,
                instance: &Instance,
            ) -> Result<Self> {
                let extension = interfaces::extension::GuestIndices::new(pre)?;
                Ok(Self {
                    extension: extension.load(&mut *store, instance)?,
                    scalar: found!(scalar, pre, store, instance),
                    inline: found!(inline, pre, store, instance),
                    aggregate: found!(aggregate, pre, store, instance),
                    collation: found!(collation, pre, store, instance),
                    table: found!(table, pre, store, instance),
                    pointers: found!(pointers, pre, store, instance),
                })
            }

            pub fn extension(&self) -> Result<&interfaces::extension::Guest> {
                Ok(&self.extension)
            }

            offered!(scalar);
            offered!(inline);
            offered!(aggregate);
            offered!(collation);
            offered!(table);
            offered!(pointers);
        }
    };
}

/// Calls that are complete when they return.
pub mod direct {
    wasmtime::component::bindgen!({
        path: "wit/extension",
        inline: "
            package sqlite-wasm:host-view;
            world every-export {
                export sqlite-wasm:extension/extension@0.1.0;
                export sqlite-wasm:extension/scalar@0.1.0;
                export sqlite-wasm:extension/inline@0.1.0;
                export sqlite-wasm:extension/aggregate@0.1.0;
                export sqlite-wasm:extension/collation@0.1.0;
                export sqlite-wasm:extension/table@0.1.0;
                export sqlite-wasm:extension/pointers@0.1.0;
            }
        ",
        with: {
            "sqlite-wasm:extension/types": crate::contract::types,
            "sqlite-wasm:extension/table-types":
                crate::contract::bindings::sqlite_wasm::extension::table_types,
        },
    });

    exports!();
}

/// Calls that can be suspended while the caller runs SQL.
pub mod suspendable {
    wasmtime::component::bindgen!({
        path: "wit/extension",
        world: "full-extension",
        // Only these imports wait for the caller; the others return at once, which is faster.
        imports: {
            "sqlite-wasm:extension/sql-work.register-function": async | trappable,
            "sqlite-wasm:extension/sql-work.perform": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        with: {
            "sqlite-wasm:extension/types": crate::contract::types,
            "sqlite-wasm:extension/table-types":
                crate::contract::bindings::sqlite_wasm::extension::table_types,
        },
    });

    exports!();
}
