//! QuickJS as an extension: the host passes a script, whose default export says what it registers.
//!
//! One instance runs one script. `prelude.js` defines what scripts can use beyond the language, and
//! checks what they export; `script` keeps the functions that SQL calls. The script of a complete
//! component (`extension build --standalone`) is in the component's own memory: see `standalone`.

mod aggregate;
mod error;
mod globals;
mod manifest;
mod script;
mod sql;
mod standalone;
mod table;
mod tokenizer;
mod value;

use std::cmp::Ordering;

use sqlite_wasm_kit::bindings::types::Manifest;
use sqlite_wasm_kit::provider::Provider;
use sqlite_wasm_kit::table::{Connected, Connection};
use sqlite_wasm_kit::{Output, Result, Running, Value};

use aggregate::Computation;
use script::Script;
use table::Rows;

struct SqliteExtension;

impl Provider for SqliteExtension {
    fn describe() -> Manifest {
        or_trap(script::loaded()).manifest.clone()
    }

    fn call(function: u32, values: &mut [Value], _subtypes: &[u8]) -> Result<Output> {
        script::loaded()?.call(function as usize, values)
    }

    fn start(function: u32) -> (&'static str, Box<dyn Running>) {
        ("", Box::new(Computation::new(function as usize)))
    }

    fn compare(collation: u32, left: &[u8], right: &[u8]) -> Ordering {
        or_trap(script::loaded().and_then(|all| all.compare(collation as usize, left, right)))
    }

    fn connect_table(module: u32, _: Connection) -> Result<Connected> {
        let table = Rows::of(module as usize)?;
        let declaration = table.declaration().to_owned();
        Ok(Connected::new(table, declaration))
    }
}

/// For calls of the contract that cannot fail: the message is shown with the trap.
fn or_trap<T>(outcome: Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

impl bindings::exports::sqlite_wasm::extension::script::Guest for SqliteExtension {
    fn load(source: Vec<u8>) -> Result<()> {
        Script::load(&source)
    }
}

mod bindings {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:quickjs;
            world engine { export sqlite-wasm:extension/script@0.1.0; }",
        path: "../../../wit/extension",
        // The kit's type, so that nothing is converted.
        with: { "sqlite-wasm:extension/types@0.1.0/sql-error": sqlite_wasm_kit::Error },
        generate_all,
        pub_export_macro: true,
    });
}

// Native code exports nothing, but nothing must be unused.
const _: fn() -> Manifest = <SqliteExtension as Provider>::describe;

#[cfg(target_family = "wasm")]
bindings::export!(SqliteExtension with_types_in bindings);
sqlite_wasm_kit::export_interface!(manifest export_manifest);
sqlite_wasm_kit::export_interface!(scalar export_scalar);
sqlite_wasm_kit::export_interface!(inline export_inline);
sqlite_wasm_kit::export_inline_call!(());
sqlite_wasm_kit::export_interface!(aggregate export_aggregate);
sqlite_wasm_kit::export_interface!(collation export_collation);
sqlite_wasm_kit::export_interface!(table export_table);
sqlite_wasm_kit::export_fetch!(());
