/* `sqlite3_exec` and `sqlite3_get_table`. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

static int execute(const char *sql) {
  if (!work_has_sql()) return SQLITE_MISUSE;
  Work *work = work_of(WORK_EXECUTE);
  work_text(work, sql);
  int code = work_run(work);
  return code == SQLITE_OK ? connection_succeed() : code;
}

/* Pass one row to the callback. A null follows the values. */
static int pass_row(sqlite3_stmt *statement, int (*callback)(void *, int, char **, char **),
                    void *data) {
  int count = sqlite3_column_count(statement);
  char **texts = calloc(2 * count + 2, sizeof(char *));
  if (!texts) return connection_fail(SQLITE_NOMEM, NULL, 0);
  for (int i = 0; i < count; i++) {
    texts[i] = (char *)sqlite3_column_name(statement, i);
    texts[count + 1 + i] = (char *)sqlite3_column_text(statement, i);
  }
  int stop = callback(data, count, texts + count + 1, texts);
  free(texts);
  return stop ? connection_fail(SQLITE_ABORT, "query aborted", 13) : SQLITE_OK;
}

static int each_row(sqlite3_stmt *statement, int (*callback)(void *, int, char **, char **),
                    void *data) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    code = pass_row(statement, callback, data);
    if (code != SQLITE_OK) return code;
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* SQLite's white space. */
#define SPACES " \t\n\v\f\r"

static int each_statement(sqlite3 *db, const char *sql,
                          int (*callback)(void *, int, char **, char **), void *data) {
  int code = SQLITE_OK;
  while (code == SQLITE_OK && *sql) {
    sqlite3_stmt *statement;
    code = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);
    if (code == SQLITE_OK && statement) code = each_row(statement, callback, data);
    sqlite3_finalize(statement);
    sql += strspn(sql, SPACES);
  }
  return code;
}

int sqlite3_exec(sqlite3 *db, const char *sql, int (*callback)(void *, int, char **, char **),
                 void *data, char **message) {
  if (!sql) sql = "";
  int code = callback ? each_statement(db, sql, callback, data) : execute(sql);
  if (message) *message = code ? sqlite3_mprintf("%s", sqlite3_errmsg(db)) : NULL;
  return code;
}

/* `sqlite3_get_table`: one list of texts, names first. */

typedef struct {
  char **texts;
  size_t count;
  int rows, width;
  bool differs;
} Result;

static int add_text(Result *result, const char *text) {
  char **texts = sqlite3_realloc64(result->texts, (result->count + 1) * sizeof(char *));
  char *copy = text ? sqlite3_mprintf("%s", text) : NULL;
  if (texts) result->texts = texts;
  if (!texts || (text && !copy)) return 1;
  result->texts[result->count++] = copy;
  return 0;
}

static int add_row(void *data, int width, char **values, char **names) {
  Result *result = data;
  int fails = 0;
  if (result->rows == 0) {
    for (int i = 0; i < width; i++) fails |= add_text(result, names[i]);
    result->width = width;
  } else if (width != result->width) {
    result->differs = true;
    return 1;
  }
  for (int i = 0; i < width; i++) fails |= add_text(result, values[i]);
  result->rows++;
  return fails;
}

void sqlite3_free_table(char **table) {
  if (!table) return;
  size_t count = (size_t)table[-1];
  for (size_t i = 0; i + 1 < count; i++) sqlite3_free(table[i]);
  sqlite3_free(table - 1);
}

int sqlite3_get_table(sqlite3 *db, const char *sql, char ***table, int *rows, int *width,
                      char **message) {
  Result result = {0};
  *table = NULL;
  if (rows) *rows = 0;
  if (width) *width = 0;
  /* The first entry holds the count, for `sqlite3_free_table`. */
  if (add_text(&result, NULL)) return connection_fail(SQLITE_NOMEM, NULL, 0);
  int code = sqlite3_exec(db, sql, add_row, &result, message);
  result.texts[0] = (char *)result.count;
  if (result.differs) {
    static const char why[] = "sqlite3_get_table() called with two or more incompatible queries";
    if (message) sqlite3_free(*message);
    if (message) *message = sqlite3_mprintf("%s", why);
    code = SQLITE_ERROR;
  }
  if (code != SQLITE_OK) {
    sqlite3_free_table(result.texts + 1);
    return code;
  }
  *table = result.texts + 1;
  if (rows) *rows = result.rows;
  if (width) *width = result.width;
  return SQLITE_OK;
}
