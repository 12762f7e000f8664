/* Cursors, and their rows in batches. */
#include <stdlib.h>
#include <string.h>

#include "pointers.h"
#include "start.h"
#include "vtab.h"

/* An open cursor; its address is the host's handle. */
typedef struct {
  sqlite3_vtab_cursor *cursor;
  Table *table;
  uint32_t *columns;
  size_t width;
  /* The arguments of xFilter: modules keep pointers to them. */
  Owned owned;
  /* The host has the cursor's row. */
  bool is_fetched;
  /* The failure after the rows of the last batch. */
  int failure;
} Cursor;

#define CURSOR(handle) ((Cursor *)(handle))

bool exports_sqlite_wasm_extension_table_open(uint32_t handle, uint32_t *given, wit_error *error) {
  call_begin();
  Table *table = TABLE(handle);
  sqlite3_vtab_cursor *opened = NULL;
  int code = table->methods->xOpen(table->vtab, &opened);
  if (code != SQLITE_OK) return table_fails(table, code, error);
  opened->pVtab = table->vtab;
  Cursor *cursor = calloc(1, sizeof(Cursor));
  if (!cursor) abort();
  cursor->cursor = opened;
  cursor->table = table;
  *given = (uint32_t)cursor;
  return true;
}

void exports_sqlite_wasm_extension_table_close(uint32_t handle) {
  call_begin();
  Cursor *cursor = CURSOR(handle);
  cursor->table->methods->xClose(cursor->cursor);
  call_release(&cursor->owned);
  free(cursor->columns);
  free(cursor);
}

/* Whole IN lists. */

typedef struct {
  sqlite3_value **values;
  size_t count, next;
} InList;

static const char list_type[] = "whole IN list";

/* A value for `sqlite3_vtab_in_first`. */
static sqlite3_value *in_list(wit_value *values, size_t count) {
  InList *list = call_room(sizeof(InList));
  *list = (InList){call_arguments(values, count, NULL, SQLITE_UTF8), count, 0};
  Cell *cell = call_cell();
  cell_set_pointer(cell, list, list_type);
  return VALUE_OF(cell);
}

int sqlite3_vtab_in_next(sqlite3_value *value, sqlite3_value **item) {
  *item = NULL;
  InList *list = value ? sqlite3_value_pointer(value, list_type) : NULL;
  if (!list) return value ? SQLITE_ERROR : SQLITE_MISUSE;
  if (list->next == list->count) return SQLITE_DONE;
  *item = list->values[list->next++];
  return SQLITE_OK;
}

int sqlite3_vtab_in_first(sqlite3_value *value, sqlite3_value **item) {
  InList *list = value ? sqlite3_value_pointer(value, list_type) : NULL;
  if (list) list->next = 0;
  return sqlite3_vtab_in_next(value, item);
}

static const char *plan_text(const wit_bytes *text) {
  wit_string bytes = {text ? text->ptr : NULL, text ? text->len : 0};
  return text ? call_text(&bytes) : NULL;
}

static sqlite3_value *argument(sqlite_wasm_extension_table_types_filter_argument_t *given,
                               uint8_t subtype) {
  if (given->tag == SQLITE_WASM_EXTENSION_TABLE_TYPES_FILTER_ARGUMENT_ONE) {
    wit_bytes subtypes = {&subtype, 1};
    return *call_arguments(&given->val.one, 1, &subtypes, SQLITE_UTF8);
  }
  call_own_bytes(given->val.every.ptr, given->val.every.len);
  return in_list(given->val.every.ptr, given->val.every.len);
}

bool exports_sqlite_wasm_extension_table_filter(
    uint32_t handle, int32_t plan, wit_bytes *text,
    exports_sqlite_wasm_extension_table_list_filter_argument_t *arguments, wit_bytes *subtypes,
    full_extension_list_u32_t *columns, wit_error *error) {
  call_begin();
  Cursor *cursor = CURSOR(handle);
  call_own_bytes(arguments->ptr, arguments->len);
  call_own_bytes(subtypes->ptr, subtypes->len);
  sqlite3_value **values = call_room(arguments->len * sizeof(sqlite3_value *));
  for (size_t i = 0; i < arguments->len; i++) {
    values[i] = argument(&arguments->ptr[i], subtypes->len ? subtypes->ptr[i] : 0);
  }
  free(cursor->columns);
  cursor->columns = columns->len ? columns->ptr : NULL;
  cursor->width = columns->len;
  cursor->is_fetched = false;
  cursor->failure = SQLITE_OK;
  int code = cursor->table->methods->xFilter(cursor->cursor, plan, plan_text(text), arguments->len,
                                             values);
  call_release(&cursor->owned);
  cursor->owned = call_take_memory();
  return code == SQLITE_OK || table_fails(cursor->table, code, error);
}

/* Rows. */

/* A batch of rows. */
typedef struct {
  int64_t *row_ids;
  wit_value *values;
  uint8_t *subtypes;
  bool *required;
  bool has_subtypes, has_required;
  /* Pointers may lead into the cursor's row: it must not advance yet. */
  bool has_pointers;
  uint32_t count;
  int row_id_code;
} Rows;

bool column_may_be_left_out;

/* Call xColumn. UPDATE must pass the value on unless the module called `sqlite3_vtab_nochange` for the
** column. The module may fetch rows of another table in between. */
static int call_column(Cursor *cursor, uint32_t column, Cell *cell, bool *is_required) {
  bool outer = column_may_be_left_out;
  column_may_be_left_out = false;
  int code = cursor_column(cursor->cursor, column, cell);
  *is_required = !column_may_be_left_out;
  column_may_be_left_out = outer;
  return code;
}

/* Where a column fails, its cell has the message. */
static int read_column(Cursor *cursor, uint32_t column, Rows *rows, size_t index) {
  Cell *cell = call_cell();
  int code = call_column(cursor, column, cell, &rows->required[index]);
  if (code == SQLITE_OK) {
    wit_value *value = &rows->values[index];
    rows->subtypes[index] = cell_subtype(cell);
    if (!pointer_store(cell, value)) cell_get(cell, SQLITE_UTF8, value);
    return SQLITE_OK;
  }
  const unsigned char *message = sqlite3_value_text(VALUE_OF(cell));
  if (message && !cursor->table->vtab->zErrMsg) {
    cursor->table->vtab->zErrMsg = sqlite3_mprintf("%s", message);
  }
  return code;
}

/* Copy a value that borrows the cursor's memory: the next row overwrites it. */
static void copy_value(wit_value *value) {
  if (value->tag < SQLITE_WASM_EXTENSION_TYPES_VALUE_TEXT || !value->val.blob.len) return;
  void *copy = call_room(value->val.blob.len);
  value->val.blob.ptr = memcpy(copy, value->val.blob.ptr, value->val.blob.len);
}

/* SQLite calls xRowid only where it needs a row id, and a module may have none
** in some scans. So its failure is reported only when SQLite calls xRowid. */
static void read_row_id(Cursor *cursor, Rows *rows) {
  sqlite3_int64 row_id = 0;
  int (*read)(sqlite3_vtab_cursor *, sqlite3_int64 *) = cursor->table->methods->xRowid;
  int code = read ? read(cursor->cursor, &row_id) : SQLITE_OK;
  if (code != SQLITE_OK) rows->row_id_code = code;
  rows->row_ids[rows->count] = row_id;
}

static int read_row(Cursor *cursor, Rows *rows) {
  size_t index = rows->count * cursor->width;
  for (size_t i = 0; i < cursor->width; i++, index++) {
    int code = read_column(cursor, cursor->columns[i], rows, index);
    if (code != SQLITE_OK) return code;
    copy_value(&rows->values[index]);
    rows->has_subtypes |= rows->subtypes[index] != 0;
    rows->has_required |= rows->required[index];
    rows->has_pointers |= rows->subtypes[index] == POINTER_SUBTYPE;
  }
  read_row_id(cursor, rows);
  rows->count++;
  return SQLITE_OK;
}

/* Move to the next row of the batch; false at the end. */
static bool advance(Cursor *cursor, int *code) {
  const sqlite3_module *methods = cursor->table->methods;
  *code = cursor->is_fetched ? methods->xNext(cursor->cursor) : SQLITE_OK;
  cursor->is_fetched = false;
  return *code == SQLITE_OK && !methods->xEof(cursor->cursor);
}

static void put_batch(Cursor *cursor, const Rows *rows,
                      sqlite_wasm_extension_table_types_batch_t *batch) {
  size_t values = rows->count * cursor->width;
  batch->row_ids = (full_extension_list_s64_t){rows->row_ids, rows->count};
  batch->values = (sqlite_wasm_extension_table_types_list_value_t){rows->values, values};
  batch->subtypes = (wit_bytes){rows->subtypes, rows->has_subtypes ? values : 0};
  /* A module that does not use `sqlite3_vtab_nochange` gets all values. */
  bool has_required = rows->has_required && sqlite3_vtab_nochange;
  batch->required = (full_extension_list_bool_t){rows->required, has_required ? values : 0};
  batch->row_id_error.is_some = rows->row_id_code != SQLITE_OK;
  if (batch->row_id_error.is_some) {
    table_fails(cursor->table, rows->row_id_code, &batch->row_id_error.val);
  }
}

bool exports_sqlite_wasm_extension_table_fetch_batch(
    uint32_t handle, uint32_t limit, sqlite_wasm_extension_table_types_batch_t *batch,
    wit_error *error) {
  call_begin();
  Cursor *cursor = CURSOR(handle);
  size_t values = limit * cursor->width;
  Rows rows = {.row_ids = call_room(limit * sizeof(int64_t)),
               .values = call_room(values * sizeof(wit_value)),
               .subtypes = call_room(values),
               .required = call_room(values * sizeof(bool))};
  int code = cursor->failure;
  batch->is_last = false;
  while (code == SQLITE_OK && rows.count < limit && !rows.has_pointers) {
    if (!advance(cursor, &code)) {
      batch->is_last = code == SQLITE_OK;
      break;
    }
    code = read_row(cursor, &rows);
    cursor->is_fetched = code == SQLITE_OK;
  }
  if (code != SQLITE_OK && rows.count == 0) {
    cursor->failure = SQLITE_OK;
    return table_fails(cursor->table, code, error);
  }
  cursor->failure = code;
  put_batch(cursor, &rows, batch);
  return true;
}
