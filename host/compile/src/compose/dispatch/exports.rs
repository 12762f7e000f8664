//! The exports of an extension that can be called, by its manifest. The others are not linked: each
//! function costs time at every start.

use sqlite_wasm_runtime::contract::types::{
    Connecting, FunctionFlags, FunctionKind, Manifest, ModuleFlags, ModuleKind,
};

/// Whether SQLite can call the function `name` of the interface `interface`.
pub fn is_called(manifest: &Manifest, interface: &str, name: &str) -> bool {
    let has = |flags| {
        let mut modules = manifest.modules.iter();
        modules.any(|module| module.flags & flags != ModuleFlags::empty())
    };
    let declares = |flag| {
        let mut functions = manifest.functions.iter();
        functions.any(|function| function.flags.contains(flag))
    };
    let kinds = || manifest.functions.iter().map(|function| function.kind);
    match (interface, name) {
        ("extension", "describe") => false,
        ("extension", "connect" | "disconnect") => manifest.connects != Connecting::Never,
        ("inline", _) => declares(FunctionFlags::INLINE),
        ("pointers", _) => declares(FunctionFlags::POINTERS),
        ("scalar", _) => kinds().any(FunctionKind::is_called) || has(ModuleFlags::OVERLOADS),
        ("aggregate", "value" | "inverse") => kinds().any(|kind| kind == FunctionKind::Window),
        ("aggregate", _) => kinds().any(|kind| !kind.is_called()),
        ("collation", _) => !manifest.collations.is_empty(),
        ("table", "destroy") => {
            manifest.modules.iter().any(|module| module.kind == ModuleKind::Created)
        }
        ("table", "update") => has(ModuleFlags::WRITABLE),
        ("table", "transact") => has(ModuleFlags::TRANSACTIONS | ModuleFlags::SAVEPOINTS),
        ("table", "rename") => has(ModuleFlags::RENAME),
        ("table", "integrity") => has(ModuleFlags::INTEGRITY),
        ("table", "find-function") => has(ModuleFlags::OVERLOADS),
        ("table", _) => !manifest.modules.is_empty(),
        _ => true,
    }
}
