/* mine: loud text. Native SQLite can load this code as well. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

/* NULL gives NULL, and lack of memory is an error. */
static void mine(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *text = (const char *)sqlite3_value_text(values[0]);
  int bytes = sqlite3_value_bytes(values[0]);
  if (!text) return;
  char *loud = sqlite3_malloc(bytes + 1);
  if (!loud) return sqlite3_result_error_nomem(context);
  for (int i = 0; i < bytes; i++)
    loud[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i];
  loud[bytes] = '!';
  sqlite3_result_text(context, loud, bytes + 1, sqlite3_free);
}

/* The entry point, which registers the function. */
int sqlite3_mine_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_function(
      db, "mine", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, mine, 0, 0);
}
