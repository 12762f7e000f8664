/* Running statements, and their rows. */

static bool row_fits(Statement *statement, uint32_t width) {
  if (width <= statement->row_room) return true;
  if (width > MAX_COLUMNS) return false;
  Mem *row = sqlite3_realloc64(statement->row, width * sizeof(Mem));
  if (!row) return false;
  for (uint32_t i = statement->row_room; i < width; i++) mem_init(&row[i], &statement->connection->db);
  statement->row = row;
  statement->row_room = width;
  return true;
}

/* Read the row that the program will see. */
static void read_row(Statement *statement, uint32_t width, In *in) {
  if (!row_fits(statement, width)) return;
  for (uint32_t i = 0; i < width; i++) {
    Mem *mem = &statement->row[i];
    if (mem->flags & MEM_Dyn) sqlite3VdbeMemSetNull(mem);
    get_value(statement->connection->sandbox, mem, in);
  }
  statement->width = width;
  statement->has_row = true;
}

/* The next row of the block. */
static int next_row(Statement *statement) {
  Connection *connection = statement->connection;
  read_row(statement, statement->width, &statement->rows);
  statement->rows_left--;
  if (statement->rows.is_bad) return fail(connection, SQLITE_INTERNAL, "malformed row");
  connection->db.errCode = SQLITE_ROW;
  if (connection->db.pErr) sqlite3ValueSetNull(connection->db.pErr);
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
    connection->db.errByteOffset = statement->last_offset;
  } else {
    set_code(connection, code);
  }
  return code & connection->db.errMask;
}

/* The number of rows to fetch. A program that only steps gets more each time. After any other
** request it may have changed what the statement reads, and gets one, as natively. With 0 it also
** fetches the end of the statement by a step of the program. */
static uint32_t rows_to_fetch(const Statement *statement) {
  const Connection *connection = statement->connection;
  if (!statement->is_read_only || statement->explain || connection->has_callbacks) return 0;
  if (connection->sandbox->key) return 0;
  bool only_steps = statement->state == RUNNING && statement->serial == connection->serial;
  if (!only_steps || connection->work.count) return 1;
  return statement->limit < MAX_ROWS ? statement->limit * 4 : MAX_ROWS;
}

static bool keep_block(Statement *statement, const In *in) {
  size_t count = in_left(in);
  if (count > statement->block_room) {
    uint8_t *block = sqlite3_realloc64(statement->block, count + count / 2);
    if (!block) return false;
    statement->block = block;
    statement->block_room = count + count / 2;
  }
  if (count) memcpy(statement->block, in->at, count);
  statement->rows = (In){statement->block, statement->block + count, false};
  return true;
}

static int fetch(Statement *statement) {
  Connection *connection = statement->connection;
  Reply reply;
  statement->limit = rows_to_fetch(statement);
  Out *work = call_on(connection, CALL_STEP, statement->handle);
  out_u32(work, statement->limit);
  statement->state = RUNNING;
  drop_rows(statement);
  statement->is_stepping = true;
  int sent = send(connection, &reply);
  statement->is_stepping = false;
  statement->serial = connection->serial;
  if (sent != SQLITE_OK) {
    statement->state = HALTED;
    statement->code = reply.code;
    return reply.code & connection->db.errMask;
  }
  if (in_u8(&reply.in)) statement->is_stale = true;
  uint32_t rows = in_u32(&reply.in);
  statement->width = in_u32(&reply.in);
  statement->is_complete = reply.code != SQLITE_ROW;
  statement->last_code = reply.code;
  /* No row: the statement has ended, or the reply is malformed. */
  if (rows == 0 || reply.in.is_bad) {
    statement->state = HALTED;
    statement->code = reply.code;
    if (reply.code == SQLITE_ROW || reply.in.is_bad) {
      return fail(connection, SQLITE_INTERNAL, "malformed rows");
    }
    return reply.code & connection->db.errMask;
  }
  if (!row_fits(statement, statement->width) || !keep_block(statement, &reply.in)) {
    return fail_no_memory(connection);
  }
  if (is_error(reply.code)) {
    const char *message = sqlite3_errmsg(&connection->db);
    statement->last_message = sqlite3_mprintf("%s", message);
    statement->last_offset = connection->db.errByteOffset;
  }
  statement->rows_left = rows;
  return next_row(statement);
}

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

EXPORT int sqlite3_step(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  Connection *connection = statement->connection;
  int code;
  enter(connection);
  if (is_interrupted(connection)) code = interrupt(statement);
  else if (statement->rows_left) code = next_row(statement);
  else if (statement->state == RUNNING && statement->is_complete) code = finish(statement);
  else code = fetch(statement);
  return leave_with(connection, code);
}

EXPORT int sqlite3_data_count(sqlite3_stmt *statement) {
  return statement && statement->has_row ? (int)statement->width : 0;
}

/* SQLite's value for a missing value. */
static Mem *no_value(Statement *statement) {
  static Mem none;
  none.flags = MEM_Null;
  if (statement) fail(statement->connection, SQLITE_RANGE, NULL);
  return &none;
}

static inline Mem *column(Statement *statement, int index) {
  if (statement && statement->has_row && (uint32_t)index < statement->width) {
    return &statement->row[index];
  }
  return no_value(statement);
}

EXPORT sqlite3_value *sqlite3_column_value(sqlite3_stmt *statement, int index) {
  return column(statement, index);
}

/* sqlite3_column_blob, _bytes, _bytes16, _double, _int, _int64, _text, _text16. */
#define COLUMN(type, name)                                                \
  EXPORT type sqlite3_column_##name(sqlite3_stmt *statement, int index) { \
    return sqlite3_value_##name(column(statement, index));                \
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
