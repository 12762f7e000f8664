/* Prepared statements, on the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "destructors.h"
#include "statements.h"

/* The sizes of the first batch of rows and of the largest one. Two rows let a
** lookup see its end at once; a scan needs few requests. */
#define FIRST_ROWS 2
#define MAX_ROWS 256

static sqlite3_stmt *all_statements;

/* Preparing. */

static int no_memory(void) { return connection_fail(SQLITE_NOMEM, NULL, 0); }

static const char **names(const uint8_t **at, uint32_t *count) {
  *count = work_take_u32(at);
  const char **texts = calloc(*count + 1, sizeof(char *));
  if (!texts) abort();
  for (uint32_t i = 0; i < *count; i++) texts[i] = work_take_text(at);
  return texts;
}

static sqlite3_stmt *new_statement(uint32_t handle, wit_bytes prepared, const uint8_t *at,
                                   const char *sql, size_t length) {
  sqlite3_stmt *statement = calloc(1, sizeof(*statement));
  if (!statement) abort();
  statement->handle = handle;
  statement->sql = sqlite3_mprintf("%.*s", (int)length, sql);
  statement->prepared = prepared;
  statement->is_read_only = work_take_u8(&at);
  statement->parameter_names = names(&at, &statement->parameters);
  statement->column_names = names(&at, &statement->columns);
  statement->cells = calloc(statement->columns + 1, sizeof(Cell));
  statement->is_cleared = calloc(statement->parameters + 1, sizeof(bool));
  if (!statement->cells || !statement->is_cleared) abort();
  for (uint32_t i = 0; i <= statement->columns; i++) cell_set_null(&statement->cells[i]);
  statement->next = all_statements;
  all_statements = statement;
  return statement;
}

int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags,
                       sqlite3_stmt **statement, const char **tail) {
  (void)db;
  (void)flags;
  *statement = NULL;
  if (!sql) return SQLITE_MISUSE;
  if (!work_has_sql()) return SQLITE_MISUSE;
  size_t count = length < 0 ? strlen(sql) : strnlen(sql, length);
  wit_bytes reply;
  if (tail) *tail = sql + count;
  Work *work = work_of(WORK_PREPARE);
  work_bytes(work, sql, count);
  int code = work_request(work, &reply);
  if (code != SQLITE_OK) return code;
  const uint8_t *at = reply.ptr;
  uint32_t number = work_take_u32(&at);
  uint32_t used = work_take_u32(&at);
  if (tail) *tail = sql + used;
  if (number) {
    *statement = new_statement(number - 1, reply, at, sql, used);
  } else {
    free(reply.ptr);
  }
  return connection_succeed();
}

int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **statement,
                       const char **tail) {
  return sqlite3_prepare_v3(db, sql, length, 0, statement, tail);
}

int sqlite3_prepare(sqlite3 *db, const char *sql, int length, sqlite3_stmt **statement,
                    const char **tail) {
  return sqlite3_prepare_v3(db, sql, length, 0, statement, tail);
}

/* Bytes of `count` characters of UTF-8 text, as UTF-16. */
static size_t utf16_bytes(const char *text, const char *end) {
  size_t bytes = 0;
  for (; text < end; text++) {
    if ((*text & 0xC0) != 0x80) bytes += (unsigned char)*text >= 0xF0 ? 4 : 2;
  }
  return bytes;
}

int sqlite3_prepare16_v3(sqlite3 *db, const void *sql, int bytes, unsigned flags,
                         sqlite3_stmt **statement, const void **tail) {
  const uint16_t *characters = sql;
  size_t length = 0;
  *statement = NULL;
  if (!sql) return SQLITE_MISUSE;
  while ((bytes < 0 || length + 2 <= (size_t)bytes) && characters[length / 2]) length += 2;
  Cell cell;
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT,
                     .val.text = {(uint8_t *)sql, length}};
  cell_set(&cell, &value, SQLITE_UTF16LE);
  const char *text = (const char *)sqlite3_value_text(VALUE_OF(&cell));
  const char *rest = text;
  int code = text ? sqlite3_prepare_v3(db, text, -1, flags, statement, &rest) : no_memory();
  if (tail) *tail = (const char *)sql + utf16_bytes(text, rest);
  cell_clear(&cell);
  return code;
}

int sqlite3_prepare16_v2(sqlite3 *db, const void *sql, int bytes, sqlite3_stmt **statement,
                         const void **tail) {
  return sqlite3_prepare16_v3(db, sql, bytes, 0, statement, tail);
}

int sqlite3_prepare16(sqlite3 *db, const void *sql, int bytes, sqlite3_stmt **statement,
                      const void **tail) {
  return sqlite3_prepare16_v3(db, sql, bytes, 0, statement, tail);
}

/* Running. */

static void drop_cells(sqlite3_stmt *statement) {
  for (uint32_t i = 0; i < statement->columns; i++) {
    cell_clear(&statement->cells[i]);
    cell_set_null(&statement->cells[i]);
  }
}

/* Free the rows, which the cells borrow. */
static void drop_rows(sqlite3_stmt *statement) {
  drop_cells(statement);
  if (statement->rows.len) free(statement->rows.ptr);
  statement->rows.len = 0;
  statement->rows_left = 0;
  statement->has_row = false;
}

static int show_row(sqlite3_stmt *statement) {
  wit_value value;
  for (uint32_t i = 0; i < statement->width; i++) {
    work_take_value(&statement->next_row, &value);
    if (i < statement->columns) cell_set(&statement->cells[i], &value, SQLITE_UTF8);
  }
  statement->rows_left--;
  statement->has_row = true;
  return statement->code = SQLITE_ROW;
}

static void put_binding(sqlite3_stmt *statement, int index, wit_value *value) {
  work_u8(&statement->bound, WORK_BIND);
  work_u32(&statement->bound, statement->handle);
  work_u32(&statement->bound, index);
  work_value(&statement->bound, value);
}

void statement_put_cleared(sqlite3_stmt *statement) {
  wit_value null = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL};
  for (uint32_t i = 0; i < statement->parameters; i++) {
    if (statement->is_cleared[i]) put_binding(statement, i + 1, &null);
    statement->is_cleared[i] = false;
  }
}

static int fetch(sqlite3_stmt *statement) {
  drop_rows(statement);
  if (!statement->is_running) statement_put_cleared(statement);
  statement->limit = statement->is_running ? statement->limit * 4 : FIRST_ROWS;
  if (statement->limit > MAX_ROWS) statement->limit = MAX_ROWS;
  Work *work = &statement->bound;
  work_u8(work, WORK_STEP);
  work_u32(work, statement->handle);
  work_u32(work, statement->limit);
  int code = work_request(work, &statement->rows);
  statement->is_running = code == SQLITE_OK;
  if (code != SQLITE_OK) {
    statement->rows.len = 0;
    return statement->code = code;
  }
  statement->next_row = statement->rows.ptr;
  statement->is_last = work_take_u8(&statement->next_row);
  statement->rows_left = work_take_u32(&statement->next_row);
  statement->width = work_take_u32(&statement->next_row);
  return SQLITE_OK;
}

static int finished(sqlite3_stmt *statement) {
  drop_rows(statement);
  statement->is_running = false;
  statement->is_last = false;
  statement->code = SQLITE_OK;
  connection_succeed();
  return SQLITE_DONE;
}

int sqlite3_step(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_MISUSE;
  if (!work_has_sql()) return SQLITE_MISUSE;
  if (statement->has_row) drop_cells(statement);
  statement->has_row = false;
  if (statement->rows_left) return show_row(statement);
  if (statement->is_running && statement->is_last) return finished(statement);
  int code = fetch(statement);
  if (code != SQLITE_OK) return code;
  connection_succeed();
  return statement->rows_left ? show_row(statement) : finished(statement);
}

int sqlite3_reset(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_OK;
  int code = statement->code == SQLITE_ROW ? SQLITE_OK : statement->code;
  /* The host resets it after the last row and after a failure. */
  if (statement->is_running && !statement->is_last) {
    work_defer(work_on(WORK_RESET, statement->handle));
  }
  drop_rows(statement);
  statement->is_running = false;
  statement->is_last = false;
  statement->code = SQLITE_OK;
  return code;
}

int sqlite3_finalize(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_OK;
  int code = statement->code == SQLITE_ROW ? SQLITE_OK : statement->code;
  drop_rows(statement);
  work_defer(work_on(WORK_CLOSE, statement->handle));
  sqlite3_stmt **link = &all_statements;
  while (*link != statement) link = &(*link)->next;
  *link = statement->next;
  free(statement->prepared.ptr);
  free(statement->parameter_names);
  free(statement->column_names);
  work_free(&statement->bound);
  free(statement->cells);
  free(statement->is_cleared);
  columns_free(statement);
  sqlite3_free(statement->sql);
  free(statement);
  return code;
}

/* Binding. */

static int bind(sqlite3_stmt *statement, int index, wit_value *value) {
  if (!statement) return SQLITE_MISUSE;
  if (index < 1 || (uint32_t)index > statement->parameters) {
    return connection_fail(SQLITE_RANGE, NULL, 0);
  }
  if (statement->is_running) {
    return connection_fail(SQLITE_MISUSE, "bind on a busy prepared statement", 33);
  }
  put_binding(statement, index, value);
  statement->is_cleared[index - 1] = false;
  return connection_succeed();
}

static void destroy(void *data, void (*given)(void *)) {
  if (given != SQLITE_STATIC && given != SQLITE_TRANSIENT) destructor_of(given)(data);
}

static int bind_bytes(sqlite3_stmt *statement, int index, uint8_t class, const void *bytes,
                      sqlite3_uint64 count, void (*destructor)(void *)) {
  wit_value value = {.tag = bytes ? class : SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL,
                     .val.blob = {(uint8_t *)bytes, count}};
  int code = count > 0x7fffffff ? connection_fail(SQLITE_TOOBIG, NULL, 0)
                                : bind(statement, index, &value);
  destroy((void *)bytes, destructor);
  return code;
}

int sqlite3_bind_blob64(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count,
                        void (*destructor)(void *)) {
  return bind_bytes(statement, index, SQLITE_WASM_EXTENSION_TYPES_VALUE_BLOB, bytes, count,
                    destructor);
}

int sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count,
                      void (*destructor)(void *)) {
  if (count < 0) return SQLITE_MISUSE;
  return sqlite3_bind_blob64(statement, index, bytes, count, destructor);
}

/* Text in UTF-16 crosses as UTF-8. */
static int bind_utf16(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 bytes,
                      void (*destructor)(void *), int encoding) {
  Cell cell;
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT,
                     .val.text = {(uint8_t *)text, bytes & ~(sqlite3_uint64)1}};
  cell_set(&cell, &value, encoding);
  cell_get(&cell, SQLITE_UTF8, &value);
  int code = bind(statement, index, &value);
  cell_clear(&cell);
  destroy((void *)text, destructor);
  return code;
}

int sqlite3_bind_text64(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 bytes,
                        void (*destructor)(void *), unsigned char encoding) {
  if (encoding == SQLITE_UTF8 || encoding == SQLITE_UTF8_ZT || !text) {
    return bind_bytes(statement, index, SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT, text, bytes,
                      destructor);
  }
  return bind_utf16(statement, index, text, bytes, destructor,
                    encoding == SQLITE_UTF16BE ? SQLITE_UTF16BE : SQLITE_UTF16LE);
}

int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes,
                      void (*destructor)(void *)) {
  if (bytes < 0) bytes = text ? strlen(text) : 0;
  return sqlite3_bind_text64(statement, index, text, bytes, destructor, SQLITE_UTF8);
}

int sqlite3_bind_text16(sqlite3_stmt *statement, int index, const void *text, int bytes,
                        void (*destructor)(void *)) {
  size_t length = bytes;
  for (length = bytes < 0 ? 0 : bytes; bytes < 0 && text && ((uint16_t *)text)[length / 2];) {
    length += 2;
  }
  return sqlite3_bind_text64(statement, index, text, length, destructor, SQLITE_UTF16LE);
}

int sqlite3_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 number) {
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER, .val.integer = number};
  return bind(statement, index, &value);
}

int sqlite3_bind_int(sqlite3_stmt *statement, int index, int number) {
  return sqlite3_bind_int64(statement, index, number);
}

int sqlite3_bind_double(sqlite3_stmt *statement, int index, double number) {
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_REAL, .val.real = number};
  return bind(statement, index, &value);
}

int sqlite3_bind_null(sqlite3_stmt *statement, int index) {
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_NULL};
  return bind(statement, index, &value);
}

int sqlite3_bind_value(sqlite3_stmt *statement, int index, const sqlite3_value *value) {
  sqlite3_value *copy = sqlite3_value_dup(value);
  if (!copy) return value ? no_memory() : sqlite3_bind_null(statement, index);
  wit_value given;
  cell_get((Cell *)copy, SQLITE_UTF8, &given);
  int code = bind(statement, index, &given);
  sqlite3_value_free(copy);
  return code;
}

int sqlite3_bind_zeroblob64(sqlite3_stmt *statement, int index, sqlite3_uint64 count) {
  if (count > (sqlite3_uint64)sqlite3_limit(connection_handle(), SQLITE_LIMIT_LENGTH, -1)) {
    return connection_fail(SQLITE_TOOBIG, NULL, 0);
  }
  void *zeros = calloc(1, count ? count : 1);
  return zeros ? sqlite3_bind_blob64(statement, index, zeros, count, free) : no_memory();
}

int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int index, int count) {
  return sqlite3_bind_zeroblob64(statement, index, count < 0 ? 0 : count);
}

int sqlite3_clear_bindings(sqlite3_stmt *statement) {
  if (statement) memset(statement->is_cleared, true, statement->parameters * sizeof(bool));
  return SQLITE_OK;
}

int sqlite3_bind_parameter_count(sqlite3_stmt *statement) {
  return statement ? statement->parameters : 0;
}

int sqlite3_bind_parameter_index(sqlite3_stmt *statement, const char *name) {
  if (!statement || !name || !*name) return 0;
  for (uint32_t i = 0; i < statement->parameters; i++) {
    if (strcmp(statement->parameter_names[i], name) == 0) return i + 1;
  }
  return 0;
}

const char *sqlite3_bind_parameter_name(sqlite3_stmt *statement, int index) {
  if (!statement || index < 1 || (uint32_t)index > statement->parameters) return NULL;
  const char *name = statement->parameter_names[index - 1];
  return *name ? name : NULL;
}

sqlite3_stmt *sqlite3_next_stmt(sqlite3 *db, sqlite3_stmt *statement) {
  (void)db;
  return statement ? statement->next : all_statements;
}
