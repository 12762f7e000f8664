//! SQLite without its shell, as a component: exports the interface `connections` of
//! `wit/database` by `engine::database::perform`.

#![cfg(target_family = "wasm")]

mod exports;

/// The world, of which [`exports`] has the functions.
#[allow(missing_docs)]
mod bindings {
    wit_bindgen::generate!({
        world: "sqlite-wasm:database/database",
        path: ["../../../wit/extension", "../../../wit/host", "../../../wit/database"],
        skip: ["perform", "perform-inline"],
        with: {
            "sqlite-wasm:extension/types@0.1.0": engine::host::extension_types,
            "sqlite-wasm:extension/table-types@0.1.0": engine::host::table_types,
            "sqlite-wasm:host/files@0.1.0": engine::host::files,
            "sqlite-wasm:host/shared-memory@0.1.0": engine::host::shared_memory,
            "sqlite-wasm:host/process@0.1.0": engine::host::process,
            "sqlite-wasm:host/dispatch@0.1.0": engine::host::dispatch,
        },
        generate_all,
    });
}
