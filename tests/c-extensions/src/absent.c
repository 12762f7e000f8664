/* An extension that SQLite itself would load, and that uses what is
** missing here. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static void copy(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3 *other = (sqlite3 *)sqlite3_value_pointer(values[0], "database");
  sqlite3_backup *backup =
      sqlite3_backup_init(other, "main", sqlite3_context_db_handle(context), "main");
  sqlite3_result_int(context, backup != 0);
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_function(db, "copy", 1, SQLITE_UTF8, 0, copy, 0, 0);
}
