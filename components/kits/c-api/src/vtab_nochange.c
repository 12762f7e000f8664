/* In a separate file, since `start.c` checks whether the extension links it. */
#include "internals.h"
#include "vtab.h"

int sqlite3_vtab_nochange(sqlite3_context *context) {
  (void)context;
  /* The engine fetches a row before SQLite knows its purpose: UPDATE leaves the value out later. */
  column_may_be_left_out = true;
  return 0;
}
