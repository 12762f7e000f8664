//! The table of operations. Everything else about them is generated from it: the enums with their
//! encoders and decoders, the C header, `sql-work.operation` in the contract, and
//! `components/shared/wire/OPERATIONS.md`.
//!
//! A row is the name, the byte, the capability, the encoder with the parameters, and the reply if
//! there is one. The group of a row says who may send it:
//!
//! - `Everyone`: extensions and programs. The bytes are the positions in `sql-work.operation`, so a
//!   new row is the last one.
//! - `Program`: only programs, in a separate request.
//! - `Host`: only the host itself.
//! - `Objects` and `Calls`: only programs. SQLite's functions on SQLite's objects, which are named by
//!   their addresses in the sandbox. `Objects` has what extensions have too, and the same code performs
//!   it; `Calls` what only programs have, in C (`components/sqlite/engine/c`). The reply has
//!   [a head](crate::Returned).

macro_rules! table {
    ($generated:ident) => { $generated! {
Everyone {
    /// Write into a blob. This cannot make the blob longer.
    Write = 0, SqlWrite, write(blob: u32, offset: u32, data: &'a [u8]);
    /// Reset a statement, so that it holds no lock; its bindings stay. Never fails.
    Reset = 1, Nothing, reset(statement: u32);
    /// Close a statement or blob. Never fails.
    Close = 2, Nothing, close(handle: u32);
    /// Bind a parameter; the first one is 1. Fails while rows are read, before `reset`.
    Bind = 3, Sql, bind_at(statement: u32, parameter: u32, value: Value<&'a [u8]>);
    /// Prepare the first statement of SQL. With the grant `sql:ro` a statement that writes is
    /// refused.
    Prepare = 4, Sql, prepare(sql: &'a str) =>
        "the statement's handle plus one, 0 for white space and comments (u32); how many bytes \
         of the text were used (u32); whether it writes nothing (u8, `sqlite3_stmt_readonly`); \
         count of parameters (u32), and the name of each, with its `:`, `@`, `$` or `?`, empty \
         if it has none (text); count of columns (u32), 0 for a statement without rows, and the \
         name of each (text)";
    /// Run all statements of SQL, without their rows. Stops at the first failure.
    Execute = 5, Sql, execute(sql: &'a str);
    /// Read rows, at most `limit`. SQLite's side may send fewer rows although more follow, but at
    /// least one: it ends the reply when that exceeds 1 MiB. A statement that is done, or failed,
    /// is reset.
    Step = 6, Sql, step(statement: u32, limit: u32) =>
        "whether the statement is done (u8); count of rows (u32) and of columns (u32); the \
         values, row by row";
    /// Open blobs. `locations` is their count (u32), and for each flags (u8: 1 to write too, 2 to
    /// close it when the call of the extension ends), row id (s64), schema, which is `main`, `temp`
    /// or the name of an attached database (text), table (text), column (text). Fails if the first
    /// one cannot be opened; the reply for another one is then 0, 0, and an empty blob.
    OpenBlobs = 7, Sql, open_blobs(locations: Locations<'a>) =>
        "for each its handle plus one (u32); its size in bytes (u32); the content of the first \
         one if that has at most 256 bytes, otherwise nothing (blob)";
    /// Move a blob to another row of its column. After a failure the blob is at no row.
    ReopenBlob = 8, Sql, reopen_blob(blob: u32, row_id: i64) =>
        "as for `open-blobs`, with the same handle";
    /// Read a blob. Fails with SQLITE_ABORT if the row was changed meanwhile.
    Read = 9, Sql, read(blob: u32, offset: u32, length: u32) => "so many bytes, and nothing else";
    /// The state of the connection. The reply is the head of each reply to a program.
    State = 10, Sql, state() =>
        "0 (s32); `sqlite3_extended_errcode` (s32); the byte of the SQL that failed last (s32), or -1 \
         (`sqlite3_error_offset`); whether no transaction is open (u8); 0 (u8); the encoding of the \
         databases (u8, as `SQLITE_UTF8`); 0 (u8); rows that the last statement changed (s64), and \
         all statements of this connection (s64); the row id of the last insertion (s64), 0 before \
         the first one";
    /// Close all that this extension has open. Never fails.
    CloseAll = 11, Nothing, close_all();
    /// Describe a statement.
    Describe = 12, Sql, describe(statement: u32) =>
        "0, 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN (u8); count of columns (u32), and the \
         declared type of each (text or none)";
    /// Expand a statement.
    Expand = 13, Sql, expand(statement: u32) =>
        "its text with the bound values (text or none, for a text that is too long)";
    /// Describe a column. Without a schema any is searched, and without a column the table alone is
    /// described.
    Column = 14, Sql, column(schema: Option<&'a CStr>, table: &'a CStr, column: Option<&'a CStr>) =>
        "declared type and collation (each text or none); whether it is NOT NULL, in the primary \
         key, AUTOINCREMENT (each u8, `sqlite3_table_column_metadata`)";
    /// Describe a database: its position in `PRAGMA database_list`, or its name, or NULL for `main`
    /// and for the transactions of all.
    Database = 15, Sql, database(database: Database<'a>) =>
        "its name, and its file (each text or none); s32 as in `sqlite3_db_readonly`, and s32 as \
         in `sqlite3_txn_state`; for a database that does not exist none, none, -1, -1";
    /// Set the row id of the last insertion (`sqlite3_set_last_insert_rowid`). Fails with the grant
    /// `sql:ro`.
    SetLastInsertRowId = 16, SqlWrite, set_last_insert_row_id(row_id: i64);
    /// Keep a blob open that was to be closed when the call ends. Never fails.
    Keep = 17, Sql, keep(blob: u32);
    /// Run a statement for its changes. It is then reset.
    Run = 18, Sql, run(statement: u32) =>
        "whether it returned a row (u8), at which it stops; the rows that it changed (s64); the \
         row id of the last insertion (s64)";
    /// Bind the parameter after the one that the previous `bind` or `bind-next` of this request has
    /// bound.
    BindNext = 19, Sql, bind_next(value: Value<&'a [u8]>);
}
Program {
    /// Open a database with the flags of `sqlite3_open_v2`, and wait for locks up to this time.
    OpenConnection = 128, Program, open_connection(
        flags: u32, busy_milliseconds: u32, path: &'a [u8]
    ) => "the connection (u32)";
    /// Close the connection and everything that belongs to it.
    CloseConnection = 129, Program, close_connection();
    /// Load an extension by its name or path, and register its functions.
    LoadExtension = 130, Program, load_extension(name: &'a str);
}
Host {
    /// Fail with SQLITE_NOMEM unless there is memory for what the host is about to send: the
    /// sandbox cannot refuse memory that the host allocates in it.
    AskMemory = 254, Nothing, ask_memory(bytes: u32);
}
Objects {
    /// `sqlite3_prepare_v3` with its flags, and `PREPARE_LEGACY` or `PREPARE_COUNTED`.
    CallPrepare = 161, Program, call_prepare(flags: u32, sql: Text<'a>) =>
        "the statement or 0 (u32); how many bytes of the text were used (u32); its description";
    /// `sqlite3_bind_…`. A failure is the result of the statement's next step.
    CallBind = 162, Program, call_bind(statement: u32, parameter: u32, value: Bound<'a>);
    /// The same for the parameter after that of the last binding.
    CallBindNext = 163, Program, call_bind_next(value: Bound<'a>);
    /// `sqlite3_clear_bindings`.
    CallClearBindings = 164, Program, call_clear_bindings(statement: u32);
    /// Read rows, at most `limit`; 0 for one row without the end that may follow it. The code is
    /// that of the last step.
    CallStep = 165, Program, call_step(statement: u32, limit: u32) =>
        "whether its columns may have changed (u8); count of rows (u32) and of columns (u32); \
         the values";
    /// `sqlite3_reset`.
    CallReset = 166, Program, call_reset(statement: u32);
    /// `sqlite3_finalize`.
    CallFinalize = 167, Program, call_finalize(statement: u32);
    /// Describe a statement.
    CallDescribe = 168, Program, call_describe(statement: u32) =>
        "whether it writes nothing (u8); its kind of EXPLAIN (u8); the names of its parameters \
         and of its columns, with their counts";
    /// The declared types of a statement's columns.
    CallDeclared = 169, Program, call_declared(statement: u32) =>
        "their count (u32), and as many texts";
    /// The origins of a statement's columns.
    CallOrigins = 170, Program, call_origins(statement: u32) =>
        "three times their count (u32); for each its database, its table, and its name in that \
         table";
    /// `sqlite3_expanded_sql`.
    CallExpandedSql = 171, Program, call_expanded_sql(statement: u32) => "the text";
    /// `sqlite3_stmt_status`. The code is the result.
    CallStmtStatus = 172, Program, call_stmt_status(statement: u32, counter: u32, reset: u32);
    /// `sqlite3_stmt_explain`.
    CallStmtExplain = 173, Program, call_stmt_explain(statement: u32, mode: u32) =>
        "its description";
    /// `sqlite3_exec` without rows.
    CallExecute = 174, Program, call_execute(sql: Text<'a>);
    /// Nothing: its reply has the head.
    CallState = 175, Program, call_state();
    /// Describe a database: its position in `PRAGMA database_list`, or, if that is negative, its
    /// name, null for `main` and for the transactions of all.
    CallDatabase = 179, Program, call_database(position: i32, schema: Text<'a>) =>
        "its name, and its file; s32 as in `sqlite3_db_readonly`, and s32 as in `sqlite3_txn_state`; \
         for a database that does not exist null, null, -1, -1";
    /// `sqlite3_table_column_metadata`.
    CallColumnMetadata = 183, Program, call_column_metadata(
        schema: Text<'a>, table: Text<'a>, column: Text<'a>
    ) => "declared type, collation, three flags (u8)";
    /// `sqlite3_set_last_insert_rowid`.
    CallSetLastInsertRowid = 191, Program, call_set_last_insert_rowid(row_id: i64);
    /// `sqlite3_blob_open`.
    CallBlobOpen = 200, Program, call_blob_open(
        schema: Text<'a>, table: Text<'a>, column: Text<'a>, row_id: i64,
        flags: u32
    ) => "the blob (u32); its size (u32)";
    /// `sqlite3_blob_reopen`.
    CallBlobReopen = 201, Program, call_blob_reopen(blob: u32, row_id: i64) => "its size (u32)";
    /// `sqlite3_blob_read`.
    CallBlobRead = 202, Program, call_blob_read(blob: u32, offset: i32, count: i32) =>
        "so many bytes";
    /// `sqlite3_blob_write`.
    CallBlobWrite = 203, Program, call_blob_write(blob: u32, offset: i32, data: Text<'a>);
    /// `sqlite3_blob_close`.
    CallBlobClose = 204, Program, call_blob_close(blob: u32);
}
Calls {
    /// Set the id of the callback that receives the events of the connection, and the id of the
    /// connection in events.
    CallConnect = 160, Program, call_connect(callback: u32, connection: u32) =>
        "the address of the connection (u32)";
    /// `sqlite3_limit`. The code is the result.
    CallLimit = 176, Program, call_limit(limit: u32, value: i32);
    /// `sqlite3_db_config`, of a switch.
    CallDbConfig = 177, Program, call_db_config(option: u32, value: i32) => "the state (s32)";
    /// `sqlite3_db_status64`.
    CallDbStatus = 178, Program, call_db_status(option: u32, reset: u32) =>
        "now, and highest (each s64)";
    /// `sqlite3_wal_checkpoint_v2`.
    CallCheckpoint = 184, Program, call_checkpoint(schema: Option<&'a [u8]>, mode: u32) =>
        "frames of the log, and how many of them were copied (each s32)";
    /// `sqlite3_wal_autocheckpoint`.
    CallAutocheckpoint = 185, Program, call_autocheckpoint(frames: i32);
    /// `sqlite3_file_control`. The argument is its size in bytes, or 1 for a text, or 0 for none
    /// (u8), and an integer of that size.
    CallFileControl = 186, Program, call_file_control(
        schema: Option<&'a [u8]>, operation: u32, argument: Rest<'a>
    ) => "the argument after the operation";
    /// `sqlite3_db_cacheflush`.
    CallCacheflush = 187, Program, call_cacheflush();
    /// `sqlite3_db_release_memory`.
    CallReleaseMemory = 188, Program, call_release_memory();
    /// `sqlite3_serialize`.
    CallSerialize = 189, Program, call_serialize(schema: Option<&'a [u8]>, flags: u32) =>
        "the size (s64); the content";
    /// `sqlite3_deserialize` of a copy. The buffer has at least `room` bytes.
    CallDeserialize = 190, Program, call_deserialize(
        schema: Option<&'a [u8]>, content: Option<&'a [u8]>, room: i64, flags: u32
    );
    /// `sqlite3_overload_function`.
    CallOverloadFunction = 192, Program, call_overload_function(
        name: Option<&'a [u8]>, arguments: i32
    );
    /// `sqlite3_drop_modules`, but those of these names.
    CallDropModules = 193, Program, call_drop_modules(count: u32, names: Rest<'a>);
    /// `sqlite3_system_errno`. The code is the result.
    CallSystemErrno = 194, Program, call_system_errno();
    /// `sqlite3_busy_timeout`.
    CallBusyTimeout = 195, Program, call_busy_timeout(milliseconds: i32);
    /// `sqlite3_interrupt`.
    CallInterrupt = 196, Program, call_interrupt();
    /// Register a function, or remove it: its kind is a `Kind`.
    CallCreateFunction = 197, Program, call_create_function(
        name: Option<&'a [u8]>, arguments: i32, flags: u32, kind: u8, id: u32
    );
    /// Register a collation by its id, or remove it.
    CallCreateCollation = 198, Program, call_create_collation(
        name: Option<&'a [u8]>, encoding: u32, is_set: bool, id: u32
    );
    /// Set or remove the hook of an event. Steps for progress, the mask for traces, otherwise 0.
    CallHook = 199, Program, call_hook(event: u8, is_set: bool, steps_or_mask: u32);
    /// `sqlite3_backup_init`, of a connection of this instance, or of the content of a database if
    /// the address of the connection is 0.
    CallBackupInit = 205, Program, call_backup_init(
        target: Option<&'a [u8]>, source: u32, name: Option<&'a [u8]>, content: Option<&'a [u8]>
    ) => "the backup (u32)";
    /// `sqlite3_backup_step`.
    CallBackupStep = 206, Program, call_backup_step(backup: u32, pages: i32) =>
        "remaining pages, and all pages (each u32)";
    /// `sqlite3_backup_finish`.
    CallBackupFinish = 207, Program, call_backup_finish(backup: u32);
    /// `sqlite3session_create`.
    CallSessionCreate = 208, Program, call_session_create(schema: Option<&'a [u8]>) =>
        "the session (u32)";
    /// `sqlite3session_delete`.
    CallSessionDelete = 209, Program, call_session_delete(session: u32);
    /// 0: `sqlite3session_enable`, 1: `…indirect`, 2: `…isempty`, 3: `…memory_used`, 4:
    /// `…changeset_size`, 5: `…object_config` with its operation (u8), which no other has.
    CallSessionNumber = 210, Program, call_session_number(
        session: u32, which: u8, argument: i32, operation: Rest<'a>
    ) => "the number (s64)";
    /// `sqlite3session_attach`.
    CallSessionAttach = 211, Program, call_session_attach(session: u32, table: Option<&'a [u8]>);
    /// `sqlite3session_diff`.
    CallSessionDiff = 212, Program, call_session_diff(
        session: u32, schema: Option<&'a [u8]>, table: Option<&'a [u8]>
    ) => "the message";
    /// `sqlite3session_changeset` or `sqlite3session_patchset`.
    CallSessionChangeset = 213, Program, call_session_changeset(session: u32, is_patch: bool) =>
        "the change set";
    /// `sqlite3session_table_filter`, with the id of the filter.
    CallSessionTableFilter = 214, Program, call_session_table_filter(
        session: u32, is_set: bool, id: u32
    );
    /// `sqlite3changeset_start_v2`.
    CallChangesetStart = 215, Program, call_changeset_start(
        flags: u32, changeset: Option<&'a [u8]>
    ) => "the iterator (u32)";
    /// `sqlite3changeset_next`.
    CallChangesetNext = 216, Program, call_changeset_next(iterator: u32) =>
        "the change: table, operation, whether it is indirect, count of columns (each u32), \
         whether each is in the primary key (u8), old values, new values";
    /// `sqlite3changeset_finalize`.
    CallChangesetFinalize = 217, Program, call_changeset_finalize(iterator: u32);
    /// `sqlite3changeset_invert`.
    CallChangesetInvert = 218, Program, call_changeset_invert(changeset: Option<&'a [u8]>) =>
        "the change set";
    /// `sqlite3changeset_apply_v2`, with the id of the handler.
    CallChangesetApply = 219, Program, call_changeset_apply(
        changeset: Option<&'a [u8]>, id: u32, filters: bool, flags: u32, wants_rebase: bool
    ) => "the rebase buffer";
    /// `sqlite3changegroup_new`.
    CallGroupNew = 220, Program, call_group_new() => "the group (u32)";
    /// `sqlite3changegroup_add`.
    CallGroupAdd = 221, Program, call_group_add(group: u32, changeset: Option<&'a [u8]>);
    /// `sqlite3changegroup_add_change`.
    CallGroupAddChange = 222, Program, call_group_add_change(group: u32, iterator: u32);
    /// `sqlite3changegroup_schema`.
    CallGroupSchema = 223, Program, call_group_schema(group: u32, schema: Option<&'a [u8]>);
    /// `sqlite3changegroup_output`.
    CallGroupOutput = 224, Program, call_group_output(group: u32) => "the change set";
    /// `sqlite3changegroup_delete`.
    CallGroupDelete = 225, Program, call_group_delete(group: u32);
    /// `sqlite3rebaser_create`.
    CallRebaserCreate = 226, Program, call_rebaser_create() => "the rebaser (u32)";
    /// `sqlite3rebaser_configure`.
    CallRebaserConfigure = 227, Program, call_rebaser_configure(
        rebaser: u32, rebase: Option<&'a [u8]>
    );
    /// `sqlite3rebaser_rebase`.
    CallRebaserRebase = 228, Program, call_rebaser_rebase(
        rebaser: u32, changeset: Option<&'a [u8]>
    ) => "the change set";
    /// `sqlite3rebaser_delete`.
    CallRebaserDelete = 229, Program, call_rebaser_delete(rebaser: u32);
    /// `sqlite3_snapshot_get`.
    CallSnapshotGet = 230, Program, call_snapshot_get(schema: Option<&'a [u8]>) =>
        "the bytes of the snapshot";
    /// `sqlite3_snapshot_open`.
    CallSnapshotOpen = 231, Program, call_snapshot_open(
        schema: Option<&'a [u8]>, snapshot: Option<&'a [u8]>
    );
    /// `sqlite3_snapshot_recover`.
    CallSnapshotRecover = 232, Program, call_snapshot_recover(schema: Option<&'a [u8]>);
    /// `sqlite3_create_module_v2`. Each method is a bit; none removes the module.
    CallCreateModule = 233, Program, call_create_module(
        name: Option<&'a [u8]>, version: u32, methods: u32, id: u32
    );
    /// `sqlite3_declare_vtab`.
    CallDeclareVtab = 234, Program, call_declare_vtab(declaration: Option<&'a [u8]>);
    /// `sqlite3_vtab_config`.
    CallVtabConfig = 235, Program, call_vtab_config(option: u32, value: i32);
    /// `sqlite3_vtab_on_conflict`. The code is the result.
    CallVtabOnConflict = 236, Program, call_vtab_on_conflict();
    /// Disconnect tables as `sqlite3_close` does before it looks for statements.
    CallDisconnectTables = 237, Program, call_disconnect_tables();
    /// A function that xBestIndex may call: the address of the plan, and which one.
    CallPlan = 238, Program, call_plan(plan: u32, function: u8, constraint: u32, number: i32) =>
        "as the function returns it";
    /// Register a shape that R-Trees search: whether it is a query, and its id.
    CallCreateShape = 239, Program, call_create_shape(
        name: Option<&'a [u8]>, is_query: bool, id: u32
    );
}
    }};
}

pub(crate) use table;
