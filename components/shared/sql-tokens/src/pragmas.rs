//! PRAGMAs: what each does, and which clients of a server may run it.
//!
//! Two rules use this table: that of `sql:ro` in the engine, which allows what only reads, and the
//! policy of the server. A PRAGMA that is not in the table is refused by both: SQLite's deprecated ones are
//! not.

/// What a PRAGMA does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It returns rows; a value only selects them.
    Reads,
    /// Without a value it returns a setting; a value changes the setting.
    Sets,
    /// It has an effect with or without a value.
    Acts,
}

/// The clients of a server that may run a PRAGMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// All.
    Everybody,
    /// Those that may change rows and the schema.
    Writers,
    /// Those that may change settings of the file.
    Owners,
    /// None.
    Nobody,
}

/// A PRAGMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// The name, in lower case.
    pub name: &'static str,
    /// What it does.
    pub effect: Effect,
    /// Who may run it without a value.
    pub without_value: Clients,
    /// Who may run it with a value.
    pub with_value: Clients,
}

impl Pragma {
    /// Whether it only reads.
    pub fn only_reads(&self, has_value: bool) -> bool {
        match self.effect {
            Effect::Reads => true,
            Effect::Sets => !has_value,
            Effect::Acts => false,
        }
    }

    /// Who may run it.
    pub fn clients(&self, has_value: bool) -> Clients {
        if has_value { self.with_value } else { self.without_value }
    }
}

/// The PRAGMA that copies the log into the database.
pub const CHECKPOINT: &str = "wal_checkpoint";

/// The PRAGMA with this name, in letters of any case.
pub fn find(name: &str) -> Option<&'static Pragma> {
    PRAGMAS.iter().find(|pragma| pragma.name.eq_ignore_ascii_case(name))
}

use Clients::{Everybody, Nobody, Owners, Writers};
use Effect::{Acts, Reads, Sets};

/// All of them: the name, the effect, who may run it without a value, and who with one.
pub const PRAGMAS: &[Pragma] = &[
    pragma("analysis_limit", Sets, Writers, Writers),
    pragma("application_id", Sets, Everybody, Writers),
    pragma("auto_vacuum", Sets, Everybody, Owners),
    pragma("automatic_index", Sets, Nobody, Nobody),
    pragma("busy_timeout", Sets, Everybody, Nobody),
    pragma("cache_size", Sets, Everybody, Nobody),
    pragma("cache_spill", Sets, Nobody, Nobody),
    pragma("cell_size_check", Sets, Nobody, Nobody),
    pragma("checkpoint_fullfsync", Sets, Nobody, Nobody),
    pragma("collation_list", Reads, Everybody, Everybody),
    pragma("compile_options", Reads, Everybody, Everybody),
    pragma("data_version", Reads, Everybody, Nobody),
    pragma("database_list", Reads, Everybody, Nobody),
    // This and `foreign_keys` affect only the connection, and rows that violate constraints are the
    // writer's own.
    pragma("defer_foreign_keys", Sets, Everybody, Everybody),
    pragma("encoding", Sets, Everybody, Owners),
    pragma("foreign_key_check", Reads, Everybody, Everybody),
    pragma("foreign_key_list", Reads, Everybody, Everybody),
    pragma("foreign_keys", Sets, Everybody, Everybody),
    pragma("freelist_count", Reads, Everybody, Nobody),
    pragma("fullfsync", Sets, Nobody, Nobody),
    pragma("function_list", Reads, Everybody, Everybody),
    pragma("hard_heap_limit", Sets, Nobody, Nobody),
    pragma("ignore_check_constraints", Sets, Everybody, Owners),
    pragma("incremental_vacuum", Acts, Writers, Writers),
    pragma("index_info", Reads, Everybody, Everybody),
    pragma("index_list", Reads, Everybody, Everybody),
    pragma("index_xinfo", Reads, Everybody, Everybody),
    pragma("integrity_check", Reads, Everybody, Everybody),
    pragma("journal_mode", Sets, Everybody, Nobody),
    pragma("journal_size_limit", Sets, Nobody, Nobody),
    pragma("legacy_alter_table", Sets, Everybody, Writers),
    pragma("locking_mode", Sets, Everybody, Nobody),
    pragma("max_page_count", Sets, Everybody, Nobody),
    pragma("mmap_size", Sets, Nobody, Nobody),
    pragma("module_list", Reads, Everybody, Everybody),
    pragma("optimize", Acts, Writers, Writers),
    pragma("page_count", Reads, Everybody, Nobody),
    // The size of a database is limited by its count of pages.
    pragma("page_size", Sets, Everybody, Nobody),
    pragma("pragma_list", Reads, Everybody, Everybody),
    pragma("query_only", Sets, Everybody, Nobody),
    pragma("quick_check", Reads, Everybody, Everybody),
    pragma("read_uncommitted", Sets, Nobody, Nobody),
    pragma("recursive_triggers", Sets, Everybody, Writers),
    pragma("reverse_unordered_selects", Sets, Everybody, Everybody),
    pragma("schema_version", Sets, Everybody, Nobody),
    pragma("secure_delete", Sets, Nobody, Nobody),
    pragma("shrink_memory", Acts, Everybody, Everybody),
    pragma("soft_heap_limit", Sets, Nobody, Nobody),
    pragma("stats", Reads, Nobody, Nobody),
    pragma("synchronous", Sets, Everybody, Nobody),
    pragma("table_info", Reads, Everybody, Everybody),
    pragma("table_list", Reads, Everybody, Everybody),
    pragma("table_xinfo", Reads, Everybody, Everybody),
    pragma("temp_store", Sets, Everybody, Nobody),
    pragma("threads", Sets, Nobody, Nobody),
    pragma("trusted_schema", Sets, Nobody, Nobody),
    pragma("user_version", Sets, Everybody, Writers),
    pragma("wal_autocheckpoint", Sets, Nobody, Nobody),
    // The server checks this one itself, too: checkpoints can be left to another program.
    pragma("wal_checkpoint", Acts, Owners, Owners),
    pragma("writable_schema", Sets, Nobody, Nobody),
];

const fn pragma(
    name: &'static str,
    effect: Effect,
    without_value: Clients,
    with_value: Clients,
) -> Pragma {
    Pragma { name, effect, without_value, with_value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pragma_has_one_row() {
        assert!(PRAGMAS.is_sorted_by(|one, next| one.name < next.name));
        let lowercase =
            |pragma: &Pragma| pragma.name.bytes().all(|byte| !byte.is_ascii_uppercase());
        assert!(PRAGMAS.iter().all(lowercase) && find(CHECKPOINT).is_some());
    }

    #[test]
    fn only_writers_and_owners_change_what_others_see() {
        // The settings that everybody may change are those of the connection.
        let open = PRAGMAS
            .iter()
            .filter(|pragma| pragma.with_value == Everybody && !pragma.only_reads(true));
        let names: alloc::vec::Vec<_> = open.map(|pragma| pragma.name).collect();
        let own =
            ["defer_foreign_keys", "foreign_keys", "reverse_unordered_selects", "shrink_memory"];
        assert_eq!(names, own);
    }

    #[test]
    fn names_are_found_in_any_case() {
        let find = |name| find(name).map(|pragma| pragma.only_reads(true));
        assert_eq!(find("Table_Info"), Some(true));
        assert_eq!(find("user_version"), Some(false));
        assert_eq!([find("case_sensitive_like"), find(""), find("table_info ")], [None; 3]);
    }
}
