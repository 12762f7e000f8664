/* The calls between libsqlite3.so.0 (host/library) and the engine in the sandbox: SQLite's
** functions in one direction, callbacks of the program in the other.
**
** A call is the function (u8) and its arguments. A request can contain several; the reply is that
** of the last one. Integers are little-endian. A text or blob is its length (u32), its bytes, and a
** zero byte; the length 0xffffffff is a null pointer. */
#ifndef CALLS_H
#define CALLS_H

#define FUNCTIONS(X) \
  X(CONNECT, connect) \
  /* Statements. */ \
  X(PREPARE, prepare) X(BIND, bind) X(BIND_NEXT, bind_next) X(CLEAR_BINDINGS, clear_bindings) X(STEP, step) \
  X(RESET, reset) X(FINALIZE, finalize) X(DESCRIBE, describe) X(DECLARED, declared) \
  X(ORIGINS, origins) \
  X(EXPANDED_SQL, expanded_sql) X(STMT_STATUS, stmt_status) X(STMT_EXPLAIN, stmt_explain) \
  X(EXECUTE, execute) \
  /* Connections. */ \
  X(STATE, state) X(LIMIT, limit) X(DB_CONFIG, db_config) X(DB_STATUS, db_status) \
  X(TXN_STATE, txn_state) X(DB_READONLY, db_readonly) X(DB_FILENAME, db_filename) \
  X(DB_NAME, db_name) X(COLUMN_METADATA, column_metadata) X(CHECKPOINT, checkpoint) \
  X(AUTOCHECKPOINT, autocheckpoint) X(FILE_CONTROL, file_control) X(CACHEFLUSH, cacheflush) \
  X(RELEASE_MEMORY, release_memory) X(SERIALIZE, serialize) X(DESERIALIZE, deserialize) \
  X(SET_LAST_INSERT_ROWID, set_last_insert_rowid) X(OVERLOAD_FUNCTION, overload_function) \
  X(DROP_MODULES, drop_modules) X(SYSTEM_ERRNO, system_errno) X(BUSY_TIMEOUT, busy_timeout) \
  X(INTERRUPT, interrupt) \
  /* What the program registers. */ \
  X(CREATE_FUNCTION, create_function) X(CREATE_COLLATION, create_collation) X(HOOK, hook) \
  /* Blobs and backups. */ \
  X(BLOB_OPEN, blob_open) X(BLOB_REOPEN, blob_reopen) X(BLOB_READ, blob_read) \
  X(BLOB_WRITE, blob_write) X(BLOB_CLOSE, blob_close) X(BACKUP_INIT, backup_init) \
  X(BACKUP_STEP, backup_step) X(BACKUP_FINISH, backup_finish) \
  /* Sessions, changesets and snapshots. */ \
  X(SESSION_CREATE, session_create) X(SESSION_DELETE, session_delete) \
  X(SESSION_NUMBER, session_number) X(SESSION_ATTACH, session_attach) \
  X(SESSION_DIFF, session_diff) X(SESSION_CHANGESET, session_changeset) \
  X(SESSION_TABLE_FILTER, session_table_filter) X(CHANGESET_START, changeset_start) \
  X(CHANGESET_NEXT, changeset_next) X(CHANGESET_FINALIZE, changeset_finalize) \
  X(CHANGESET_INVERT, changeset_invert) X(CHANGESET_APPLY, changeset_apply) \
  X(GROUP_NEW, group_new) X(GROUP_ADD, group_add) X(GROUP_ADD_CHANGE, group_add_change) \
  X(GROUP_SCHEMA, group_schema) X(GROUP_OUTPUT, group_output) X(GROUP_DELETE, group_delete) \
  X(REBASER_CREATE, rebaser_create) X(REBASER_CONFIGURE, rebaser_configure) \
  X(REBASER_REBASE, rebaser_rebase) X(REBASER_DELETE, rebaser_delete) \
  X(SNAPSHOT_GET, snapshot_get) X(SNAPSHOT_OPEN, snapshot_open) \
  X(SNAPSHOT_RECOVER, snapshot_recover) \
  /* Virtual tables of the program, and shapes for R-Trees. */ \
  X(CREATE_MODULE, create_module) X(DECLARE_VTAB, declare_vtab) X(VTAB_CONFIG, vtab_config) \
  X(VTAB_ON_CONFLICT, vtab_on_conflict) X(DISCONNECT_TABLES, disconnect_tables) \
  X(PLAN, plan) X(CREATE_SHAPE, create_shape)

enum {
#define X(code, name) CALL_##code,
  FUNCTIONS(X)
#undef X
  CALL_COUNT
};

/* The callbacks. Each begins with its event (u8) and the connection (u32) that CONNECT passed. The
** reply begins with an integer (i32); what follows the integer is listed here. */
enum {
  /* Function, arguments with their count (u32), auxiliary data; reply: value, auxiliary data. */
  EVENT_SCALAR,
  /* Function, group (0: a new one), arguments; reply: group, message of an error. */
  EVENT_AGGREGATE_STEP,
  EVENT_AGGREGATE_INVERSE,
  /* Function, group; reply: value. */
  EVENT_AGGREGATE_VALUE,
  EVENT_AGGREGATE_FINAL,
  /* Collation, both texts. */
  EVENT_COMPARE,
  /* A registered object is no longer used: its number. */
  EVENT_DESTROY,
  EVENT_BUSY,
  EVENT_PROGRESS,
  EVENT_COMMIT,
  EVENT_ROLLBACK,
  EVENT_UPDATE,
  EVENT_PREUPDATE,
  EVENT_WAL,
  EVENT_AUTHORIZE,
  EVENT_TRACE,
  EVENT_COLLATION_NEEDED,
  EVENT_AUTOVACUUM_PAGES,
  /* Session or apply: number, table. */
  EVENT_TABLE_FILTER,
  /* Apply: number, conflict, a change as CHANGESET_NEXT has it, conflicting values. */
  EVENT_CONFLICT,
  /* A method of a virtual table (u8), and its object. After a failure its message follows. */
  EVENT_METHOD,
  /* Shape, its data (0: none), parameters, a node of the tree; reply: the data, the result. */
  EVENT_SHAPE
};

/* The methods of a module, and their arguments. Each is a bit of CREATE_MODULE. */
enum {
  /* Module, count of arguments (u32), the arguments; reply: table. */
  METHOD_CREATE,
  METHOD_CONNECT,
  /* Table, address of the plan, columns used (u64), cost, rows, constraints, order; reply: usage of
  ** each constraint, and the plan. */
  METHOD_BEST_INDEX,
  /* Table. */
  METHOD_DISCONNECT,
  METHOD_DESTROY,
  /* Table; reply: cursor. */
  METHOD_OPEN,
  /* Cursor. */
  METHOD_CLOSE,
  /* Cursor, the plan with its seal, count of arguments (u32), the arguments; reply: whether the
  ** cursor is at its end (u8). */
  METHOD_FILTER,
  /* Cursor; reply: the same. */
  METHOD_NEXT,
  METHOD_EOF,
  /* Cursor, column, whether UPDATE leaves it as it is (u8); reply: 0 and a value, or 1, a code and
  ** a message. */
  METHOD_COLUMN,
  /* Cursor; reply: row id (i64). */
  METHOD_ROWID,
  /* Table, count of values (u32), the values; reply: row id (i64). */
  METHOD_UPDATE,
  /* Table; the last three have a savepoint, too. */
  METHOD_BEGIN,
  METHOD_SYNC,
  METHOD_COMMIT,
  METHOD_ROLLBACK,
  METHOD_SAVEPOINT,
  METHOD_RELEASE,
  METHOD_ROLLBACK_TO,
  /* Table, count of arguments, name; reply: the result of xFindFunction, function. */
  METHOD_FIND_FUNCTION,
  /* Table, name. */
  METHOD_RENAME,
  /* Module, ending; the code is the result. */
  METHOD_SHADOW_NAME,
  /* Table, schema, name, flags (u32); reply: the error that was found. */
  METHOD_INTEGRITY,
  /* xCreate and xConnect are the same function. */
  METHODS_ARE_ONE
};

/* What PLAN requests during xBestIndex: the plan's address, one of these (u8), constraint (u32),
** number. */
enum {
  /* Reply: the code is the result. */
  PLAN_DISTINCT,
  PLAN_IN,
  /* Reply: the collation. */
  PLAN_COLLATION,
  /* Reply: the value. */
  PLAN_RIGHT
};

/* The hooks that HOOK sets. */
enum {
  HOOK_BUSY,
  HOOK_PROGRESS,
  HOOK_COMMIT,
  HOOK_ROLLBACK,
  HOOK_UPDATE,
  HOOK_PREUPDATE,
  HOOK_WAL,
  HOOK_AUTHORIZER,
  HOOK_TRACE,
  HOOK_COLLATION_NEEDED,
  HOOK_AUTOVACUUM_PAGES
};

/* A value is its tag and its payload. A subtype comes before the value. */
enum {
  TAG_NULL,
  TAG_INTEGER,
  TAG_REAL,
  TAG_TEXT,
  TAG_BLOB,
  /* A length (u64). */
  TAG_ZEROS,
  /* The library's number of a pointer (u32). */
  TAG_POINTER,
  /* A subtype (u8), and the value. */
  TAG_SUBTYPE,
  /* A column that UPDATE does not change, or a missing value. */
  TAG_MISSING,
  /* All values of an IN, for xFilter: their length in bytes (u32), and the values. */
  TAG_LIST
};

/* For PREPARE, in addition to the flags of sqlite3_prepare_v3. */
#define PREPARE_LEGACY 0x40000000
/* The text was given with its length, and no NUL ends it. */
#define PREPARE_COUNTED 0x20000000

/* The beginning of each reply. */
typedef struct {
  /* The result of the last function. */
  int code;
  /* sqlite3_extended_errcode and sqlite3_error_offset. */
  int error, offset;
  unsigned char autocommit;
  /* sqlite3_errmsg follows, a text. */
  unsigned char has_message;
  /* Of the databases, such as SQLITE_UTF8. */
  unsigned char encoding;
  unsigned char unused;
  long long changes, total_changes, last_insert_rowid;
} ReplyHead;

_Static_assert(sizeof(ReplyHead) == 40, "as the other side has it");

#endif
