//! The same rules for SQL that an extension runs: it reaches SQLite without being looked at here.
//! SQLite reports each action, wherever its SQL comes from. That costs a call for each name of a
//! statement, and SQLite itself is in the sandbox, so it comes in addition, and only where there
//! are extensions.

use sqlite_sandbox::hooks::{AuthAction, AuthContext, Authorization};

use super::names::{is_reserved, is_reserved_with_parts};
use super::reading::Reading;
use super::{PAGES, Role, pragmas};

/// Decides for SQLite what a role may do, also while its transaction only reads.
pub fn authorizer(
    role: Role,
    has_checkpoints: bool,
    reading: Reading,
) -> impl FnMut(AuthContext<'_>) -> Authorization + Send + 'static {
    move |context| {
        if !context.by_extension && reading.is_setting(context.action) {
            return Authorization::Allow;
        }
        // A writer may have made the trigger or view, or what an extension runs, that an owner sets off.
        let by_others = context.by_extension || context.accessor.is_some();
        let role = if by_others { role.min(Role::Write) } else { role };
        let only_reads = context.by_extension && reading.is_on();
        if only_reads && ends_or_begins(context.action) {
            return Authorization::Deny;
        }
        let role = if only_reads { Role::Read } else { role };
        match needed(context.action, context.by_extension, has_checkpoints) {
            Some(needed) if needed <= role => Authorization::Allow,
            _ => Authorization::Deny,
        }
    }
}

/// The least role that may do this; none if no role may.
fn needed(action: AuthAction<'_>, by_extension: bool, has_checkpoints: bool) -> Option<Role> {
    use AuthAction as A;
    match action {
        A::Pragma { pragma_name, pragma_value } => {
            let has_value = !pragma_value.is_empty();
            pragmas::needed_by_name(pragma_name, has_value, by_extension, has_checkpoints)
        }
        // As `check_attached`, which knows whether it is a constant.
        A::Attach { filename: "" | ":memory:" } => Some(Role::Owner),
        A::Attach { .. } => None,
        // SQLite does not tell the new name, which may be reserved.
        A::AlterTable { .. } if by_extension => None,
        A::Function { function_name, .. } if is(function_name, "load_extension") => None,
        A::Read { table_name, .. }
        | A::Update { table_name, .. }
        | A::Insert { table_name }
        | A::Delete { table_name }
            if is(table_name, PAGES) =>
        {
            Some(Role::Owner)
        }
        A::CreateTable { table_name } | A::CreateTempTable { table_name }
            if is_reserved(table_name) =>
        {
            None
        }
        A::CreateView { view_name } | A::CreateTempView { view_name } if is_reserved(view_name) => {
            None
        }
        A::CreateVtable { table_name, .. } if is_reserved_with_parts(table_name) => None,
        A::CreateVtable { module_name, .. } if is(module_name, PAGES) => Some(Role::Owner),
        A::Select
        | A::Read { .. }
        | A::Function { .. }
        | A::Recursive
        | A::Transaction { .. }
        | A::Savepoint { .. }
        | A::Detach { .. } => Some(Role::Read),
        _ => Some(Role::Write),
    }
}

/// Whether an action can end a transaction, and with it that it only reads.
fn ends_or_begins(action: AuthAction<'_>) -> bool {
    matches!(action, AuthAction::Transaction { .. } | AuthAction::Savepoint { .. })
}

fn is(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_need_roles() {
        use AuthAction as A;
        let pragma = |pragma_name, pragma_value| A::Pragma { pragma_name, pragma_value };
        for (action, role) in [
            (A::Select, Some(Role::Read)),
            (pragma("table_info", "t"), Some(Role::Read)),
            (pragma("query_only", ""), Some(Role::Read)),
            (pragma("query_only", "0"), None),
            (pragma("Journal_Mode", "delete"), None),
            (pragma("writable_schema", "1"), None),
            (pragma("user_version", "1"), Some(Role::Write)),
            (A::Attach { filename: "x" }, None),
            (A::Attach { filename: ":memory:" }, Some(Role::Owner)),
            (A::Update { table_name: "sqlite_DBPAGE", column_name: "data" }, Some(Role::Owner)),
            (A::Insert { table_name: "t" }, Some(Role::Write)),
            (A::CreateTempTable { table_name: "t" }, Some(Role::Write)),
            (A::CreateTable { table_name: "pg_class" }, None),
            (A::CreateView { view_name: "JSON_each" }, None),
            (A::CreateVtable { table_name: "pg", module_name: "fts5" }, None),
            (A::Function { unused: "", function_name: "load_extension" }, None),
            (A::Unknown { code: 99, arg1: None, arg2: None }, Some(Role::Write)),
        ] {
            assert_eq!(needed(action, false, true), role, "{action:?}");
        }
        let checkpoint =
            |by_extension, has| needed(pragma("wal_checkpoint", ""), by_extension, has);
        assert_eq!([checkpoint(false, false), checkpoint(true, false)], [None, None]);
        let needed_with = [checkpoint(false, true), checkpoint(true, true)];
        assert_eq!(needed_with, [Some(Role::Write), Some(Role::Owner)]);
        let renamed = A::AlterTable { database_name: "main", table_name: "t" };
        let needed = |by_extension| needed(renamed, by_extension, true);
        assert_eq!([needed(false), needed(true)], [Some(Role::Write), None]);
    }

    #[test]
    fn what_others_have_written_is_not_run_as_the_owner() {
        let mut decide = authorizer(Role::Owner, true, Reading::default());
        let mut decide = |by_extension, accessor| {
            let action = AuthAction::Update { table_name: PAGES, column_name: "data" };
            decide(AuthContext { action, database_name: None, accessor, by_extension })
        };
        assert_eq!(decide(false, None), Authorization::Allow);
        assert_eq!(decide(true, None), Authorization::Deny);
        assert_eq!(decide(false, Some("trigger")), Authorization::Deny);
    }

    #[test]
    fn extensions_only_read_in_a_transaction_that_does() {
        use AuthAction as A;
        let reading = Reading::default();
        let mut decide = authorizer(Role::Owner, true, reading.clone());
        let mut decide = |action, by_extension| {
            decide(AuthContext { action, database_name: None, accessor: None, by_extension })
        };
        let insert = A::Insert { table_name: "t" };
        let commit = A::Transaction { operation: "COMMIT" };
        assert_eq!(decide(insert, true), Authorization::Allow);
        assert_eq!(decide(commit, true), Authorization::Allow);
        reading.set(true, || Ok::<_, ()>(())).unwrap();
        for refused in [insert, commit] {
            assert_eq!(decide(refused, true), Authorization::Deny);
            // `session/connection.rs` looks at the client's statements.
            assert_eq!(decide(refused, false), Authorization::Allow);
        }
        assert_eq!(decide(A::Select, true), Authorization::Allow);
        let query_only = A::Pragma { pragma_name: "query_only", pragma_value: "OFF" };
        let set = || {
            assert_eq!(decide(query_only, false), Authorization::Allow);
            assert_eq!(decide(query_only, true), Authorization::Deny);
            Ok::<_, ()>(())
        };
        reading.set(false, set).unwrap();
        assert_eq!(decide(query_only, false), Authorization::Deny);
        let writable = A::Pragma { pragma_name: "writable_schema", pragma_value: "ON" };
        let altered = reading.altering(|| {
            [decide(writable, false), decide(writable, true), decide(query_only, false)]
        });
        assert_eq!(altered, [Authorization::Allow, Authorization::Deny, Authorization::Deny]);
        assert_eq!(decide(writable, false), Authorization::Deny);
    }
}
