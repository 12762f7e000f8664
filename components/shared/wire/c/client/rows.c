/* Running statements, and their rows. */

static bool row_fits(Statement *statement, uint32_t width) {
  if (width <= statement->row_room) return true;
  if (width > MAX_COLUMNS) return false;
  Cell *row = sqlite3_realloc64(statement->row, width * sizeof(Cell));
  if (!row) return false;
  for (uint32_t i = statement->row_room; i < width; i++) cell_init(&row[i], statement->connection);
  statement->row = row;
  statement->row_room = width;
  return true;
}

/* Read the row that the program will see. */
static void read_row(Statement *statement, uint32_t width, In *in) {
  if (!row_fits(statement, width)) return;
  for (uint32_t i = 0; i < width; i++) cell_read(statement->connection, &statement->row[i], in);
  statement->width = width;
  statement->has_row = true;
}

/* The next row of the block. */
static int next_row(Statement *statement) {
  read_row(statement, statement->width, &statement->rows);
  statement->rows_left--;
  if (statement->rows.is_bad) {
    return fail(statement->connection, SQLITE_INTERNAL, "malformed row");
  }
  set_code(statement->connection, SQLITE_ROW);
  return SQLITE_ROW;
}

/* Return the end of the statement, or its failure. */
static int finish(Statement *statement) {
  Connection *connection = statement->connection;
  int code = statement->last_code;
  statement->state = HALTED;
  statement->has_row = false;
  statement->code = code;
  if (statement->last_message) {
    fail(connection, code, statement->last_message);
    set_offset(connection, statement->last_offset);
  } else {
    set_code(connection, code);
  }
  return masked(connection, code);
}

/* There is no memory for the next row. */
static int run_out(Statement *statement) {
  drop_rows(statement);
  halt(statement, SQLITE_NOMEM, false);
  return fail_no_memory(statement->connection);
}

static int fetch(Statement *statement) {
  Connection *connection = statement->connection;
  Reply reply;
  Batch batch;
  statement->limit = rows_to_fetch(statement);
  put_bindings(statement);
  out_u32(call_on(connection, OP_STEP, statement->handle), statement->limit);
  statement->state = RUNNING;
  drop_rows(statement);
  if (send_step(statement, &reply) != SQLITE_OK) {
    /* Without memory the step was not sent, so the other side may still be running. */
    return halt(statement, reply.code, (reply.code & 0xff) != SQLITE_NOMEM);
  }
  read_batch(connection, &reply, &batch);
  if (batch.is_stale) statement->is_stale = true;
  statement->is_complete = batch.code != SQLITE_ROW;
  statement->last_code = batch.code;
  statement->width = batch.width;
  if (reply.in.is_bad || (batch.rows == 0 && batch.code == SQLITE_ROW)) {
    halt(statement, SQLITE_INTERNAL, false);
    return fail(connection, SQLITE_INTERNAL, "malformed rows");
  }
  if (batch.rows == 0) return halt(statement, batch.code, true);
  if (!row_fits(statement, batch.width) || !keep_reply(connection, &statement->block, &reply)) {
    return run_out(statement);
  }
  statement->rows = reply.in;
  if (is_error(batch.code)) {
    statement->last_message = sqlite3_mprintf("%s", sqlite3_errmsg(handle_of(connection)));
    statement->last_offset = error_offset(connection);
  }
  statement->rows_left = batch.rows;
  return next_row(statement);
}

EXPORT int sqlite3_step(sqlite3_stmt *statement) {
  if (!statement) return MISUSE;
  Connection *connection = statement->connection;
  int code;
  enter(connection);
  if (is_interrupted(connection)) code = interrupt(statement);
  else if (statement->lacks_memory) code = run_out(statement);
  else if (statement->rows_left) code = next_row(statement);
  else if (statement->state == RUNNING && statement->is_complete) code = finish(statement);
  else code = fetch(statement);
  return leave_with(connection, code);
}

EXPORT int sqlite3_data_count(sqlite3_stmt *statement) {
  return statement && statement->has_row ? (int)statement->width : 0;
}

static inline sqlite3_value *column(Statement *statement, int index) {
  if (statement && statement->has_row && (uint32_t)index < statement->width) {
    return VALUE_OF(&statement->row[index]);
  }
  if (statement) fail(statement->connection, SQLITE_RANGE, NULL);
  return null_value();
}

EXPORT sqlite3_value *sqlite3_column_value(sqlite3_stmt *statement, int index) {
  return column(statement, index);
}

/* A column has no value, or there was no memory to convert it: then the next step fails. */
static void has_nothing(Statement *statement) {
  if (statement && memory_failed(statement->connection)) statement->lacks_memory = true;
}

/* sqlite3_column_blob, _bytes, _bytes16, _double, _int, _int64, _text, _text16. */
#define COLUMN(type, name) \
  EXPORT type sqlite3_column_##name(sqlite3_stmt *statement, int index) { \
    type result = sqlite3_value_##name(column(statement, index)); \
    if (!result) has_nothing(statement); \
    return result; \
  }

COLUMN(const void *, blob)
COLUMN(int, bytes)
COLUMN(int, bytes16)
COLUMN(double, double)
COLUMN(int, int)
COLUMN(sqlite3_int64, int64)
COLUMN(const unsigned char *, text)
COLUMN(const void *, text16)
COLUMN(int, type)
