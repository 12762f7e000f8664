/* Prepared statements: preparing, resetting, finalizing. */

/* Rows that are fetched at once, by a program that does nothing else between its steps. */
#define MAX_ROWS 256

/* More columns than SQLite can have prove that the reply is malformed. */
#define MAX_COLUMNS 32767

static const char **read_names(In *in, uint32_t *count) {
  *count = in_u32(in);
  /* Each takes four bytes at least. */
  if (*count > in_left(in) / 4) {
    in->is_bad = true;
    *count = 0;
  }
  const char **names = sqlite3_malloc64((*count + 1) * sizeof(char *));
  if (!names) {
    *count = 0;
    return NULL;
  }
  for (uint32_t i = 0; i < *count; i++) names[i] = in_text(in);
  return names;
}

static void free_wide(Statement *statement) {
  for (uint32_t i = 0; i < statement->wide_count; i++) sqlite3VdbeMemRelease(&statement->wide[i]);
  sqlite3_free(statement->wide);
  statement->wide = NULL;
  statement->wide_count = 0;
}

static void forget_fetched(struct Fetched *fetched) {
  sqlite3_free(fetched->texts);
  sqlite3_free(fetched->bytes);
  *fetched = (struct Fetched){NULL, NULL};
}

static void forget_description(Statement *statement) {
  sqlite3_free(statement->parameters);
  sqlite3_free(statement->columns);
  sqlite3_free(statement->description);
  forget_fetched(&statement->types);
  forget_fetched(&statement->origins);
  statement->parameters = statement->columns = NULL;
  statement->description = NULL;
  statement->parameter_count = statement->column_count = 0;
  free_wide(statement);
}

/* Store the engine's description of a statement. */
static bool describe(Statement *statement, In *in) {
  size_t count = in_left(in);
  forget_description(statement);
  statement->description = sqlite3_malloc64(count + 1);
  if (!statement->description) return false;
  memcpy(statement->description, in->at, count);
  In own = {statement->description, statement->description + count, false};
  statement->is_read_only = in_u8(&own);
  statement->explain = in_u8(&own);
  statement->parameters = read_names(&own, &statement->parameter_count);
  statement->columns = read_names(&own, &statement->column_count);
  statement->is_stale = false;
  return statement->columns && !own.is_bad && statement->column_count <= MAX_COLUMNS;
}

static void link_statement(Connection *connection, Statement *statement) {
  statement->connection = connection;
  statement->next = connection->statements;
  if (statement->next) statement->next->previous = statement;
  connection->statements = statement;
}

static void unlink_statement(Statement *statement) {
  Connection *connection = statement->connection;
  if (statement->previous) statement->previous->next = statement->next;
  else connection->statements = statement->next;
  if (statement->next) statement->next->previous = statement->previous;
}

static void free_row(Statement *statement) {
  for (uint32_t i = 0; i < statement->row_room; i++) sqlite3VdbeMemRelease(&statement->row[i]);
  sqlite3_free(statement->row);
  statement->row = NULL;
  statement->row_room = 0;
}

static void free_statement(Statement *statement) {
  forget_description(statement);
  free_row(statement);
  sqlite3_free(statement->block);
  sqlite3_free(statement->last_message);
  sqlite3_free(statement->sql);
  sqlite3_free(statement);
}

static Statement *new_statement(Connection *connection, uint32_t handle, const char *sql,
                                size_t length, unsigned flags, In *in) {
  Statement *statement = sqlite3MallocZero(sizeof(*statement));
  if (!statement) return NULL;
  statement->handle = handle;
  statement->flags = flags;
  statement->sql = sqlite3_malloc64(length + 1);
  if (!statement->sql || !describe(statement, in)) {
    free_statement(statement);
    return NULL;
  }
  memcpy(statement->sql, sql, length);
  statement->sql[length] = 0;
  link_statement(connection, statement);
  return statement;
}

/* Whether the running statements are to end, and no other may begin: as natively, an interruption
** lasts until none is running. A statement whose end has been fetched is running for the program. */
static bool is_interrupted(Connection *connection) {
  Engine *engine = connection->sandbox->engine;
  bool is_new = engine_is_interrupted(engine);
  /* In a callback, the engine has to notice it too. */
  if (is_new && !connection->requests) {
    engine_clear_interruption(engine);
    connection->was_interrupted = true;
  }
  if (!is_new && !connection->was_interrupted) return false;
  for (Statement *each = connection->statements; each; each = each->next) {
    if (each->state == RUNNING) return true;
  }
  connection->was_interrupted = false;
  return false;
}

static int prepare(Connection *connection, const char *sql, size_t length, unsigned flags,
                   Statement **statement, const char **tail) {
  Reply reply;
  if (is_interrupted(connection)) {
    if (tail) *tail = sql;
    return fail(connection, SQLITE_INTERRUPT, NULL);
  }
  Out *work = call(connection, CALL_PREPARE);
  out_u32(work, flags);
  out_bytes(work, sql, length);
  int code = request(connection, &reply);
  uint32_t handle = in_u32(&reply.in), used = in_u32(&reply.in);
  if (used > length || reply.in.is_bad) used = (uint32_t)length;
  if (tail) *tail = sql + used;
  if (code != SQLITE_OK || !handle) return code;
  *statement = new_statement(connection, handle, sql, used, flags, &reply.in);
  return *statement ? SQLITE_OK : fail_no_memory(connection);
}

static int prepare_checked(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                           Statement **statement, const char **tail) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  *statement = NULL;
  if (!is_open(db) || !sql) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  size_t length = bytes < 0 ? strlen(sql) : strnlen(sql, (size_t)bytes);
  if (bytes >= 0 && length == (size_t)bytes) flags |= PREPARE_COUNTED;
  enter(connection);
  return leave_with(connection, prepare(connection, sql, length, flags, statement, tail));
}

EXPORT int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                              sqlite3_stmt **statement, const char **tail) {
  return prepare_checked(db, sql, bytes, flags & 0xff, statement, tail);
}

EXPORT int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
                              const char **tail) {
  return prepare_checked(db, sql, bytes, 0, statement, tail);
}

EXPORT int sqlite3_prepare(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
                           const char **tail) {
  return prepare_checked(db, sql, bytes, PREPARE_LEGACY, statement, tail);
}

static int prepare_utf16(sqlite3 *db, const void *sql, int bytes, unsigned flags,
                         sqlite3_stmt **statement, const void **tail) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  *statement = NULL;
  if (!is_open(db) || !sql) return SQLITE_MISUSE_BKPT;
  /* The text ends with a NUL. */
  const uint16_t *units = sql;
  int length = 0;
  while ((bytes < 0 || length + 2 <= bytes) && units[length / 2]) length += 2;
  char *text = sqlite3Utf16to8(db, sql, length, SQLITE_UTF16NATIVE);
  if (!text) return SQLITE_NOMEM_BKPT;
  const char *rest = NULL;
  int code = prepare_checked(db, text, -1, flags, statement, &rest);
  if (rest && tail) {
    int used = sqlite3Utf8CharLen(text, (int)(rest - text));
    *tail = (const uint8_t *)sql + sqlite3Utf16ByteLen(sql, length, used);
  }
  sqlite3DbFree(db, text);
  return code;
}

EXPORT int sqlite3_prepare16(sqlite3 *db, const void *sql, int bytes, sqlite3_stmt **statement,
                             const void **tail) {
  return prepare_utf16(db, sql, bytes, PREPARE_LEGACY, statement, tail);
}

EXPORT int sqlite3_prepare16_v2(sqlite3 *db, const void *sql, int bytes, sqlite3_stmt **statement,
                                const void **tail) {
  return prepare_utf16(db, sql, bytes, 0, statement, tail);
}

EXPORT int sqlite3_prepare16_v3(sqlite3 *db, const void *sql, int bytes, unsigned flags,
                                sqlite3_stmt **statement, const void **tail) {
  return prepare_utf16(db, sql, bytes, flags & 0xff, statement, tail);
}

/* End a run. */

static void drop_rows(Statement *statement) {
  statement->rows_left = 0;
  statement->is_complete = false;
  statement->has_row = false;
  statement->rows = (In){NULL, NULL, false};
  sqlite3_free(statement->last_message);
  statement->last_message = NULL;
}

static bool is_error(int code) {
  return code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
}

/* Whether the engine is still running the statement, or has an error to repeat. */
static bool must_reset_now(const Statement *statement) {
  return (statement->state == RUNNING && !statement->is_complete) || is_error(statement->code) ||
         (statement->is_complete && is_error(statement->last_code));
}

static int reset(Statement *statement) {
  Connection *connection = statement->connection;
  int code = SQLITE_OK;
  if (statement->state == READY) {
    /* The statement has not run since. */
  } else if (must_reset_now(statement)) {
    bool is_told = statement->state == HALTED;
    call_on(connection, CALL_RESET, statement->handle);
    code = request_code(connection);
    /* The program has not received this failure, so it is dropped. */
    if (!is_told && statement->is_complete && code) {
      set_code(connection, SQLITE_OK);
      code = SQLITE_OK;
    }
    /* The library has interrupted it after its end. */
    if (is_told && !code && is_error(statement->code)) {
      code = fail(connection, statement->code, NULL);
    }
  } else {
    call_on(connection, CALL_RESET, statement->handle);
    set_code(connection, SQLITE_OK);
    call_later(connection);
  }
  drop_rows(statement);
  statement->state = READY;
  statement->code = SQLITE_OK;
  return code;
}

EXPORT int sqlite3_reset(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_OK;
  Connection *connection = statement->connection;
  enter(connection);
  return leave_with(connection, reset(statement));
}

static void close_zombie(Connection *connection);

EXPORT int sqlite3_finalize(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_OK;
  Connection *connection = statement->connection;
  enter(connection);
  int code = SQLITE_OK;
  if (statement->state != READY && must_reset_now(statement)) code = reset(statement);
  else if (statement->state != READY) set_code(connection, SQLITE_OK);
  call_on(connection, CALL_FINALIZE, statement->handle);
  call_later(connection);
  unlink_statement(statement);
  free_statement(statement);
  if (connection->is_zombie) {
    close_zombie(connection);
    return code;
  }
  return leave_with(connection, code);
}

EXPORT sqlite3_stmt *sqlite3_next_stmt(sqlite3 *db, sqlite3_stmt *statement) {
  if (!is_open(db)) return NULL;
  enter(connection_of(db));
  Statement *next = statement ? statement->next : connection_of(db)->statements;
  leave(connection_of(db));
  return next;
}
