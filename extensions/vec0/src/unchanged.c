/* UPDATE of vec0's tables, in whichever way SQLite finds the rows.
**
** sqlite-vec's xUpdate refuses a partition key for which `sqlite3_value_nochange` is false. Its xColumn calls
** `sqlite3_vtab_nochange` for one only when a row is found by its id; by any other condition, natively, no UPDATE of a
** table with a partition key works (sqlite-vec's issue 261), and others write all vectors and auxiliary columns again.
** So the module is registered with an xColumn that calls it for every column. */
#include <string.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

int vec0_create_module(sqlite3 *db, const char *name, const sqlite3_module *methods, void *data,
                       void (*destroy)(void *));

static int (*original_column)(sqlite3_vtab_cursor *, sqlite3_context *, int);

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int index) {
  if (sqlite3_vtab_nochange(context)) return SQLITE_OK;
  return original_column(cursor, context, index);
}

/* `sqlite-vec.c` calls this as `sqlite3_create_module_v2`; see `build.rs`. */
int vec0_create_module(sqlite3 *db, const char *name, const sqlite3_module *methods, void *data,
                       void (*destroy)(void *)) {
  static sqlite3_module vec0;
  if (strcmp(name, "vec0") != 0) return sqlite3_create_module_v2(db, name, methods, data, destroy);
  vec0 = *methods;
  original_column = methods->xColumn;
  vec0.xColumn = column;
  return sqlite3_create_module_v2(db, name, &vec0, data, destroy);
}
