/* Functions, collations and hooks of the program. */

/* Functions. */

static int destroyed;
static void on_destroy(void *data) { printf("destroyed %s %d\n", (char *)data, ++destroyed); }

static void show(sqlite3_context *context, int count, sqlite3_value **values) {
  printf("call %s:", (char *)sqlite3_user_data(context));
  for (int i = 0; i < count; i++) print_value(values[i]);
  printf("\n");
  if (count == 0) sqlite3_result_null(context);
  else if (count == 1) sqlite3_result_value(context, values[0]);
  else if (count == 2) sqlite3_result_error(context, "two are too many", -1);
  else sqlite3_result_error_code(context, SQLITE_CONSTRAINT);
}

static void cached(sqlite3_context *context, int count, sqlite3_value **values) {
  char *kept = sqlite3_get_auxdata(context, 0);
  if (!kept) {
    kept = sqlite3_mprintf("kept %s", sqlite3_value_text(values[0]));
    sqlite3_set_auxdata(context, 0, kept, sqlite3_free);
    printf("made %s\n", kept);
  }
  sqlite3_result_text(context, kept, -1, SQLITE_TRANSIENT);
}

static void sum_step(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof(*sum));
  *sum += sqlite3_value_int64(values[0]);
}

static void sum_inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof(*sum));
  *sum -= sqlite3_value_int64(values[0]);
}

static void sum_value(sqlite3_context *context) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, 0);
  sqlite3_result_int64(context, sum ? *sum : -1);
}

static void subtype(sqlite3_context *context, int count, sqlite3_value **values) {
  printf("subtype %u\n", sqlite3_value_subtype(values[0]));
  sqlite3_result_int(context, 1);
  sqlite3_result_subtype(context, 42);
}

static void give_pointer(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_pointer(context, "the object", "kind", 0);
}

static void take_pointer(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *found = sqlite3_value_pointer(values[0], "kind");
  const char *other = sqlite3_value_pointer(values[0], "other");
  printf("pointer %s %s\n", found ? found : "none", other ? other : "none");
}

static void run_sql(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_stmt *statement;
  sqlite3 *own = sqlite3_context_db_handle(context);
  sqlite3_prepare_v2(own, (const char *)sqlite3_value_text(values[0]), -1, &statement, 0);
  if (sqlite3_step(statement) == SQLITE_ROW)
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  else sqlite3_result_error(context, sqlite3_errmsg(own), -1);
  sqlite3_finalize(statement);
}

static int reversed(void *data, int left, const void *a, int right, const void *b) {
  int order = memcmp(b, a, left < right ? left : right);
  return order ? order : right - left;
}

static int wide_length(void *data, int left, const void *a, int right, const void *b) {
  return left - right;
}

static void needed(void *data, sqlite3 *own, int encoding, const char *name) {
  printf("needed %s\n", name);
  sqlite3_create_collation(own, name, SQLITE_UTF8, 0, reversed);
}

static void functions(void) {
  static char first[] = "first", second[] = "second";
  printf("%d\n",
         sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, first, show, 0, 0, on_destroy));
  query("SELECT show(), show(1), show('text'), show(x'0102'), show(2.5), show(NULL)");
  query("SELECT show(1, 2)");
  query("SELECT show(1, 2, 3)");
  printf("%d\n",
         sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, second, show, 0, 0, on_destroy));
  query("SELECT show('ä')");
  printf("%d\n", sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, 0, 0, 0, 0, 0));
  query("SELECT show(1)");
  printf("%d\n",
         sqlite3_create_function_v2(db, "bad", 2000, SQLITE_UTF8, first, show, 0, 0, on_destroy));
  sqlite3_create_function(db, "cached", 2, SQLITE_UTF8, 0, cached, 0, 0);
  query("SELECT cached('a', i) FROM t LIMIT 4");
  sqlite3_create_function(db, "total_of", 1, SQLITE_UTF8, 0, 0, sum_step, sum_value);
  query("SELECT total_of(i), total_of(i + 1) FROM t");
  query("SELECT total_of(i) FROM t WHERE 0");
  query("SELECT i % 3, total_of(i) FROM t GROUP BY 1");
  sqlite3_create_window_function(db, "moving", 1, SQLITE_UTF8, 0, sum_step, sum_value, sum_value,
                                 sum_inverse, 0);
  query("SELECT i, moving(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t");
  sqlite3_create_function(db, "subtype", 1, SQLITE_UTF8 | SQLITE_SUBTYPE | SQLITE_RESULT_SUBTYPE, 0,
                          subtype, 0, 0);
  query("SELECT subtype(subtype(json('[]')))");
  sqlite3_create_function(db, "give", 0, SQLITE_UTF8, 0, give_pointer, 0, 0);
  sqlite3_create_function(db, "take", 1, SQLITE_UTF8, 0, take_pointer, 0, 0);
  query("SELECT take(give()), take(1), typeof(give())");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT take(?)", -1, &statement, 0);
  sqlite3_bind_pointer(statement, 1, first, "kind", on_destroy);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  sqlite3_create_function(db, "run", 1, SQLITE_UTF8, 0, run_sql, 0, 0);
  query("SELECT run('SELECT count(*) FROM t'), run('SELECT run(''SELECT 7'')')");
  query("SELECT run('INSERT INTO u VALUES(1, 1, 1)')");
  sqlite3_create_collation_v2(db, "reversed", SQLITE_UTF8, first, reversed, on_destroy);
  query("SELECT x FROM t ORDER BY x COLLATE reversed LIMIT 3");
  sqlite3_create_collation(db, "wide", SQLITE_UTF16, 0, wide_length);
  query("SELECT 'abc' < 'ab' COLLATE wide, 'b' < 'aaa' COLLATE wide");
  sqlite3_collation_needed(db, 0, needed);
  query("SELECT x FROM t ORDER BY x COLLATE asked LIMIT 2");
  query("SELECT x FROM t ORDER BY x COLLATE \"also asked\" LIMIT 1");
}

/* Hooks. */

static int on_commit(void *data) { return printf("commit %s\n", (char *)data), data == NULL; }
static void on_rollback(void *data) { printf("rollback\n"); }
static void on_update(void *data, int action, const char *schema, const char *table,
                      sqlite3_int64 id) {
  printf("update %d %s %s %lld\n", action, schema, table, id);
}
static int on_authorize(void *data, int action, const char *a, const char *b, const char *c,
                        const char *d) {
  printf("authorize %d %s %s %s %s\n", action, a ? a : "-", b ? b : "-", c ? c : "-", d ? d : "-");
  return action == SQLITE_READ && b && strcmp(b, "y") == 0 ? SQLITE_IGNORE
         : action == SQLITE_DELETE                         ? SQLITE_DENY
                                                           : SQLITE_OK;
}
static int on_trace(unsigned kind, void *data, void *first, void *second) {
  if (kind == SQLITE_TRACE_STMT) {
    char *expanded = sqlite3_expanded_sql(first);
    printf("trace %s | %s | %s\n", (char *)second, sqlite3_sql(first), expanded);
    sqlite3_free(expanded);
  } else printf("trace %u\n", kind);
  return 0;
}
static int steps;
static int on_progress(void *data) { return ++steps > 3; }
static void on_preupdate(void *data, sqlite3 *own, int action, const char *schema,
                         const char *table, sqlite3_int64 old_id, sqlite3_int64 new_id) {
  printf("preupdate %d %s %s %lld %lld, %d columns, depth %d:", action, schema, table, old_id,
         new_id, sqlite3_preupdate_count(own), sqlite3_preupdate_depth(own));
  sqlite3_value *value;
  for (int i = 0; i < sqlite3_preupdate_count(own); i++) {
    if (sqlite3_preupdate_old(own, i, &value) == SQLITE_OK) print_value(value);
    if (sqlite3_preupdate_new(own, i, &value) == SQLITE_OK) print_value(value);
  }
  printf("\n");
}
static int on_wal(void *data, sqlite3 *own, const char *schema, int pages) {
  printf("wal %s %d\n", schema, pages > 0);
  return SQLITE_OK;
}

static void hooks(void) {
  printf("%p\n", sqlite3_commit_hook(db, on_commit, "first"));
  printf("%s\n", (char *)sqlite3_commit_hook(db, on_commit, "second"));
  sqlite3_rollback_hook(db, on_rollback, 0);
  sqlite3_update_hook(db, on_update, 0);
  sqlite3_preupdate_hook(db, on_preupdate, 0);
  run("CREATE TABLE h(a, b)");
  run("INSERT INTO h VALUES(1, 'one'), (2, 'two')");
  run("UPDATE h SET b = 'zwei' WHERE a = 2");
  run("DELETE FROM h WHERE a = 1");
  run("BEGIN; INSERT INTO h VALUES(3, 3); ROLLBACK");
  sqlite3_commit_hook(db, on_commit, NULL);
  run("INSERT INTO h VALUES(4, 4)");
  sqlite3_commit_hook(db, NULL, NULL);
  sqlite3_rollback_hook(db, NULL, 0);
  sqlite3_update_hook(db, NULL, 0);
  sqlite3_preupdate_hook(db, NULL, 0);
  sqlite3_set_authorizer(db, on_authorize, 0);
  query("SELECT i, y FROM t LIMIT 2");
  run("DELETE FROM t");
  sqlite3_set_authorizer(db, NULL, 0);
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW, on_trace, 0);
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT ?", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, "it's", -1, SQLITE_STATIC);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  sqlite3_trace_v2(db, 0, NULL, 0);
  sqlite3_progress_handler(db, 100, on_progress, 0);
  query(
      "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 10000) SELECT "
      "sum(i) FROM c");
  sqlite3_progress_handler(db, 0, NULL, 0);
}
