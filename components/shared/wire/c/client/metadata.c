/* Metadata of statements. */

/* If the statement was prepared again, its columns may have changed. */
static void refresh(Statement *statement) {
  if (!statement->is_stale) return;
  Reply reply;
  statement->is_stale = false;
  call_on(statement->connection, OP_DESCRIBE, statement->handle);
  if (request(statement->connection, &reply) == SQLITE_OK) describe(statement, &reply);
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
static const char **fetch_texts(Statement *statement, Fetched *fetched, uint8_t operation,
                                uint32_t expected) {
  Reply reply;
  if (fetched->texts) return fetched->texts;
  Connection *connection = statement->connection;
  call_on(connection, operation, statement->handle);
  if (request(connection, &reply) != SQLITE_OK) return NULL;
  forget_fetched(fetched);
  if (!keep_reply(connection, &fetched->bytes, &reply)) return NULL;
  if (EXPLAIN_COMES_WITH_TYPES) statement->explain = in_u8(&reply.in);
  uint32_t count;
  fetched->texts = read_names(&reply.in, in_optional_text, &count);
  if (count != expected || reply.in.is_bad) forget_fetched(fetched);
  return fetched->texts;
}

static const char **column_types(Statement *statement) {
  refresh(statement);
  return fetch_texts(statement, &statement->types, OP_TYPES, statement->column_count);
}

/* A kind of metadata: its texts, how many texts each column has, the index of this one, and its
** index among those of a column in UTF-16. */
typedef struct {
  Texts *texts;
  uint32_t each, index, wide;
} Kind;

static const Kind NAME = {column_names, 1, 0, 0};
static const Kind TYPE = {column_types, 1, 0, 1};

static const char *text_of(Statement *statement, int index, const Kind *kind) {
  if (!statement || index < 0) return NULL;
  enter(statement->connection);
  const char **found = kind->texts(statement);
  bool is_there = found && (uint32_t)index < statement->column_count;
  const char *text = is_there ? found[kind->each * (uint32_t)index + kind->index] : NULL;
  leave(statement->connection);
  return text;
}

static bool has_wide(Statement *statement) {
  if (statement->wide) return true;
  uint32_t count = WIDE_TEXTS * statement->column_count;
  statement->wide = sqlite3_malloc64(count * sizeof(Cell));
  if (!statement->wide) return false;
  statement->wide_count = count;
  for (uint32_t i = 0; i < count; i++) cell_init(&statement->wide[i], statement->connection);
  return true;
}

/* The same in UTF-16, which lives as long as the statement. */
static const void *wide_text(Statement *statement, int index, const Kind *kind) {
  const char *text = text_of(statement, index, kind);
  if (!text) return NULL;
  enter(statement->connection);
  const void *wide = NULL;
  if (has_wide(statement)) {
    Cell *cell = &statement->wide[WIDE_TEXTS * (uint32_t)index + kind->wide];
    if (sqlite3_value_type(VALUE_OF(cell)) == SQLITE_NULL) {
      cell_set_text(cell, text, strlen(text), SQLITE_UTF8);
    }
    wide = sqlite3_value_text16(VALUE_OF(cell));
  }
  leave(statement->connection);
  return wide;
}

#define COLUMN_TEXT(name, kind) \
  EXPORT const char *sqlite3_column_##name(sqlite3_stmt *statement, int index) { \
    return text_of(statement, index, &kind); \
  } \
  EXPORT const void *sqlite3_column_##name##16(sqlite3_stmt * statement, int index) { \
    return wide_text(statement, index, &kind); \
  }

COLUMN_TEXT(name, NAME)
COLUMN_TEXT(decltype, TYPE)

EXPORT sqlite3 *sqlite3_db_handle(sqlite3_stmt *statement) {
  return statement ? handle_of(statement->connection) : NULL;
}

EXPORT const char *sqlite3_sql(sqlite3_stmt *statement) {
  return statement ? statement->sql : NULL;
}

EXPORT int sqlite3_stmt_readonly(sqlite3_stmt *statement) {
  return !statement || statement->is_read_only;
}

EXPORT int sqlite3_stmt_isexplain(sqlite3_stmt *statement) {
  if (!statement) return 0;
  if (EXPLAIN_COMES_WITH_TYPES) text_of(statement, 0, &TYPE);
  return statement->explain;
}

EXPORT int sqlite3_stmt_busy(sqlite3_stmt *statement) {
  /* Like SQLite, this leaves an EXPLAIN that has ended as it is. */
  return statement &&
         (statement->state == RUNNING || (statement->explain && statement->code == SQLITE_DONE));
}

EXPORT char *sqlite3_expanded_sql(sqlite3_stmt *statement) {
  Reply reply;
  if (!statement) return NULL;
  Connection *connection = statement->connection;
  enter(connection);
  const char *given;
  if (!has_traced_sql(statement, &given)) {
    put_bindings(statement);
    call_on(connection, OP_EXPAND, statement->handle);
    request(connection, &reply);
    given = in_optional_text(&reply.in);
  }
  char *text = given ? sqlite3_mprintf("%s", given) : NULL;
  leave(connection);
  return text;
}
