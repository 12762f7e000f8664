//! What SQLite calls outside the sandbox for a connection of `CallConnect`: events, methods of
//! virtual tables, and what a method may ask meanwhile; and the kinds of its functions.
//!
//! A callback begins with its event (u8) and the connection (u32). The reply begins with an integer
//! (i32), which is 0 or a result code if the description says nothing else. An empty reply is the
//! code SQLITE_ERROR.

macro_rules! numbered {
    ($(#[$attribute:meta])* $enum:ident { $($(#[doc = $doc:literal])* $name:ident,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $enum {
            $($(#[doc = $doc])* $name,)*
        }

        impl $enum {
            /// All of them, with their names and the lines of their descriptions.
            pub const ALL: &[(&str, Self, &[&str])] =
                &[$((stringify!($name), Self::$name, &[$($doc),*])),*];

            /// The one with this code.
            pub fn of(code: u8) -> Option<Self> {
                Self::ALL.get(usize::from(code)).map(|(_, one, _)| *one)
            }
        }
    };
}

numbered! {
    /// An event, after which its arguments are listed.
    Event {
        /// Function, arguments with their count (u32), auxiliary data. Reply: value, or the message
        /// of an error; auxiliary data.
        Scalar,
        /// Function, group (0: a new one), arguments. Reply: group, message of an error.
        AggregateStep,
        /// As for a step.
        AggregateInverse,
        /// Function, group. Reply: value, or the message of an error.
        AggregateValue,
        /// As for the value.
        AggregateFinal,
        /// Collation, both texts. The integer is the result.
        Compare,
        /// A registered object is no longer used: its id.
        Destroy,
        /// The hook of waits: how often it was called before (u32).
        Busy,
        /// The progress handler.
        Progress,
        /// The hook of commits.
        Commit,
        /// The hook of rollbacks.
        Rollback,
        /// The hook of changes: action (u32), schema, table, row id (s64).
        Update,
        /// The hook before changes: action (u32), schema, table, old and new row id (s64), depth
        /// (u32), column of a blob (u32), count of columns (u32), old values, new values.
        Preupdate,
        /// The hook of the log: schema, pages (u32).
        Wal,
        /// The authorizer: action (u32), four texts, whether an extension runs the SQL (u8).
        Authorizer,
        /// Traces: kind (u32), statement (u32), time (s64), text, SQL, expanded SQL, and the values
        /// of a row with their count (u32).
        Trace,
        /// An unknown collation: encoding (u32), name.
        CollationNeeded,
        /// The hook of automatic vacuums: schema, pages, unused pages, bytes of a page (u32).
        AutovacuumPages,
        /// The hook of what transactions change in `main`: 0 (u8) before a commit, with whether anything (u8), and
        /// whether the schema (u8) may have changed; the names of tables with their count (u32); the changes with
        /// their count (u32): number of the table (u32), whether any row of it (u8), row id (s64). 1 after the commit,
        /// and 2 where it failed.
        Changes,
        /// Session or apply: id, table.
        TableFilter,
        /// Apply: id, conflict, a change as `CallChangesetNext` has it, conflicting values.
        Conflict,
        /// A method of a virtual table (u8), and its object. After a failure its message follows.
        Method,
        /// Shape, its data (0: none), parameters, a node of the tree. Reply: the data, the result.
        Shape,
    }
}

impl Event {
    /// The hooks that `CallHook` sets.
    pub const FIRST_HOOK: Self = Self::Busy;

    /// How many hooks there are.
    pub const HOOKS: usize = Self::Changes as usize - Self::FIRST_HOOK as usize + 1;

    /// The position of an event among the hooks; an index beyond them for another event.
    pub const fn hook(event: u8) -> usize {
        event.wrapping_sub(Self::FIRST_HOOK as u8) as usize
    }
}

numbered! {
    /// A method of a module, after which its arguments are listed. Each is a bit of
    /// `CallCreateModule`.
    Method {
        /// Module, count of arguments (u32), the arguments. Reply: table.
        Create,
        /// As for create.
        Connect,
        /// Table, address of the plan, columns used (u64), cost, rows, constraints, order. Reply:
        /// usage of each constraint, and the plan.
        BestIndex,
        /// Table.
        Disconnect,
        /// Table.
        Destroy,
        /// Table. Reply: cursor.
        Open,
        /// Cursor.
        Close,
        /// Cursor, the plan with its seal, count of arguments (u32), the arguments. Reply: whether
        /// the cursor is at its end (u8).
        Filter,
        /// Cursor. Reply: as for filter.
        Next,
        /// No call: filter and next reply it.
        Eof,
        /// Cursor, column, whether UPDATE leaves it as it is (u8). Reply: 0 and a value, or 1, a
        /// code and a message.
        Column,
        /// Cursor. Reply: row id (s64).
        Rowid,
        /// Table, count of values (u32), the values. Reply: row id (s64).
        Update,
        /// Table.
        Begin,
        /// Table.
        Sync,
        /// Table.
        Commit,
        /// Table.
        Rollback,
        /// Table, savepoint (u32).
        Savepoint,
        /// Table, savepoint (u32).
        Release,
        /// Table, savepoint (u32).
        RollbackTo,
        /// Table, count of arguments, name. Reply: the result of xFindFunction, function.
        FindFunction,
        /// Table, name.
        Rename,
        /// Module, ending. The integer is the result.
        ShadowName,
        /// Table, schema, name, flags (u32). Reply: the error that was found.
        Integrity,
        /// No call: xCreate and xConnect are the same function.
        CreateIsConnect,
    }
}

numbered! {
    /// What `CallCreateFunction` registers.
    Kind {
        /// Nothing: the function is removed.
        None,
        /// A scalar function.
        Scalar,
        /// An aggregate.
        Aggregate,
        /// A window function.
        Window,
    }
}

numbered! {
    /// A function that xBestIndex may call, for `CallPlan`.
    Plan {
        /// `sqlite3_vtab_distinct`. The code is the result.
        Distinct,
        /// `sqlite3_vtab_in`. The code is the result.
        In,
        /// `sqlite3_vtab_collation`. Reply: the collation.
        Collation,
        /// `sqlite3_vtab_rhs_value`. Reply: the value.
        Right,
    }
}
