/* 3. C code that native SQLite can load as well. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static char moved(char c) {
  if (c >= 'a' && c <= 'z') return (c - 'a' + 13) % 26 + 'a';
  if (c >= 'A' && c <= 'Z') return (c - 'A' + 13) % 26 + 'A';
  return c;
}

/* 4. A function: NULL gives NULL, and lack of memory is an error. */
static void rot13(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *text = (const char *)sqlite3_value_text(values[0]);
  int bytes = sqlite3_value_bytes(values[0]);
  if (!text) return;
  char *result = sqlite3_malloc(bytes + 1);
  if (!result) return sqlite3_result_error_nomem(context);
  for (int i = 0; i < bytes; i++) result[i] = moved(text[i]);
  sqlite3_result_text(context, result, bytes, sqlite3_free);
}

/* 5. The entry point, which registers the function. */
int sqlite3_rot13_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_function(
      db, "rot13", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, rot13, 0, 0);
}
