//! The interfaces of `wit/database`, generated.

#![allow(missing_docs)]

wasmtime::component::bindgen!({
    path: ["wit/extension", "wit/host", "wit/database"],
    world: "sqlite-wasm:database/database",
    imports: { default: trappable },
    with: {
        "sqlite-wasm:extension/types": crate::contract::types,
        "sqlite-wasm:extension/table-types": crate::contract::bindings::sqlite_wasm::extension::table_types,
        "sqlite-wasm:host/files": crate::contract::bindings::sqlite_wasm::host::files,
        "sqlite-wasm:host/shared-memory": crate::contract::bindings::sqlite_wasm::host::shared_memory,
        "sqlite-wasm:host/process": crate::contract::bindings::sqlite_wasm::host::process,
        "sqlite-wasm:host/dispatch": crate::contract::bindings::sqlite_wasm::host::dispatch,
    },
});
