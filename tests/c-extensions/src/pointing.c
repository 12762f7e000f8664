/* The probes of pointers alone: an extension without SQL, which can be inside
** a composed program. */
#include <stdlib.h>

#include "probes.h"
SQLITE_EXTENSION_INIT1

static void p_break(Context *context, int count, Value **values) {
  (void)context, (void)count, (void)values;
  abort();
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  int code = probe_pointers(db);
  if (!code) code = sqlite3_create_function(db, "p_break", 0, SQLITE_UTF8, 0, p_break, 0, 0);
  return code;
}
