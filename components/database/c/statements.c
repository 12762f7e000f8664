/* Prepared statements. */
#include "interface.h"

/* Keeps blobs of extensions open during a step. */
extern int engine_step(sqlite3_stmt *statement);

/* A batch ends at this size, and before it keeps the program waiting: at this number of steps of the
** virtual machine, which take about 0.1 ms. */
#define MAX_BATCH_BYTES (64 << 10)
#define MAX_BATCH_STEPS 10000

/* The properties of a statement: flags, parameters and columns. */
static void put_description(Out *out, sqlite3_stmt *statement) {
  out_u8(out, (uint8_t)sqlite3_stmt_readonly(statement));
  out_u8(out, (uint8_t)sqlite3_stmt_isexplain(statement));
  int parameters = sqlite3_bind_parameter_count(statement);
  out_u32(out, (uint32_t)parameters);
  for (int i = 1; i <= parameters; i++) {
    out_text(out, sqlite3_bind_parameter_name(statement, i));
  }
  int columns = sqlite3_column_count(statement);
  out_u32(out, (uint32_t)columns);
  for (int i = 0; i < columns; i++) out_text(out, sqlite3_column_name(statement, i));
}

void call_prepare(Call *call) {
  uint32_t flags = in_u32(&call->in), count;
  const char *sql = (const char *)in_bytes(&call->in, &count), *tail = sql;
  sqlite3_stmt *statement = NULL;
  int length = (int)count + !(flags & PREPARE_COUNTED);
  if (flags & PREPARE_LEGACY) {
    call->code = sqlite3_prepare(call->db, sql, length, &statement, &tail);
  } else {
    call->code = sqlite3_prepare_v3(call->db, sql, length, flags & 0xff, &statement, &tail);
  }
  out_u32(&call->out, (uint32_t)(uintptr_t)statement);
  out_u32(&call->out, tail ? (uint32_t)(tail - sql) : 0);
  if (statement) put_description(&call->out, statement);
}

void call_describe(Call *call) { put_description(&call->out, HANDLE(sqlite3_stmt, call)); }

/* A binding that failed. The library did not wait for its result, so the next step of that
** statement fails. */
static struct {
  sqlite3_stmt *statement;
  int code;
} unbound;

/* The parameter of the last binding. */
static struct {
  sqlite3_stmt *statement;
  int index;
} bound;

static void bind(Call *call) {
  call->code = bind_value(bound.statement, bound.index, &call->in);
  if (call->code) {
    unbound.statement = bound.statement;
    unbound.code = call->code;
  }
}

/* Statement, parameter, value. */
void call_bind(Call *call) {
  bound.statement = HANDLE(sqlite3_stmt, call);
  bound.index = (int)in_u32(&call->in);
  bind(call);
}

/* The same for the parameter after that of the last binding: the value. */
void call_bind_next(Call *call) {
  bound.index++;
  bind(call);
}

static int first_step(sqlite3_stmt *statement) {
  if (unbound.statement != statement) return engine_step(statement);
  unbound.statement = NULL;
  return unbound.code;
}

void call_clear_bindings(Call *call) {
  call->code = sqlite3_clear_bindings(HANDLE(sqlite3_stmt, call));
}

static void put_row(Out *out, sqlite3_stmt *statement, int width) {
  for (int i = 0; i < width; i++) put_value(out, engine_column(statement, i));
}

static int steps_of(sqlite3_stmt *statement) {
  return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
}

/* Statement, most rows; 0 for one row without the end that may follow it. Reply: whether its columns
** may have changed (u8), count of rows, count of columns, the values. The code is that of the last
** step. */
void call_step(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  uint32_t limit = in_u32(&call->in), rows = 0;
  int before = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  unsigned first = (unsigned)steps_of(statement);
  size_t start = call->out.count;
  out_room(&call->out, 9);
  call->code = first_step(statement);
  int width = sqlite3_data_count(statement);
  while (call->code == SQLITE_ROW && !call->out.is_short) {
    put_row(&call->out, statement, width);
    bool is_full = ++rows >= limit || call->out.count - start > MAX_BATCH_BYTES ||
                   (unsigned)steps_of(statement) - first > MAX_BATCH_STEPS;
    if (limit == 0 || (is_full && !engine_is_at_end(statement))) break;
    call->code = engine_step(statement);
  }
  if (call->out.is_short) return;
  uint8_t changed = before != sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  memcpy(call->out.bytes + start, &changed, 1);
  memcpy(call->out.bytes + start + 1, &rows, 4);
  memcpy(call->out.bytes + start + 5, &width, 4);
}

void call_reset(Call *call) { call->code = sqlite3_reset(HANDLE(sqlite3_stmt, call)); }

void call_finalize(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  if (unbound.statement == statement) unbound.statement = NULL;
  call->code = sqlite3_finalize(statement);
}

/* Reply: the declared types of the columns. */
void call_declared(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  int columns = sqlite3_column_count(statement);
  out_u32(&call->out, (uint32_t)columns);
  for (int i = 0; i < columns; i++) out_text(&call->out, sqlite3_column_decltype(statement, i));
}

/* Reply: for each column its database, its table and its name in that table. */
void call_origins(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  int columns = sqlite3_column_count(statement);
  out_u32(&call->out, 3 * (uint32_t)columns);
  for (int i = 0; i < columns; i++) {
    out_text(&call->out, sqlite3_column_database_name(statement, i));
    out_text(&call->out, sqlite3_column_table_name(statement, i));
    out_text(&call->out, sqlite3_column_origin_name(statement, i));
  }
}

void call_expanded_sql(Call *call) {
  char *text = sqlite3_expanded_sql(HANDLE(sqlite3_stmt, call));
  out_text(&call->out, text);
  sqlite3_free(text);
}

void call_stmt_status(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  int counter = (int)in_u32(&call->in);
  call->code = sqlite3_stmt_status(statement, counter, (int)in_u32(&call->in));
}

void call_stmt_explain(Call *call) {
  sqlite3_stmt *statement = HANDLE(sqlite3_stmt, call);
  call->code = sqlite3_stmt_explain(statement, (int)in_u32(&call->in));
  put_description(&call->out, statement);
}

void call_execute(Call *call) { call->code = sqlite3_exec(call->db, in_text(&call->in), 0, 0, 0); }
