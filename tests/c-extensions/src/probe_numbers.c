/* A probe of virtual tables that shows its plans. */
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT3

/* p_numbers(n): 1 to n, with the plan as a column. */

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_int64 row, last;
  char *plan;
} Cursor;

static int connect_numbers(sqlite3 *db, void *data, int count, const char *const *words,
                           sqlite3_vtab **table, char **error) {
  (void)data, (void)error;
  *table = sqlite3_malloc(sizeof(**table));
  if (!*table) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(**table));
  if (count > 3) note("arguments %d: %s", count, words[3]);
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(value INTEGER, name TEXT, plan TEXT, n HIDDEN)");
}

static int disconnect_numbers(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

void add_value(sqlite3_str *text, sqlite3_value *value) {
  if (!value) {
    sqlite3_str_appendall(text, "none");
  } else {
    sqlite3_str_appendf(text, "%d:%Q", sqlite3_value_type(value), sqlite3_value_text(value));
  }
}

static int plan_numbers(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  sqlite3_str *text = sqlite3_str_new(0);
  int arguments = 0;
  sqlite3_str_appendf(text, "distinct %d, used %llx;", sqlite3_vtab_distinct(info),
                      info->colUsed & 15);
  for (int i = 0; i < info->nConstraint; i++) {
    sqlite3_value *right = 0;
    int code = sqlite3_vtab_rhs_value(info, i, &right);
    int in = sqlite3_vtab_in(info, i, -1);
    sqlite3_str_appendf(text, " [%d op %d usable %d %s in %d right %d ",
                        info->aConstraint[i].iColumn, info->aConstraint[i].op,
                        info->aConstraint[i].usable, sqlite3_vtab_collation(info, i), in, code);
    add_value(text, right);
    sqlite3_str_appendall(text, "]");
    if (!info->aConstraint[i].usable) continue;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    if (in) sqlite3_vtab_in(info, i, 1);
    info->aConstraintUsage[i].omit = info->aConstraint[i].iColumn == 3;
  }
  for (int i = 0; i < info->nOrderBy; i++)
    sqlite3_str_appendf(text, " order %d %d", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc);
  info->idxNum = arguments;
  info->idxStr = sqlite3_str_finish(text);
  info->needToFreeIdxStr = 1;
  info->estimatedCost = 10;
  info->estimatedRows = 10;
  return SQLITE_OK;
}

static int open_numbers(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = sqlite3_malloc(sizeof(Cursor));
  if (!*cursor) return SQLITE_NOMEM;
  memset(*cursor, 0, sizeof(Cursor));
  return SQLITE_OK;
}

static int close_numbers(sqlite3_vtab_cursor *base) {
  sqlite3_free(((Cursor *)base)->plan);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int filter_numbers(sqlite3_vtab_cursor *base, int number, const char *plan, int count,
                          sqlite3_value **values) {
  Cursor *cursor = (Cursor *)base;
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "%d %s; %d:", number, plan, count);
  cursor->last = 5;
  for (int i = 0; i < count; i++) {
    sqlite3_value *item;
    int code = sqlite3_vtab_in_first(values[i], &item);
    if (code == SQLITE_OK || code == SQLITE_DONE) {
      sqlite3_str_appendall(text, " (");
      for (; code == SQLITE_OK && item; code = sqlite3_vtab_in_next(values[i], &item))
        add_value(text, item);
      sqlite3_str_appendf(text, ")%d", code);
    } else {
      sqlite3_str_appendall(text, " ");
      add_value(text, values[i]);
    }
  }
  sqlite3_free(cursor->plan);
  cursor->plan = sqlite3_str_finish(text);
  cursor->row = 1;
  return SQLITE_OK;
}

static int next_number(sqlite3_vtab_cursor *base) {
  ((Cursor *)base)->row++;
  return SQLITE_OK;
}

static int end_of_numbers(sqlite3_vtab_cursor *base) {
  return ((Cursor *)base)->row > ((Cursor *)base)->last;
}

static int number_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  Cursor *cursor = (Cursor *)base;
  switch (column) {
    case 0: sqlite3_result_int64(context, cursor->row); break;
    case 1:
      sqlite3_result_text(context, sqlite3_mprintf("number %lld", cursor->row), -1, sqlite3_free);
      break;
    case 2: sqlite3_result_text(context, cursor->plan, -1, SQLITE_TRANSIENT); break;
    default: sqlite3_result_null(context);
  }
  if (column == 0) sqlite3_result_subtype(context, 7);
  return SQLITE_OK;
}

static int number_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row_id) {
  *row_id = ((Cursor *)base)->row * 10;
  return SQLITE_OK;
}

static void overloaded(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_text(
      context,
      sqlite3_mprintf("%s of %s", sqlite3_user_data(context), sqlite3_value_text(values[0])), -1,
      sqlite3_free);
}

static int find_number_function(sqlite3_vtab *table, int count, const char *name,
                                void (**call)(sqlite3_context *, int, sqlite3_value **),
                                void **data) {
  (void)table;
  if (count != 1 || sqlite3_stricmp(name, "p_overloaded")) return 0;
  *call = overloaded;
  *data = "overload";
  return 1;
}

static const sqlite3_module numbers = {
    .xConnect = connect_numbers,
    .xBestIndex = plan_numbers,
    .xDisconnect = disconnect_numbers,
    .xDestroy = disconnect_numbers,
    .xOpen = open_numbers,
    .xClose = close_numbers,
    .xFilter = filter_numbers,
    .xNext = next_number,
    .xEof = end_of_numbers,
    .xColumn = number_column,
    .xRowid = number_row_id,
    .xFindFunction = find_number_function,
};

int probe_numbers(sqlite3 *db) { return sqlite3_create_module(db, "p_numbers", &numbers, 0); }
