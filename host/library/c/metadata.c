/* What statements say of themselves. */

/* A statement that the engine prepared anew may have other columns. */
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

typedef const char **Names(Statement *statement);

static const char **column_names(Statement *statement) {
  refresh(statement);
  return statement->columns;
}

/* Few programs want the declared types: they are fetched on first use. */
static const char **column_types(Statement *statement) {
  Reply reply;
  refresh(statement);
  if (statement->types) return statement->types;
  call_on(statement->connection, CALL_DECLARED, statement->handle);
  if (request(statement->connection, &reply) != SQLITE_OK) return NULL;
  size_t count = in_left(&reply.in);
  sqlite3_free(statement->declared);
  statement->declared = sqlite3_malloc64(count + 1);
  if (!statement->declared) return NULL;
  memcpy(statement->declared, reply.in.at, count);
  In own = {statement->declared, statement->declared + count, false};
  uint32_t columns;
  statement->types = read_names(&own, &columns);
  if (columns == statement->column_count && !own.is_bad) return statement->types;
  sqlite3_free(statement->types);
  return statement->types = NULL;
}

static const char *name_of(Statement *statement, int index, Names *names) {
  if (!statement || index < 0) return NULL;
  enter(statement->connection);
  const char **found = names(statement);
  const char *name = found && (uint32_t)index < statement->column_count ? found[index] : NULL;
  leave(statement->connection);
  return name;
}

/* The same in UTF-16, which lives as long as the statement. */
static const void *wide_name(Statement *statement, int index, Names *names) {
  const char *name = name_of(statement, index, names);
  if (!name) return NULL;
  enter(statement->connection);
  const void *wide = NULL;
  uint32_t count = 2 * statement->column_count;
  if (!statement->wide) {
    statement->wide = sqlite3MallocZero(count * sizeof(Mem));
    statement->wide_count = statement->wide ? count : 0;
    for (uint32_t i = 0; i < statement->wide_count; i++) {
      mem_init(&statement->wide[i], &statement->connection->db);
    }
  }
  if (statement->wide) {
    Mem *mem = &statement->wide[names == column_types ? (uint32_t)index + count / 2 : (uint32_t)index];
    if (mem->flags == MEM_Null) sqlite3VdbeMemSetStr(mem, name, -1, SQLITE_UTF8, SQLITE_TRANSIENT);
    wide = sqlite3_value_text16(mem);
  }
  leave(statement->connection);
  return wide;
}

EXPORT const char *sqlite3_column_name(sqlite3_stmt *statement, int index) {
  return name_of(statement, index, column_names);
}

EXPORT const void *sqlite3_column_name16(sqlite3_stmt *statement, int index) {
  return wide_name(statement, index, column_names);
}

EXPORT const char *sqlite3_column_decltype(sqlite3_stmt *statement, int index) {
  return name_of(statement, index, column_types);
}

EXPORT const void *sqlite3_column_decltype16(sqlite3_stmt *statement, int index) {
  return wide_name(statement, index, column_types);
}

/* As in a SQLite without SQLITE_ENABLE_COLUMN_METADATA. */
#define NO_NAME(type, name)                                               \
  EXPORT type sqlite3_column_##name(sqlite3_stmt *statement, int index) { \
    (void)statement;                                                      \
    (void)index;                                                          \
    return NULL;                                                          \
  }

NO_NAME(const char *, database_name)
NO_NAME(const void *, database_name16)
NO_NAME(const char *, table_name)
NO_NAME(const void *, table_name16)
NO_NAME(const char *, origin_name)
NO_NAME(const void *, origin_name16)

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
  /* SQLite leaves an EXPLAIN at its end as it is. */
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
