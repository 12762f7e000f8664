/* Prepared statements: the client's, and what it does in a way of extensions. */
#include "face.h"

/* The sizes of the first batch of rows and of the largest one. Two rows let a look-up see its end at
** once; a scan needs few requests. */
#define FIRST_ROWS 2
#define MAX_ROWS 256

static Out *call_prepare(Connection *connection, unsigned flags) {
  (void)flags;
  return call(connection, WORK_PREPARE);
}

static Out *bindings_of(Statement *statement) { return &statement->own.bindings; }

/* Bindings are sent before the step, but not while the statement runs. */
static void put_bindings(Statement *statement) {
  Out *work = &statement->connection->client.work, *bindings = &statement->own.bindings;
  if (statement->state == RUNNING || !bindings->count) return;
  out_begin(work);
  out_raw(work, bindings->bytes, bindings->count);
  if (!work->is_short) out_clear(bindings, MAX_WAITING_BYTES);
}

static int bound_later(Statement *statement) {
  if (statement->own.bindings.count <= MAX_WAITING_BYTES) return SQLITE_OK;
  put_bindings(statement);
  return request_code(statement->connection);
}

static int clear_bindings(Statement *statement) {
  Out *bindings = &statement->own.bindings;
  out_clear(bindings, MAX_WAITING_BYTES);
  for (uint32_t i = 1; i <= statement->parameter_count; i++) {
    out_u8(bindings, i == 1 ? WORK_BIND : WORK_BIND_NEXT);
    if (i == 1) out_u32(bindings, statement->handle);
    if (i == 1) out_u32(bindings, i);
    out_u8(bindings, TAG_NULL);
  }
  statement->connection->client.bound_end = 0;
  return out_end(bindings) ? SQLITE_OK : fail_no_memory(statement->connection);
}

static void put_bound_value(Out *out, sqlite3_value *value) { out_value(out, value); }

static void put_zeros(Out *out, sqlite3_uint64 count) {
  out_u8(out, TAG_BLOB);
  out_u32(out, (uint32_t)count);
  uint8_t *zeros = out_room(out, (size_t)count + 1);
  if (zeros) memset(zeros, 0, (size_t)count + 1);
}

static int length_limit(Connection *connection) {
  return sqlite3_limit(handle_of(connection), SQLITE_LIMIT_LENGTH, -1);
}

static void destroy(const void *data, destructor *given) {
  if (given != SQLITE_STATIC && given != SQLITE_TRANSIENT) destructor_of(given)((void *)data);
}

static uint32_t rows_to_fetch(const Statement *statement) {
  if (statement->state != RUNNING) return FIRST_ROWS;
  return statement->limit < MAX_ROWS / 4 ? statement->limit * 4 : MAX_ROWS;
}

static int send_step(Statement *statement, Reply *reply) {
  return send(statement->connection, reply);
}

static void read_batch(Connection *connection, Reply *reply, Batch *batch) {
  bool is_last = in_u8(&reply->in);
  batch->code = is_last ? SQLITE_DONE : SQLITE_ROW;
  batch->is_stale = false;
  batch->rows = in_u32(&reply->in);
  batch->width = in_u32(&reply->in);
  set_code(connection, batch->code);
}

/* A statement that fails returns no rows before, so its error is never kept. */
static int error_offset(Connection *connection) { return (void)connection, -1; }
static void set_offset(Connection *connection, int offset) { (void)connection, (void)offset; }

/* Nothing interrupts a call. */
static int interrupt(Statement *statement) { return statement->code; }

/* End a run. The host has reset a statement that is done or has failed. */
static int end_run(Statement *statement, bool is_final) {
  bool is_running = statement->state == RUNNING && !statement->is_complete;
  if (is_running && !is_final) {
    call_to_release(statement->connection, WORK_RESET, statement->handle);
  }
  return is_error(statement->code) ? statement->code : SQLITE_OK;
}

static void free_own(Statement *statement) { sqlite3_free(statement->own.bindings.bytes); }

static bool has_traced_sql(Statement *statement, const char **text) {
  (void)statement, (void)text;
  return false;
}

static sqlite3_value *null_value(void) { return (sqlite3_value *)cell_null(); }

#include "client/statements.c"
#include "client/rows.c"
#include "client/bindings.c"
#include "client/metadata.c"
