/* sqlite3_exec. */

/* The callback of a program, and what it receives: the names of the columns, the values of a row,
** and a null. */
typedef struct {
  sqlite3_callback call;
  void *data;
  char **texts;
  int count;
} Receiver;

static bool has_names(Receiver *receiver, Statement *statement) {
  if (receiver->texts) return true;
  receiver->count = sqlite3_column_count(statement);
  sqlite3_uint64 bytes = (2 * (sqlite3_uint64)receiver->count + 1) * sizeof(char *);
  receiver->texts = sqlite3_malloc64(bytes);
  if (!receiver->texts) return false;
  memset(receiver->texts, 0, bytes);
  for (int i = 0; i < receiver->count; i++) {
    receiver->texts[i] = (char *)sqlite3_column_name(statement, i);
  }
  return true;
}

/* Returns SQLITE_ABORT if the callback wants no further row. */
static int pass_row(Receiver *receiver, Statement *statement) {
  if (!has_names(receiver, statement)) return SQLITE_NOMEM;
  char **values = receiver->texts + receiver->count;
  for (int i = 0; i < receiver->count; i++) {
    values[i] = (char *)sqlite3_column_text(statement, i);
    if (statement->lacks_memory) return SQLITE_NOMEM;
  }
  bool is_enough = receiver->call(receiver->data, receiver->count, values, receiver->texts);
  return is_enough ? SQLITE_ABORT : SQLITE_OK;
}

static int run_statement(Statement *statement, sqlite3_callback callback, void *data) {
  Connection *connection = statement->connection;
  Receiver receiver = {.call = callback, .data = data};
  int end = SQLITE_OK;
  while (end == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    end = pass_row(&receiver, statement);
  }
  sqlite3_free(receiver.texts);
  int code = sqlite3_finalize(statement);
  return end == SQLITE_OK ? code : fail(connection, end, NULL);
}

/* SQLite's white space. */
#define SPACES " \t\n\v\f\r"

static int run_all(Connection *connection, const char *sql, sqlite3_callback callback, void *data) {
  int code = SQLITE_OK;
  set_code(connection, SQLITE_OK);
  while (code == SQLITE_OK && *sql) {
    sqlite3_stmt *statement;
    code = sqlite3_prepare_v2(handle_of(connection), sql, -1, &statement, &sql);
    if (code == SQLITE_OK && statement) {
      code = run_statement(statement, callback, data);
      sql += strspn(sql, SPACES);
    }
  }
  return code;
}

/* Without a callback, one request runs all statements. */
static int execute(Connection *connection, const char *sql) {
  out_text(call(connection, OP_EXECUTE), sql);
  return request_code(connection);
}

EXPORT int sqlite3_exec(sqlite3 *db, const char *sql, sqlite3_callback callback, void *data,
                        char **message) {
  Connection *connection = open_connection(db);
  if (!connection) return MISUSE;
  if (!sql) sql = "";
  enter(connection);
  int code = callback ? run_all(connection, sql, callback, data) : execute(connection, sql);
  if (message) {
    *message = code ? sqlite3_mprintf("%s", sqlite3_errmsg(db)) : NULL;
    if (code && !*message) code = fail_no_memory(connection);
  }
  return leave_object(connection, code);
}
