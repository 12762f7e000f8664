//! SQLite without its shell, as a component: exports the interface `connections` of
//! `wit/database` by the functions of `engine::database`.

#![cfg(target_family = "wasm")]

mod exports;
mod library;

use engine::database::{self, Hook, OpenFlags, SqlError};

use bindings::exports::sqlite_wasm::database::connections::{
    Function, Guest, Hook as WitHook, OpenFlags as WitFlags, Progress,
};

/// The world, of which [`exports`] has the functions that are called for every statement.
#[allow(missing_docs)]
mod bindings {
    wit_bindgen::generate!({
        world: "sqlite-wasm:database/database",
        path: ["../../wit/extension", "../../wit/host", "../../wit/database"],
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

struct Component;

bindings::export!(Component with_types_in bindings);

impl Guest for Component {
    fn open(path: Vec<u8>, flags: WitFlags, busy_milliseconds: u32) -> Result<u32, SqlError> {
        let flags = OpenFlags {
            read_write: flags.contains(WitFlags::READ_WRITE),
            create: flags.contains(WitFlags::CREATE),
            uri: flags.contains(WitFlags::URI),
            memory: flags.contains(WitFlags::MEMORY),
            no_follow: flags.contains(WitFlags::NO_FOLLOW),
        };
        database::open(&path, flags, busy_milliseconds)
    }

    fn close(connection: u32) -> Result<(), SqlError> {
        database::close(connection)
    }

    fn create_function(
        connection: u32,
        callback: Option<u32>,
        function: Function,
    ) -> Result<(), SqlError> {
        database::create_function(connection, callback, &function)
    }

    fn create_collation(
        connection: u32,
        callback: Option<u32>,
        name: String,
    ) -> Result<(), SqlError> {
        database::create_collation(connection, callback, &name)
    }

    fn set_hook(connection: u32, hook: WitHook, callback: Option<u32>) -> Result<(), SqlError> {
        let hook = match hook {
            WitHook::Busy => Hook::Busy,
            WitHook::Commit => Hook::Commit,
            WitHook::Rollback => Hook::Rollback,
            WitHook::Update => Hook::Update,
        };
        database::set_hook(connection, hook, callback)
    }

    fn load_extension(connection: u32, name: String) -> Result<(), SqlError> {
        database::load_extension(connection, &name)
    }

    fn backup_start(
        connection: u32,
        schema: String,
        path: Vec<u8>,
        restore: bool,
    ) -> Result<u32, SqlError> {
        database::backup_start(connection, &schema, &path, restore)
    }

    fn backup_step(backup: u32, pages: i32) -> Result<Progress, SqlError> {
        let database::Progress { is_done, remaining, total } =
            database::backup_step(backup, pages)?;
        Ok(Progress { is_done, remaining, total })
    }

    fn backup_finish(backup: u32) -> Result<(), SqlError> {
        database::backup_finish(backup)
    }
}
