/* Functions that the sandbox does not support, or that have no meaning here. ROUTINES.md has the
** reasons. */

/* Locks of shared caches belong to one instance: no connection waits for another one. */
EXPORT int sqlite3_unlock_notify(sqlite3 *db, void (*notify)(void **, int), void *data) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  if (notify) notify(&data, 1);
  return SQLITE_OK;
}

/* For SQLite's tests. */
EXPORT int sqlite3_test_control(int operation, ...) {
  (void)operation;
  return SQLITE_ERROR;
}

/* The files do not belong to this process's VFS. */
EXPORT sqlite3_file *sqlite3_database_file_object(const char *name) {
  (void)name;
  return NULL;
}
