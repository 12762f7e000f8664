/* The clock of the one VFS that `zipfile.c` uses: extensions are offered no VFS. */
#include <sqlite3ext.h>
#include <time.h>

static int clock_now(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  struct timespec now;
  (void)vfs;
  clock_gettime(CLOCK_REALTIME, &now);
  /* Julian days begin 210866760000 seconds before 1970. */
  *milliseconds = ((sqlite3_int64)now.tv_sec + 210866760000) * 1000 + now.tv_nsec / 1000000;
  return SQLITE_OK;
}

static sqlite3_vfs *clock_alone(const char *name) {
  static sqlite3_vfs vfs = {.iVersion = 2, .xCurrentTimeInt64 = clock_now};
  (void)name;
  return &vfs;
}

#undef sqlite3_vfs_find
#define sqlite3_vfs_find clock_alone
