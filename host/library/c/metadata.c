/* Metadata of statements that extensions are not offered. */

static const char **column_origins(Statement *statement) {
  refresh(statement);
  return fetch_texts(statement, &statement->origins, CALL_ORIGINS, 3 * statement->column_count);
}

static const Kind DATABASE = {column_origins, 3, 0, 2};
static const Kind ORIGIN_TABLE = {column_origins, 3, 1, 3};
static const Kind ORIGIN = {column_origins, 3, 2, 4};

COLUMN_TEXT(database_name, DATABASE)
COLUMN_TEXT(table_name, ORIGIN_TABLE)
COLUMN_TEXT(origin_name, ORIGIN)

EXPORT int sqlite3_expired(sqlite3_stmt *statement) { return !statement; }

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
  if (code == SQLITE_OK) describe(statement, &reply);
  return leave_with(connection, code);
}
