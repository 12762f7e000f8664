//! The interfaces of `wit/host`, generated.

#![allow(missing_docs)]

wasmtime::component::bindgen!({
    path: ["wit/extension", "wit/host"],
    world: "sqlite-wasm:host/cli",
    imports: {
        "sqlite-wasm:host/process.poll-interruption": trappable,
        "sqlite-wasm:host/process.sleep": trappable,
        "sqlite-wasm:host/console.write": trappable,
    },
    with: { "sqlite-wasm:extension/types": crate::contract::types },
});
