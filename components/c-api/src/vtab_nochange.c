/* A file of its own: `start.c` looks whether it is linked. */
#include "internals.h"

int sqlite3_vtab_nochange(sqlite3_context *context) {
  (void)context;
  /* A row is fetched before SQLite says what it is for. */
  return 0;
}
