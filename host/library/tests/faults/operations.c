/* What only programs do: functions and collations of theirs, hooks, tables, settings, backups, images of
** databases, sessions and snapshots. */

/* Functions. */

static void repeat(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_text(context, (const char *)sqlite3_value_text(values[0]),
                      sqlite3_value_bytes(values[0]), SQLITE_TRANSIENT);
}

static void add(sqlite3_context *context, int count, sqlite3_value **values) {
  long long *sum = sqlite3_aggregate_context(context, sizeof(*sum));
  if (sum) *sum += sqlite3_value_int64(values[0]);
  else sqlite3_result_error_nomem(context);
}

static void give_sum(sqlite3_context *context) {
  long long *sum = sqlite3_aggregate_context(context, 0);
  sqlite3_result_int64(context, sum ? *sum : -1);
}

static int compare(void *data, int left, const void *one, int right, const void *other) {
  int order = memcmp(one, other, (size_t)(left < right ? left : right));
  return order ? -order : right - left;
}

/* The integer, or the length, that the only row of a query has; -1 after an error. */
static long long value_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  long long value = -1;
  if (seen(sqlite3_prepare_v2(db, sql, -1, &statement, NULL))) return -1;
  if (seen(sqlite3_step(statement)) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
  seen(sqlite3_finalize(statement));
  return value;
}

static void use_functions(sqlite3 *db) {
  int is_there = !seen(
      sqlite3_create_function_v2(db, "repeat", 1, SQLITE_UTF8, NULL, repeat, NULL, NULL, NULL));
  is_there &= !seen(sqlite3_create_window_function(db, "total_of", 1, SQLITE_UTF8, NULL, add,
                                                   give_sum, give_sum, add, NULL));
  is_there &= !seen(sqlite3_create_collation_v2(db, "backwards", SQLITE_UTF8, NULL, compare, NULL));
  seen(sqlite3_overload_function(db, "overloaded", 2));
  if (is_there) {
    long long length = value_of(db, "SELECT length(repeat(printf('%.*c', 300, 'x')))");
    IS(reported || length == 300);
    long long sum = value_of(db, "SELECT total_of(column1) FROM (VALUES (1), (2), (3))");
    long long first = value_of(
        db,
        "SELECT column1 FROM (VALUES ('1'), ('3'), ('2')) ORDER BY 1 COLLATE backwards LIMIT 1");
    IS(reported || (sum == 6 && first == 3));
  }
  seen(sqlite3_create_function(db, "repeat", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL));
  seen(sqlite3_create_collation(db, "backwards", SQLITE_UTF8, NULL, NULL));
}

/* Hooks. */

static int changed;

static void on_update(void *data, int kind, const char *schema, const char *table,
                      sqlite3_int64 row_id) {
  changed++;
}

static int on_commit(void *data) { return 0; }

static int on_progress(void *data) { return 0; }

static int on_trace(unsigned kind, void *data, void *one, void *other) { return 0; }

static int allow(void *data, int action, const char *one, const char *two, const char *three,
                 const char *four) {
  return SQLITE_OK;
}

static void use_hooks(sqlite3 *db) {
  changed = 0;
  sqlite3_update_hook(db, on_update, NULL);
  sqlite3_commit_hook(db, on_commit, NULL);
  sqlite3_progress_handler(db, 10, on_progress, NULL);
  seen(sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_trace, NULL));
  seen(sqlite3_set_authorizer(db, allow, NULL));
  int is_changed = !seen(sqlite3_exec(
      db, "INSERT INTO t VALUES (1, 2); DELETE FROM t WHERE a = '1'", NULL, NULL, NULL));
  IS(reported || changed == 2);
  sqlite3_update_hook(db, NULL, NULL);
  sqlite3_commit_hook(db, NULL, NULL);
  sqlite3_progress_handler(db, 0, NULL, NULL);
  seen(sqlite3_trace_v2(db, 0, NULL, NULL));
  seen(sqlite3_set_authorizer(db, NULL, NULL));
}

/* A table of three rows. */

typedef struct {
  sqlite3_vtab_cursor base;
  int row;
} Cursor;

static int connect(sqlite3 *db, void *data, int count, const char *const *words,
                   sqlite3_vtab **table, char **error) {
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(a, b)");
  if (code) return code;
  *table = sqlite3_malloc(sizeof(**table));
  if (!*table) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(**table));
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }

static int open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  *cursor = sqlite3_malloc(sizeof(Cursor));
  if (!*cursor) return SQLITE_NOMEM;
  memset(*cursor, 0, sizeof(Cursor));
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                  sqlite3_value **values) {
  ((Cursor *)cursor)->row = 0;
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor) {
  ((Cursor *)cursor)->row++;
  return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->row >= 3; }

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number) {
  if (number) sqlite3_result_text(context, long_text, 250, SQLITE_STATIC);
  else sqlite3_result_int(context, ((Cursor *)cursor)->row + 1);
  return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
  *id = ((Cursor *)cursor)->row;
  return SQLITE_OK;
}

static void use_tables(sqlite3 *db) {
  static const sqlite3_module module = {.xConnect = connect,
                                        .xBestIndex = plan,
                                        .xDisconnect = disconnect,
                                        .xOpen = open,
                                        .xClose = close_cursor,
                                        .xFilter = filter,
                                        .xNext = next,
                                        .xEof = is_at_end,
                                        .xColumn = column,
                                        .xRowid = row_id};
  if (!seen(sqlite3_create_module_v2(db, "three", &module, NULL, NULL))) {
    long long sum = value_of(db, "SELECT sum(x.a * length(y.b)) FROM three AS x, three AS y");
    IS(reported || sum == 6 * 3 * 250);
  }
  seen(sqlite3_drop_modules(db, NULL));
}

/* Settings and states. */

static void use_settings(sqlite3 *db) {
  int now, most, is_on;
  unsigned version = 0;
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 100);
  seen(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, &is_on));
  seen(sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0));
  seen(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
  seen(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &version));
  seen(sqlite3_db_cacheflush(db));
  seen(sqlite3_db_release_memory(db));
  seen(sqlite3_busy_timeout(db, 10));
  sqlite3_interrupt(db);
  sqlite3_set_last_insert_rowid(db, 7);
  IS(reported || sqlite3_last_insert_rowid(db) == 7);
  sqlite3_txn_state(db, "main");
  sqlite3_db_readonly(db, "main");
}

/* Images of a database, and copies. */

static void copy(sqlite3 *db) {
  sqlite3_int64 size = 0;
  unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
  sqlite3 *other = NULL;
  if (!has(image)) return;
  if (!seen(sqlite3_open(":memory:", &other))) {
    int is_read = !seen(
        sqlite3_deserialize(other, "main", image, size, size, SQLITE_DESERIALIZE_FREEONCLOSE));
    image = NULL;
    long long rows = is_read ? value_of(other, "SELECT count(*) FROM large") : 2;
    IS(reported || rows == 2);
    sqlite3_backup *backup = sqlite3_backup_init(other, "main", db, "main");
    if (has(backup)) {
      seen(sqlite3_backup_step(backup, 1));
      seen(sqlite3_backup_step(backup, -1));
      seen(sqlite3_backup_finish(backup));
    }
  }
  sqlite3_free(image);
  seen(sqlite3_close(other));
}

/* Sessions. */

static int resolve(void *data, int kind, sqlite3_changeset_iter *change) {
  return SQLITE_CHANGESET_REPLACE;
}

static void use_groups(int size, void *changes) {
  sqlite3_changegroup *group = NULL;
  sqlite3_rebaser *rebaser = NULL;
  void *all = NULL;
  int all_size = 0;
  if (!seen(sqlite3changegroup_new(&group))) {
    seen(sqlite3changegroup_add(group, size, changes));
    seen(sqlite3changegroup_output(group, &all_size, &all));
    IS(reported || all_size == size);
    sqlite3_free(all);
    sqlite3changegroup_delete(group);
  }
  if (!seen(sqlite3rebaser_create(&rebaser))) {
    all = NULL;
    seen(sqlite3rebaser_rebase(rebaser, size, changes, &all_size, &all));
    sqlite3_free(all);
    sqlite3rebaser_delete(rebaser);
  }
}

static void walk(int size, void *changes) {
  sqlite3_changeset_iter *change = NULL;
  int code, found = 0;
  if (seen(sqlite3changeset_start(&change, size, changes))) return;
  while ((code = seen(sqlite3changeset_next(change))) == SQLITE_ROW) found++;
  IS(reported || found == 2);
  seen(sqlite3changeset_finalize(change));
}

static void use_sessions(sqlite3 *db) {
  sqlite3_session *session = NULL;
  void *changes = NULL, *inverted = NULL;
  int size = 0, inverted_size = 0;
  if (seen(sqlite3_exec(db, "CREATE TABLE s(k INTEGER PRIMARY KEY, v)", NULL, NULL, NULL))) return;
  if (!seen(sqlite3session_create(db, "main", &session))) {
    seen(sqlite3session_attach(session, "s"));
    seen(sqlite3_exec(db, "INSERT INTO s VALUES (1, 'one'), (2, zeroblob(300))", NULL, NULL, NULL));
    seen(sqlite3session_changeset(session, &size, &changes));
    sqlite3session_delete(session);
  }
  if (changes) {
    walk(size, changes);
    use_groups(size, changes);
    if (!seen(sqlite3changeset_invert(size, changes, &inverted_size, &inverted))) {
      seen(sqlite3changeset_apply(db, inverted_size, inverted, NULL, resolve, NULL));
      long long left = value_of(db, "SELECT count(*) FROM s");
      IS(reported || left == 0);
    }
  }
  sqlite3_free(changes);
  sqlite3_free(inverted);
}

static void use_operations(sqlite3 *db) {
  use_functions(db);
  use_hooks(db);
  use_tables(db);
  use_settings(db);
  copy(db);
  use_sessions(db);
}
