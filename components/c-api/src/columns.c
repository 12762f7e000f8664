/* Metadata of statements, and the columns of their rows. */
#include <stdlib.h>
#include <string.h>

#include "statements.h"

int sqlite3_column_count(sqlite3_stmt *statement) { return statement ? statement->columns : 0; }

int sqlite3_data_count(sqlite3_stmt *statement) {
  return statement && statement->has_row ? statement->columns : 0;
}

const char *sqlite3_column_name(sqlite3_stmt *statement, int column) {
  if (!statement || column < 0 || (uint32_t)column >= statement->columns) return NULL;
  return statement->column_names[column];
}

sqlite3_value *sqlite3_column_value(sqlite3_stmt *statement, int column) {
  static Cell nothing;
  if (statement && column >= 0 && (uint32_t)column < statement->columns) {
    return VALUE_OF(&statement->cells[column]);
  }
  connection_fail(SQLITE_RANGE, NULL, 0);
  cell_set_null(&nothing);
  return VALUE_OF(&nothing);
}

#define COLUMN(type, name)                                        \
  type sqlite3_column_##name(sqlite3_stmt *statement, int column) { \
    return sqlite3_value_##name(sqlite3_column_value(statement, column)); \
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

/* Declared types. Few callers want them: they are fetched on first use, at once. */

static bool is_described(sqlite3_stmt *statement) {
  if (statement->types) return true;
  if (!work_has_sql()) return false;
  Work *work = work_on(WORK_DESCRIBE, statement->handle);
  if (work_request(work, &statement->described) != SQLITE_OK) return false;
  statement->types = calloc(statement->columns + 1, sizeof(char *));
  if (!statement->types) abort();
  const uint8_t *at = statement->described.ptr + 1;
  uint32_t count = work_take_u32(&at);
  for (uint32_t i = 0; i < count && i < statement->columns; i++) {
    statement->types[i] = work_take_optional_text(&at);
  }
  return true;
}

const char *sqlite3_column_decltype(sqlite3_stmt *statement, int column) {
  if (!statement || column < 0 || (uint32_t)column >= statement->columns) return NULL;
  return is_described(statement) ? statement->types[column] : NULL;
}

int sqlite3_stmt_isexplain(sqlite3_stmt *statement) {
  return statement && is_described(statement) ? *statement->described.ptr : 0;
}

/* A text in UTF-16, which lives as long as the statement. */
static const void *wide(sqlite3_stmt *statement, const char *text, size_t index) {
  if (!text) return NULL;
  if (!statement->wide) statement->wide = calloc(2 * statement->columns, sizeof(Cell));
  if (!statement->wide) abort();
  wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT,
                     .val.text = {(uint8_t *)text, strlen(text)}};
  cell_clear(&statement->wide[index]);
  cell_set(&statement->wide[index], &value, SQLITE_UTF8);
  return sqlite3_value_text16(VALUE_OF(&statement->wide[index]));
}

const void *sqlite3_column_name16(sqlite3_stmt *statement, int column) {
  return wide(statement, sqlite3_column_name(statement, column), column);
}

const void *sqlite3_column_decltype16(sqlite3_stmt *statement, int column) {
  const char *type = sqlite3_column_decltype(statement, column);
  return wide(statement, type, type ? statement->columns + column : 0);
}

void columns_free(sqlite3_stmt *statement) {
  for (uint32_t i = 0; statement->wide && i < 2 * statement->columns; i++) {
    cell_clear(&statement->wide[i]);
  }
  free(statement->wide);
  if (statement->types) free(statement->described.ptr);
  free(statement->types);
}

/* About statements. */

sqlite3 *sqlite3_db_handle(sqlite3_stmt *statement) {
  return statement ? connection_handle() : NULL;
}

const char *sqlite3_sql(sqlite3_stmt *statement) { return statement ? statement->sql : NULL; }

int sqlite3_stmt_readonly(sqlite3_stmt *statement) { return !statement || statement->is_read_only; }

int sqlite3_stmt_busy(sqlite3_stmt *statement) { return statement && statement->has_row; }

char *sqlite3_expanded_sql(sqlite3_stmt *statement) {
  if (!statement || !work_has_sql()) return NULL;
  /* Pending bindings travel with the request. */
  wit_bytes reply;
  if (!statement->is_running) statement_put_cleared(statement);
  Work *work = &statement->bound;
  work_u8(work, WORK_EXPAND);
  work_u32(work, statement->handle);
  if (work_request(work, &reply) != SQLITE_OK) return NULL;
  const uint8_t *at = reply.ptr;
  const char *text = work_take_optional_text(&at);
  char *given = text ? sqlite3_mprintf("%s", text) : NULL;
  free(reply.ptr);
  return given;
}
