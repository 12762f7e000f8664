/* Destructors of all that an extension can register: each writes its name into a
** file, which scripts read when the connection is closed. */
#include <stdio.h>
#include <string.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static void note(void *name) {
  FILE *file = fopen("ends.txt", "a");
  if (!file) return;
  fprintf(file, "%s\n", (const char *)name);
  fclose(file);
}

static void e_keep(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  if (!sqlite3_get_auxdata(context, 0))
    sqlite3_set_auxdata(context, 0, "data of an argument", note);
  sqlite3_result_int(context, sqlite3_get_auxdata(context, 0) != 0);
}

/* It needs SQL, so each connection has an instance. */
static void e_run(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_int(context, sqlite3_exec(sqlite3_context_db_handle(context),
                                           (const char *)sqlite3_value_text(values[0]), 0, 0, 0));
}

/* A function that is registered later; its data is its name. */
static void e_register(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  char *name = sqlite3_mprintf("%s", sqlite3_value_text(values[0]));
  sqlite3_result_int(context,
                     sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8, name, e_run, 0, 0, note));
}

static void e_file(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  FILE *file = fopen((const char *)sqlite3_value_text(values[0]), "w");
  if (!file) return;
  fputs("written when the connection is closed", file);
  sqlite3_result_int(context, sqlite3_set_clientdata(sqlite3_context_db_handle(context), "file",
                                                     file, (void (*)(void *))fclose));
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)context, (void)count, (void)values;
}
static void end(sqlite3_context *context) { sqlite3_result_int(context, 1); }

static int compare(void *data, int left_bytes, const void *left, int right_bytes,
                   const void *right) {
  (void)data;
  int order = memcmp(left, right, left_bytes < right_bytes ? left_bytes : right_bytes);
  return order ? order : left_bytes - right_bytes;
}

/* A table without rows. */

static int connect(sqlite3 *db, void *data, int count, const char *const *words,
                   sqlite3_vtab **table, char **error) {
  (void)data, (void)count, (void)words, (void)error;
  *table = sqlite3_malloc(sizeof(**table));
  memset(*table, 0, sizeof(**table));
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a)");
}

static int disconnect(sqlite3_vtab *table) {
  note("a table");
  sqlite3_free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table, (void)info;
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = sqlite3_malloc(sizeof(**cursor));
  memset(*cursor, 0, sizeof(**cursor));
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                  sqlite3_value **values) {
  (void)cursor, (void)number, (void)text, (void)count, (void)values;
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor) {
  (void)cursor;
  return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor) {
  (void)cursor;
  return 1;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number) {
  (void)cursor, (void)context, (void)number;
  return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number) {
  (void)cursor;
  *number = 0;
  return SQLITE_OK;
}

static const sqlite3_module tables = {
    .xCreate = connect,
    .xConnect = connect,
    .xBestIndex = plan,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
};

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  int code =
      sqlite3_create_function_v2(db, "e_keep", 1, SQLITE_UTF8, "a function", e_keep, 0, 0, note);
  /* All encodings have one destructor. */
  if (!code)
    code = sqlite3_create_function_v2(db, "e_run", 1, SQLITE_ANY, "a function in all encodings",
                                      e_run, 0, 0, note);
  if (!code)
    code = sqlite3_create_function_v2(db, "e_register", 1, SQLITE_UTF8, 0, e_register, 0, 0, 0);
  if (!code) code = sqlite3_create_function_v2(db, "e_file", 1, SQLITE_UTF8, 0, e_file, 0, 0, 0);
  if (!code)
    code = sqlite3_create_window_function(db, "e_window", 1, SQLITE_UTF8, "a window function", step,
                                          end, end, step, note);
  if (!code)
    code = sqlite3_create_collation_v2(db, "e_order", SQLITE_UTF8, "a collation", compare, note);
  if (!code) code = sqlite3_create_module_v2(db, "e_table", &tables, "a module", note);
  /* Replaced at once. */
  if (!code)
    code = sqlite3_create_module_v2(db, "e_twice", &tables, "a module that is replaced", note);
  if (!code) code = sqlite3_create_module_v2(db, "e_twice", &tables, "a module in its place", note);
  if (!code) code = sqlite3_set_clientdata(db, "ends", "client data", note);
  if (!code) code = sqlite3_set_clientdata(db, "replaced", "client data that is replaced", note);
  if (!code) code = sqlite3_set_clientdata(db, "replaced", "client data in its place", note);
  return code;
}
