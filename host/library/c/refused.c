/* What the sandbox cannot do, and what has no meaning here. ROUTINES.md says why. */

/* Locks of shared caches are those of the one instance: nobody waits for another one. */
EXPORT int sqlite3_unlock_notify(sqlite3 *db, void (*notify)(void **, int), void *data) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  if (notify) notify(&data, 1);
  return SQLITE_OK;
}

/* For SQLite's own tests. */
EXPORT int sqlite3_test_control(int operation, ...) {
  (void)operation;
  return SQLITE_ERROR;
}

/* The files are not in this process's VFS. */
EXPORT sqlite3_file *sqlite3_database_file_object(const char *name) {
  (void)name;
  return NULL;
}

