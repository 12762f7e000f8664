//! A module's table of callbacks, from the module's declaration.

use libsqlite3_sys::sqlite3_module;

use super::module::*;
use super::shadow_names;
use super::vtab::{Definition, Module};
use crate::host::extension_types::{ModuleFlags, ModuleKind};

/// The callbacks of a module; none when there are too many lists of shadow names.
pub fn methods<M: Module>(definition: &Definition) -> Option<sqlite3_module> {
    let has = |flag| definition.flags.contains(flag);
    let has_transactions = has(ModuleFlags::TRANSACTIONS);
    let has_savepoints = has(ModuleFlags::SAVEPOINTS);
    let shadow_name = match definition.shadow_names {
        [] => None,
        endings => Some(SHADOW_CALLBACKS[shadow_names::index_of(endings, SHADOW_CALLBACKS.len())?]),
    };
    type T<M> = <M as Module>::Table;
    Some(sqlite3_module {
        iVersion: 4,
        xCreate: match definition.kind {
            ModuleKind::Created => Some(create::<M>),
            // Eponymous modules have the same function for both methods.
            ModuleKind::Eponymous => Some(connect::<M>),
            ModuleKind::EponymousOnly => None,
        },
        xConnect: Some(connect::<M>),
        xBestIndex: Some(best_index::<T<M>>),
        xDisconnect: Some(disconnect::<T<M>>),
        xDestroy: Some(destroy::<T<M>>),
        xOpen: Some(open::<T<M>>),
        xClose: Some(close::<T<M>>),
        xFilter: Some(filter::<T<M>>),
        xNext: Some(next::<T<M>>),
        xEof: Some(eof::<T<M>>),
        xColumn: Some(column::<T<M>>),
        xRowid: Some(row_id::<T<M>>),
        xUpdate: if has(ModuleFlags::WRITABLE) { Some(update::<T<M>>) } else { None },
        xBegin: if has_transactions { Some(begin::<T<M>>) } else { None },
        xSync: if has_transactions { Some(sync::<T<M>>) } else { None },
        xCommit: if has_transactions { Some(commit::<T<M>>) } else { None },
        xRollback: if has_transactions { Some(rollback::<T<M>>) } else { None },
        xFindFunction: if has(ModuleFlags::OVERLOADS) { Some(find_function::<T<M>>) } else { None },
        xRename: if has(ModuleFlags::RENAME) { Some(rename::<T<M>>) } else { None },
        xSavepoint: if has_savepoints { Some(savepoint::<T<M>>) } else { None },
        xRelease: if has_savepoints { Some(release::<T<M>>) } else { None },
        xRollbackTo: if has_savepoints { Some(rollback_to::<T<M>>) } else { None },
        xShadowName: shadow_name,
        xIntegrity: if has(ModuleFlags::INTEGRITY) { Some(integrity::<T<M>>) } else { None },
    })
}
