/* What the sandbox cannot do, and what has no meaning here. ROUTINES.md says why. */

/* Native virtual tables would have to be called inside the engine. */
static int refuse_module(sqlite3 *db, void *data, void (*destructor)(void *)) {
  if (destructor) destructor(data);
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  enter(connection_of(db));
  return leave_with(connection_of(db), fail(connection_of(db), SQLITE_ERROR,
                                            "virtual tables of the program do not reach the sandbox"));
}

EXPORT int sqlite3_create_module_v2(sqlite3 *db, const char *name, const sqlite3_module *module,
                                    void *data, void (*destructor)(void *)) {
  if (!name || !module) return sqlite3_drop_modules(db, NULL);
  return refuse_module(db, data, destructor);
}

EXPORT int sqlite3_create_module(sqlite3 *db, const char *name, const sqlite3_module *module,
                                 void *data) {
  (void)name;
  (void)module;
  return refuse_module(db, data, NULL);
}

EXPORT int sqlite3_declare_vtab(sqlite3 *db, const char *sql) {
  (void)sql;
  return refuse_module(db, NULL, NULL);
}

EXPORT int sqlite3_vtab_config(sqlite3 *db, int option, ...) {
  (void)option;
  return refuse_module(db, NULL, NULL);
}

EXPORT int sqlite3_vtab_on_conflict(sqlite3 *db) {
  (void)db;
  return SQLITE_ABORT;
}

EXPORT const char *sqlite3_vtab_collation(sqlite3_index_info *info, int index) {
  (void)info;
  (void)index;
  return NULL;
}

EXPORT int sqlite3_vtab_distinct(sqlite3_index_info *info) {
  (void)info;
  return 0;
}

EXPORT int sqlite3_vtab_in(sqlite3_index_info *info, int index, int handle) {
  (void)info;
  (void)index;
  (void)handle;
  return 0;
}

EXPORT int sqlite3_vtab_rhs_value(sqlite3_index_info *info, int index, sqlite3_value **value) {
  (void)info;
  (void)index;
  *value = NULL;
  return SQLITE_NOTFOUND;
}

EXPORT int sqlite3_vtab_in_first(sqlite3_value *list, sqlite3_value **value) {
  (void)list;
  *value = NULL;
  return SQLITE_ERROR;
}

EXPORT int sqlite3_vtab_in_next(sqlite3_value *list, sqlite3_value **value) {
  return sqlite3_vtab_in_first(list, value);
}

EXPORT int sqlite3_vtab_nochange(sqlite3_context *context) {
  (void)context;
  return 0;
}

/* Shapes of R-Trees call the program inside the engine. */
EXPORT int sqlite3_rtree_geometry_callback(sqlite3 *db, const char *name,
                                           int (*geometry)(sqlite3_rtree_geometry *, int,
                                                           sqlite3_rtree_dbl *, int *),
                                           void *data) {
  (void)name;
  (void)geometry;
  return refuse_module(db, data, NULL);
}

EXPORT int sqlite3_rtree_query_callback(sqlite3 *db, const char *name,
                                        int (*query)(sqlite3_rtree_query_info *), void *data,
                                        void (*destructor)(void *)) {
  (void)name;
  (void)query;
  return refuse_module(db, data, destructor);
}

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

