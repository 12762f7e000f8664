/* Other databases, which an extension cannot open: `unionvtab.c` opens some for `swarmvtab` alone. */
#include <sqlite3ext.h>

static int no_database(const char *name, sqlite3 **database, int flags, const char *vfs) {
  (void)name, (void)flags, (void)vfs;
  *database = NULL;
  return SQLITE_CANTOPEN;
}

static int nothing_to_close(sqlite3 *database) {
  (void)database;
  return SQLITE_OK;
}

#undef sqlite3_open_v2
#define sqlite3_open_v2 no_database
#undef sqlite3_close
#define sqlite3_close nothing_to_close
