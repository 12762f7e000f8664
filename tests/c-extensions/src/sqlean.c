/* The entry point that SQLite looks for, around one of sqlean's, which takes
** the connection alone. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

int ENTRY(sqlite3 *db);

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return ENTRY(db);
}
