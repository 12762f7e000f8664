//! What is to be done for a statement.

use super::{Copy, Declared, Direction, Modes, PlanFormat};

/// What is to be done for a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Run [`Statement::sql`].
    Run,
    /// The same; of its rows only the column `detail` is sent, as `QUERY PLAN`, or a tree of them.
    Explain(PlanFormat),
    /// Alter a table by [`steps`](super::steps); [`Statement::sql`] is empty.
    Alter,
    /// Begin a transaction.
    Begin(Modes),
    /// Run it, and end the transaction; one that failed is rolled back instead.
    Commit {
        /// Begin another one with the same modes.
        chain: bool,
    },
    /// Run it, and end the transaction.
    Rollback {
        /// Begin another one with the same modes.
        chain: bool,
    },
    /// Run it: `SAVEPOINT`.
    Savepoint(String),
    /// Run it: `ROLLBACK TO SAVEPOINT`, after which a failed transaction goes on.
    RollbackTo(String),
    /// Run it: `RELEASE SAVEPOINT`.
    Release(String),
    /// `SET TRANSACTION`, and `SET SESSION CHARACTERISTICS` for those to come.
    SetModes {
        /// What is set.
        modes: Modes,
        /// Whether it is for transactions to come.
        is_session: bool,
    },
    /// Set a setting of the session.
    Set {
        /// In lower case.
        name: String,
        /// `None` for its default.
        value: Option<String>,
        /// Until the end of the transaction only.
        is_local: bool,
    },
    /// `RESET ALL`.
    ResetAll,
    /// Return a setting, as one row of text.
    Show(String),
    /// Return all settings.
    ShowAll,
    /// `DISCARD`.
    Discard(Discarded),
    /// Forget a prepared statement; all where none is named.
    Deallocate(Option<String>),
    /// Prepare a statement under a name.
    Prepare {
        /// The name.
        name: String,
        /// The OIDs of its parameters' types, as far as they are given; 0 for an open one.
        types: Vec<u32>,
        /// The statement.
        sql: String,
    },
    /// Run a prepared statement.
    Execute {
        /// Its name.
        name: String,
        /// Its arguments, as expressions.
        arguments: Vec<String>,
    },
    /// Send or receive data.
    Copy(Box<Copy>),
    /// `DECLARE CURSOR`; [`Statement::sql`] is its query.
    Declare {
        /// The name of the cursor.
        name: String,
        /// What it can do.
        declared: Declared,
    },
    /// `FETCH` and `MOVE`.
    Fetch {
        /// The name of the cursor.
        name: String,
        /// Where to.
        direction: Direction,
        /// `MOVE`: no row is sent.
        is_move: bool,
    },
    /// `CLOSE`; all where none is named.
    CloseCursor(Option<String>),
    /// `LISTEN`.
    Listen(String),
    /// `UNLISTEN`; all where none is named.
    Unlisten(Option<String>),
    /// `NOTIFY`.
    Notify {
        /// The name of the channel.
        channel: String,
        /// What is said there.
        payload: String,
    },
    /// `ALTER SEQUENCE … AS`: its values have the type of its column.
    AlterSequence(SequenceType),
    /// `SET CONSTRAINTS`.
    SetConstraints {
        /// `None` for all.
        names: Option<Vec<ConstraintName>>,
        /// `IMMEDIATE`, and not `DEFERRED`.
        is_immediate: bool,
    },
    /// Nothing, successfully.
    Nothing,
}

/// The name of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintName {
    /// Its schema, if the statement has one.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
}

/// The type of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceType {
    /// The name of the sequence.
    pub name: String,
    /// The size of the type.
    pub bytes: u8,
    /// `IF EXISTS`.
    pub if_exists: bool,
}

/// What DISCARD forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    /// All that the session has.
    All,
    /// Plans.
    Plans,
    /// What sequences have given.
    Sequences,
    /// Temporary tables.
    Temporary,
}
