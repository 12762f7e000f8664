/* Metadata of statements. */

/* If the engine prepared the statement again, its columns may have changed. */
static void refresh(Statement *statement) {
  if (!statement->is_stale) return;
  Reply reply;
  statement->is_stale = false;
  call_on(statement->connection, CALL_DESCRIBE, statement->handle);
  if (request(statement->connection, &reply) == SQLITE_OK) describe(statement, &reply.in);
}

EXPORT int sqlite3_column_count(sqlite3_stmt *statement) {
  if (!statement) return 0;
  if (statement->is_stale) {
    enter(statement->connection);
    refresh(statement);
    leave(statement->connection);
  }
  return (int)statement->column_count;
}

/* The texts of a statement: one for each column, or three for its origins. */
typedef const char **Texts(Statement *statement);

static const char **column_names(Statement *statement) {
  refresh(statement);
  return statement->columns;
}

/* Metadata that few programs use are fetched on first use. */
static const char **fetch_texts(Statement *statement, struct Fetched *fetched, uint8_t function,
                                uint32_t expected) {
  Reply reply;
  if (fetched->texts) return fetched->texts;
  call_on(statement->connection, function, statement->handle);
  if (request(statement->connection, &reply) != SQLITE_OK) return NULL;
  size_t length = in_left(&reply.in);
  forget_fetched(fetched);
  fetched->bytes = sqlite3_malloc64(length + 1);
  if (!fetched->bytes) return NULL;
  memcpy(fetched->bytes, reply.in.at, length);
  In own = {fetched->bytes, fetched->bytes + length, false};
  uint32_t count;
  fetched->texts = read_names(&own, &count);
  if (count != expected || own.is_bad) forget_fetched(fetched);
  return fetched->texts;
}

static const char **column_types(Statement *statement) {
  refresh(statement);
  return fetch_texts(statement, &statement->types, CALL_DECLARED, statement->column_count);
}

static const char **column_origins(Statement *statement) {
  refresh(statement);
  return fetch_texts(statement, &statement->origins, CALL_ORIGINS, 3 * statement->column_count);
}

/* A kind of metadata: its texts, the number of texts for each column, and the index of one. */
typedef struct {
  Texts *texts;
  uint32_t each, index;
} Kind;

static const Kind NAME = {column_names, 1, 0};
static const Kind TYPE = {column_types, 1, 0};
static const Kind DATABASE = {column_origins, 3, 0};
static const Kind ORIGIN_TABLE = {column_origins, 3, 1};
static const Kind ORIGIN = {column_origins, 3, 2};

static const char *text_of(Statement *statement, int index, const Kind *kind) {
  if (!statement || index < 0) return NULL;
  enter(statement->connection);
  const char **found = kind->texts(statement);
  bool is_there = found && (uint32_t)index < statement->column_count;
  const char *text = is_there ? found[kind->each * (uint32_t)index + kind->index] : NULL;
  leave(statement->connection);
  return text;
}

/* The number of texts of all kinds. */
enum { WIDE_TEXTS = 5 };

static uint32_t wide_place(const Kind *kind) {
  return kind->texts == column_names ? 0 : kind->texts == column_types ? 1 : 2 + kind->index;
}

/* The same in UTF-16, which lives as long as the statement. */
static const void *wide_text(Statement *statement, int index, const Kind *kind) {
  const char *text = text_of(statement, index, kind);
  if (!text) return NULL;
  enter(statement->connection);
  const void *wide = NULL;
  uint32_t count = WIDE_TEXTS * statement->column_count;
  if (!statement->wide) {
    statement->wide = sqlite3MallocZero(count * sizeof(Mem));
    statement->wide_count = statement->wide ? count : 0;
    for (uint32_t i = 0; i < statement->wide_count; i++) {
      mem_init(&statement->wide[i], &statement->connection->db);
    }
  }
  if (statement->wide) {
    Mem *mem = &statement->wide[WIDE_TEXTS * (uint32_t)index + wide_place(kind)];
    if (mem->flags == MEM_Null) sqlite3VdbeMemSetStr(mem, text, -1, SQLITE_UTF8, SQLITE_TRANSIENT);
    wide = sqlite3_value_text16(mem);
  }
  leave(statement->connection);
  return wide;
}

#define COLUMN_TEXT(name, kind)                                                    \
  EXPORT const char *sqlite3_column_##name(sqlite3_stmt *statement, int index) {   \
    return text_of(statement, index, &kind);                                       \
  }                                                                                \
  EXPORT const void *sqlite3_column_##name##16(sqlite3_stmt *statement, int index) { \
    return wide_text(statement, index, &kind);                                     \
  }

COLUMN_TEXT(name, NAME)
COLUMN_TEXT(decltype, TYPE)
COLUMN_TEXT(database_name, DATABASE)
COLUMN_TEXT(table_name, ORIGIN_TABLE)
COLUMN_TEXT(origin_name, ORIGIN)

EXPORT sqlite3 *sqlite3_db_handle(sqlite3_stmt *statement) {
  return statement ? &statement->connection->db : NULL;
}

EXPORT const char *sqlite3_sql(sqlite3_stmt *statement) { return statement ? statement->sql : NULL; }

EXPORT int sqlite3_stmt_readonly(sqlite3_stmt *statement) {
  return !statement || statement->is_read_only;
}

EXPORT int sqlite3_stmt_isexplain(sqlite3_stmt *statement) {
  return statement ? statement->explain : 0;
}

EXPORT int sqlite3_stmt_busy(sqlite3_stmt *statement) {
  /* Like SQLite, this leaves an EXPLAIN that has ended as it is. */
  return statement && (statement->state == RUNNING ||
                       (statement->explain && statement->code == SQLITE_DONE));
}

EXPORT int sqlite3_expired(sqlite3_stmt *statement) { return !statement; }

EXPORT char *sqlite3_expanded_sql(sqlite3_stmt *statement) {
  Reply reply;
  if (!statement) return NULL;
  Connection *connection = statement->connection;
  enter(connection);
  char *text = NULL;
  if (connection->traced == statement) {
    if (connection->expanded) text = sqlite3_mprintf("%s", connection->expanded);
  } else {
    call_on(connection, CALL_EXPANDED_SQL, statement->handle);
    request(connection, &reply);
    const char *given = in_text(&reply.in);
    if (given) text = sqlite3_mprintf("%s", given);
  }
  leave(connection);
  return text;
}

EXPORT int sqlite3_stmt_status(sqlite3_stmt *statement, int counter, int is_reset) {
  if (!statement) return 0;
  Connection *connection = statement->connection;
  enter(connection);
  Out *work = call_on(connection, CALL_STMT_STATUS, statement->handle);
  out_u32(work, (uint32_t)counter);
  out_u32(work, (uint32_t)is_reset);
  return leave_with(connection, request_number(connection, 0));
}

EXPORT int sqlite3_stmt_explain(sqlite3_stmt *statement, int mode) {
  Reply reply;
  if (!statement) return SQLITE_MISUSE_BKPT;
  Connection *connection = statement->connection;
  enter(connection);
  out_u32(call_on(connection, CALL_STMT_EXPLAIN, statement->handle), (uint32_t)mode);
  int code = request(connection, &reply);
  if (code == SQLITE_OK) describe(statement, &reply.in);
  return leave_with(connection, code);
}
