/* frozen_c: an extension in C of the first version of the contract, as `sqlite_wasm_c_api::extension!`
** makes it of this entry point. It is not built again; see lib.rs.
**
** - frozen_sum(X): the sum of integers; a window function too
** - frozen_point(X), frozen_pointed(P): a pointer to the text X, and that text
** - frozen_run(SQL, X): the first column of all rows of all statements, with X bound to ?1
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static const char type[] = "frozen text";

static void frozen_step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (!sum) return sqlite3_result_error_nomem(context);
  *sum += sqlite3_value_int64(values[0]);
}

static void frozen_inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (sum) *sum -= sqlite3_value_int64(values[0]);
}

static void frozen_value(sqlite3_context *context) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, 0);
  sqlite3_result_int64(context, sum ? *sum : 0);
}

static void frozen_point(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_pointer(context, sqlite3_mprintf("%s", sqlite3_value_text(values[0])), type,
                         sqlite3_free);
}

static void frozen_pointed(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_text(context, sqlite3_value_pointer(values[0], type), -1, SQLITE_TRANSIENT);
}

/* The rows of one statement, each behind the last one and a comma. */
static int run(sqlite3 *db, const char **sql, sqlite3_value *bound, sqlite3_str *text) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, *sql, -1, &statement, sql);
  if (code || !statement) return code;
  if (sqlite3_bind_parameter_count(statement)) sqlite3_bind_value(statement, 1, bound);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    sqlite3_str_appendf(text, "%s%s", sqlite3_str_length(text) ? "," : "",
                        sqlite3_column_text(statement, 0));
  }
  return sqlite3_finalize(statement);
}

static void frozen_run(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  const char *sql = (const char *)sqlite3_value_text(values[0]);
  sqlite3_str *text = sqlite3_str_new(db);
  int code = 0;
  while (!code && sql && *sql) code = run(db, &sql, values[1], text);
  char *result = sqlite3_str_finish(text);
  if (code) {
    sqlite3_free(result);
    return sqlite3_result_error(context, sqlite3_errmsg(db), -1);
  }
  sqlite3_result_text(context, result, -1, sqlite3_free);
}

int sqlite3_frozen_c_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  int code = sqlite3_create_window_function(db, "frozen_sum", 1, SQLITE_UTF8, 0, frozen_step,
                                            frozen_value, frozen_value, frozen_inverse, 0);
  if (!code)
    code = sqlite3_create_function(db, "frozen_point", 1, SQLITE_UTF8, 0, frozen_point, 0, 0);
  if (!code)
    code = sqlite3_create_function(db, "frozen_pointed", 1, SQLITE_UTF8, 0, frozen_pointed, 0, 0);
  if (!code) code = sqlite3_create_function(db, "frozen_run", 2, SQLITE_UTF8, 0, frozen_run, 0, 0);
  return code;
}
