/* Prepared statements: preparing, resetting, finalizing. */

typedef const char *ReadText(In *in);

/* A count, and as many texts. Null without memory. */
static const char **read_names(In *in, ReadText *read, uint32_t *count) {
  *count = in_u32(in);
  /* Each takes a byte at least. */
  if (*count > in_left(in)) {
    in->is_bad = true;
    *count = 0;
  }
  const char **texts = sqlite3_malloc64((*count + 1) * sizeof(char *));
  if (!texts) {
    *count = 0;
    return NULL;
  }
  for (uint32_t i = 0; i < *count; i++) texts[i] = read(in);
  return texts;
}

static void free_wide(Statement *statement) {
  for (uint32_t i = 0; i < statement->wide_count; i++) cell_clear(&statement->wide[i]);
  sqlite3_free(statement->wide);
  statement->wide = NULL;
  statement->wide_count = 0;
}

static void forget_fetched(Fetched *fetched) {
  sqlite3_free(fetched->texts);
  kept_free(&fetched->bytes);
  fetched->texts = NULL;
}

static void forget_description(Statement *statement) {
  sqlite3_free(statement->parameters);
  sqlite3_free(statement->columns);
  kept_free(&statement->description);
  forget_fetched(&statement->types);
  forget_fetched(&statement->origins);
  statement->parameters = statement->columns = NULL;
  statement->parameter_count = statement->column_count = 0;
  free_wide(statement);
}

/* Store a description of the statement; false without memory, and if it is malformed. */
static bool describe(Statement *statement, Reply *reply) {
  forget_description(statement);
  if (!keep_reply(statement->connection, &statement->description, reply)) return false;
  In *in = &reply->in;
  statement->is_read_only = in_u8(in);
  if (!EXPLAIN_COMES_WITH_TYPES) statement->explain = in_u8(in);
  statement->parameters = read_names(in, in_text, &statement->parameter_count);
  statement->columns = read_names(in, in_text, &statement->column_count);
  statement->is_stale = false;
  return statement->parameters && statement->columns && !in->is_bad &&
         statement->column_count <= MAX_COLUMNS;
}

static void link_statement(Statement *statement) {
  Statement **all = &statement->connection->client.statements;
  statement->next = *all;
  if (statement->next) statement->next->previous = statement;
  *all = statement;
}

static void unlink_statement(Statement *statement) {
  if (statement->previous) statement->previous->next = statement->next;
  else statement->connection->client.statements = statement->next;
  if (statement->next) statement->next->previous = statement->previous;
}

static void free_row(Statement *statement) {
  for (uint32_t i = 0; i < statement->row_room; i++) cell_clear(&statement->row[i]);
  sqlite3_free(statement->row);
  statement->row = NULL;
  statement->row_room = 0;
}

static void free_statement(Statement *statement) {
  forget_description(statement);
  free_row(statement);
  free_own(statement);
  kept_free(&statement->block);
  sqlite3_free(statement->last_message);
  sqlite3_free(statement->sql);
  sqlite3_free(statement);
}

static Statement *new_statement(Connection *connection, uint32_t handle, const char *sql,
                                size_t length, Reply *reply) {
  Statement *statement = sqlite3_malloc64(sizeof(*statement));
  if (!statement) return NULL;
  memset(statement, 0, sizeof(*statement));
  statement->connection = connection;
  statement->handle = handle;
  statement->sql = sqlite3_malloc64(length + 1);
  if (!statement->sql || !describe(statement, reply)) {
    free_statement(statement);
    return NULL;
  }
  memcpy(statement->sql, sql, length);
  statement->sql[length] = 0;
  link_statement(statement);
  return statement;
}

static int prepare(Connection *connection, const char *sql, size_t length, unsigned flags,
                   Statement **statement, const char **tail) {
  Reply reply;
  if (is_interrupted(connection)) {
    if (tail) *tail = sql;
    return fail(connection, SQLITE_INTERRUPT, NULL);
  }
  out_bytes(call_prepare(connection, flags), sql, length);
  int code = request(connection, &reply);
  uint32_t handle = in_u32(&reply.in), used = in_u32(&reply.in);
  if (used > length || reply.in.is_bad) used = (uint32_t)length;
  if (tail) *tail = sql + used;
  if (code != SQLITE_OK || !handle) return code;
  *statement = new_statement(connection, handle - HANDLE_OFFSET, sql, used, &reply);
  if (*statement) return SQLITE_OK;
  call_to_release(connection, OP_FINALIZE, handle - HANDLE_OFFSET);
  return fail_no_memory(connection);
}

static int prepare_checked(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                           Statement **statement, const char **tail) {
  if (!statement) return MISUSE;
  *statement = NULL;
  Connection *connection = open_connection(db);
  if (!connection || !sql) return MISUSE;
  size_t length = bytes < 0 ? strlen(sql) : strnlen(sql, (size_t)bytes);
  if (bytes >= 0 && length == (size_t)bytes) flags |= COUNTED;
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
  return prepare_checked(db, sql, bytes, LEGACY, statement, tail);
}

/* Bytes in UTF-16 of a text in UTF-8. */
static size_t utf16_bytes(const char *text, const char *end) {
  size_t bytes = 0;
  for (; text < end; text++) {
    if ((*text & 0xC0) != 0x80) bytes += (unsigned char)*text >= 0xF0 ? 4 : 2;
  }
  return bytes;
}

static int prepare_utf16(sqlite3 *db, const void *sql, int bytes, unsigned flags,
                         sqlite3_stmt **statement, const void **tail) {
  if (!statement) return MISUSE;
  *statement = NULL;
  Connection *connection = open_connection(db);
  if (!connection || !sql) return MISUSE;
  /* The text ends with a NUL. */
  const uint16_t *units = sql;
  size_t length = 0;
  while ((bytes < 0 || length + 2 <= (size_t)bytes) && units[length / 2]) length += 2;
  Cell cell;
  cell_init(&cell, connection);
  cell_set_text(&cell, sql, length, SQLITE_UTF16NATIVE);
  const char *text = (const char *)sqlite3_value_text(VALUE_OF(&cell)), *rest = text;
  int code = text ? prepare_checked(db, text, -1, flags, statement, &rest) : SQLITE_NOMEM;
  if (text && tail) *tail = (const uint8_t *)sql + utf16_bytes(text, rest);
  cell_clear(&cell);
  return code;
}

EXPORT int sqlite3_prepare16(sqlite3 *db, const void *sql, int bytes, sqlite3_stmt **statement,
                             const void **tail) {
  return prepare_utf16(db, sql, bytes, LEGACY, statement, tail);
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

/* The statement runs no more, for the program. On the other side it has ended, or it must be reset. */
static int halt(Statement *statement, int code, bool has_ended) {
  statement->state = HALTED;
  statement->is_complete = has_ended;
  statement->lacks_memory = false;
  statement->code = code;
  return masked(statement->connection, code);
}

static int end(Statement *statement, bool is_final) {
  if (statement->state == READY) return SQLITE_OK;
  if (statement->lacks_memory) halt(statement, SQLITE_NOMEM, false);
  return end_run(statement, is_final);
}

static int reset(Statement *statement) {
  int code = end(statement, false);
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

EXPORT int sqlite3_finalize(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_OK;
  Connection *connection = statement->connection;
  enter(connection);
  int code = end(statement, true);
  call_to_release(connection, OP_FINALIZE, statement->handle);
  unlink_statement(statement);
  free_statement(statement);
  return leave_object(connection, code);
}

EXPORT sqlite3_stmt *sqlite3_next_stmt(sqlite3 *db, sqlite3_stmt *statement) {
  Connection *connection = open_connection(db);
  if (!connection) return NULL;
  enter(connection);
  Statement *next = statement ? statement->next : connection->client.statements;
  leave(connection);
  return next;
}
