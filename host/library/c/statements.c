/* What the client does in a way of the library: interruption, prefetched rows, results that only the
** engine has. */

/* Rows that are fetched at once, by a program that does nothing else between its steps. */
#define MAX_ROWS 256

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
  for (Statement *each = connection->client.statements; each; each = each->next) {
    if (each->state == RUNNING) return true;
  }
  connection->was_interrupted = false;
  return false;
}

/* Begin preparing: the text follows. */
static Out *call_prepare(Connection *connection, unsigned flags) {
  Out *work = call(connection, CALL_PREPARE);
  out_u32(work, flags);
  return work;
}

/* Bindings wait among the other calls. */
static Out *bindings_of(Statement *statement) { return &statement->connection->client.work; }

static int bound_later(Statement *statement) {
  Connection *connection = statement->connection;
  Reply reply;
  if (connection->client.work.count <= MAX_WAITING_BYTES) return SQLITE_OK;
  /* A value that SQLite has refused fails the next step; one that did not get there fails now. */
  return masked(connection, send(connection, &reply));
}

static void put_bindings(Statement *statement) { (void)statement; }

static int clear_bindings(Statement *statement) {
  call_on(statement->connection, CALL_CLEAR_BINDINGS, statement->handle);
  return call_later(statement->connection);
}

/* How many rows to fetch. A program that only steps gets more each time. After any other request
** the program may have changed what the statement reads, so it gets one row, as natively. With 0 a
** step of the program also fetches the end of the statement. */
static uint32_t rows_to_fetch(const Statement *statement) {
  const Connection *connection = statement->connection;
  if (!statement->is_read_only || statement->explain || connection->has_callbacks) return 0;
  if (connection->sandbox->key) return 0;
  bool only_steps = statement->state == RUNNING && statement->own.serial == connection->serial;
  if (!only_steps || connection->client.work.count) return 1;
  return statement->limit < MAX_ROWS ? statement->limit * 4 : MAX_ROWS;
}

static int send_step(Statement *statement, Reply *reply) {
  statement->own.is_stepping = true;
  int code = send(statement->connection, reply);
  statement->own.is_stepping = false;
  statement->own.serial = statement->connection->serial;
  return code;
}

static void read_batch(Connection *connection, Reply *reply, Batch *batch) {
  (void)connection;
  batch->code = reply->code;
  batch->is_stale = in_u8(&reply->in);
  batch->rows = in_u32(&reply->in);
  batch->width = in_u32(&reply->in);
}

static int error_offset(Connection *connection) { return connection->db.errByteOffset; }

static void set_offset(Connection *connection, int offset) {
  connection->db.errByteOffset = offset;
}

static int fetch(Statement *statement);
static void drop_rows(Statement *statement);

/* Interrupt a statement. The engine does so, unless it does not run it or not any more. */
static int interrupt(Statement *statement) {
  Connection *connection = statement->connection;
  bool is_running = statement->state == RUNNING && !statement->is_complete;
  drop_rows(statement);
  if (is_running) {
    call(connection, CALL_INTERRUPT);
    return fetch(statement);
  }
  statement->state = HALTED;
  statement->is_complete = true;
  statement->code = SQLITE_INTERRUPT;
  return fail(connection, SQLITE_INTERRUPT, NULL);
}

/* Whether the engine is still running the statement, or has an error to repeat. */
static bool must_reset_now(const Statement *statement) {
  return (statement->state == RUNNING && !statement->is_complete) || is_error(statement->code) ||
         (statement->is_complete && is_error(statement->last_code));
}

/* End a run. The engine has the error of a failed one. */
static int end_run(Statement *statement, bool is_final) {
  Connection *connection = statement->connection;
  if (!must_reset_now(statement)) {
    if (!is_final) call_to_release(connection, CALL_RESET, statement->handle);
    set_code(connection, SQLITE_OK);
    return SQLITE_OK;
  }
  bool is_told = statement->state == HALTED;
  call_on(connection, CALL_RESET, statement->handle);
  int code = request_code(connection);
  /* The program has not received this failure, so it is dropped. */
  if (!is_told && statement->is_complete && code) {
    set_code(connection, SQLITE_OK);
    return SQLITE_OK;
  }
  /* The library has interrupted it after its end. */
  if (is_told && !code && is_error(statement->code)) return fail(connection, statement->code, NULL);
  return code;
}

static void free_own(Statement *statement) { (void)statement; }

/* In a trace event the engine has sent the text. */
static bool has_traced_sql(Statement *statement, const char **text) {
  *text = statement->connection->expanded;
  return statement->connection->traced == statement;
}

/* SQLite's value for a missing value. */
static sqlite3_value *null_value(void) {
  static const Mem none = {.flags = MEM_Null};
  return (sqlite3_value *)&none;
}
