/* In a separate file, since `start.c` checks whether the extension links it. */
#include "internals.h"

int sqlite3_vtab_nochange(sqlite3_context *context) {
  (void)context;
  /* The engine fetches a row before SQLite knows its purpose. */
  return 0;
}
