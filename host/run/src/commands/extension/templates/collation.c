/* mine: the order by length. Native SQLite can load this code as well. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

/* Less than 0, 0, or more; always the same for the same texts, since indexes depend on it. */
static int mine(void *data, int left_bytes, const void *left, int right_bytes, const void *right) {
  (void)data, (void)left, (void)right;
  return left_bytes - right_bytes;
}

int sqlite3_mine_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_collation(db, "mine", SQLITE_UTF8, 0, mine);
}
