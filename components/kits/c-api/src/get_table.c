/* `sqlite3_get_table`: one list of texts, names first. */
#include <stdbool.h>
#include <string.h>

#include "internals.h"

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
