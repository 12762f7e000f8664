/* Called by SQLite for each connection (SQLITE_EXTRA_AUTOEXT of tooling/bench/build). */
#include <stdlib.h>

typedef struct sqlite3 sqlite3;
int sqlite3_load_extension(sqlite3 *, const char *, const char *, char **);

int bench_connection_opened(sqlite3 *db) {
  const char *path = getenv("BENCH_EXTENSION");
  return path && *path ? sqlite3_load_extension(db, path, NULL, NULL) : 0;
}
