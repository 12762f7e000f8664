/* mine: the longest text. Native SQLite can load this code as well. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

#include <string.h>

/* Zeroed before the first row. */
typedef struct {
  char *text;
  int bytes;
} Longest;

static void mine_step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  Longest *longest = sqlite3_aggregate_context(context, sizeof(Longest));
  const char *text = (const char *)sqlite3_value_text(values[0]);
  int bytes = sqlite3_value_bytes(values[0]);
  if (!text || !longest || (longest->text && bytes <= longest->bytes)) return;
  char *copy = sqlite3_realloc(longest->text, bytes + 1);
  if (!copy) return sqlite3_result_error_nomem(context);
  memcpy(copy, text, bytes + 1);
  longest->text = copy;
  longest->bytes = bytes;
}

/* Without rows there is no state, and the result is NULL. */
static void mine_final(sqlite3_context *context) {
  Longest *longest = sqlite3_aggregate_context(context, 0);
  if (longest) sqlite3_result_text(context, longest->text, longest->bytes, sqlite3_free);
}

int sqlite3_mine_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_function(db, "mine", 1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, 0,
                                 mine_step, mine_final);
}
