/* SQLite's C interface, printed: `tooling/library test` runs this on the library and on SQLite
** built natively, and both must print the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static void error(const char *what, int code) {
  printf("%s: %d %d %s (%d)\n", what, code, sqlite3_extended_errcode(db), sqlite3_errmsg(db),
         sqlite3_error_offset(db));
}

static void run(const char *sql) {
  char *message = NULL;
  int code = sqlite3_exec(db, sql, 0, 0, &message);
  printf("exec %s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

static void print_value(sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: printf(" i%lld", sqlite3_value_int64(value)); break;
    case SQLITE_FLOAT: printf(" r%.17g", sqlite3_value_double(value)); break;
    case SQLITE_NULL: printf(" null"); break;
    case SQLITE_TEXT: printf(" t%d'%s'", sqlite3_value_bytes(value), sqlite3_value_text(value)); break;
    default: printf(" b%d", sqlite3_value_bytes(value));
  }
}

static int row(void *data, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf(" %s=%s", names[i], values[i] ? values[i] : "NULL");
  printf("\n");
  return data ? 1 : 0;
}

static void query(const char *sql) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (code) {
    error(sql, code);
    return;
  }
  printf("%s: readonly %d, explain %d, columns %d\n", sql, sqlite3_stmt_readonly(statement),
         sqlite3_stmt_isexplain(statement), sqlite3_column_count(statement));
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_data_count(statement); i++) print_value(sqlite3_column_value(statement, i));
    printf("\n");
  }
  printf("end %d, busy %d\n", code, sqlite3_stmt_busy(statement));
  error("finalize", sqlite3_finalize(statement));
}

/* Errors. */

static void errors(void) {
  sqlite3_stmt *statement = (sqlite3_stmt *)1;
  const char *tail = NULL;
  error("syntax", sqlite3_prepare_v2(db, "SELECT 1 FROM nope WHERE", -1, &statement, &tail));
  printf("%p\n", (void *)statement);
  error("column", sqlite3_prepare_v2(db, "SELECT 1, nope", -1, &statement, &tail));
  error("empty", sqlite3_prepare_v2(db, "  -- nothing", -1, &statement, &tail));
  printf("[%s] %p\n", tail, (void *)statement);
  error("two", sqlite3_prepare_v2(db, "SELECT 1; SELECT 2", -1, &statement, &tail));
  printf("[%s] [%s]\n", tail, sqlite3_sql(statement));
  error("finalize", sqlite3_finalize(statement));
  error("cut", sqlite3_prepare_v2(db, "SELECT 1 garbage", 8, &statement, &tail));
  printf("[%s]\n", tail);
  sqlite3_finalize(statement);
  printf("%d\n", sqlite3_prepare_v2(db, NULL, -1, &statement, NULL) == SQLITE_MISUSE);
  run("CREATE TABLE u(a UNIQUE, b NOT NULL, c CHECK(c > 0))");
  run("INSERT INTO u VALUES(1, 2, 3)");
  run("INSERT INTO u VALUES(1, 2, 3)");
  run("INSERT INTO u VALUES(2, NULL, 3)");
  sqlite3_extended_result_codes(db, 1);
  run("INSERT INTO u VALUES(2, 2, 0)");
  sqlite3_prepare_v2(db, "INSERT INTO u VALUES(1, 2, 3)", -1, &statement, 0);
  error("step", sqlite3_step(statement));
  error("reset", sqlite3_reset(statement));
  error("again", sqlite3_step(statement));
  error("finalize", sqlite3_finalize(statement));
  sqlite3_extended_result_codes(db, 0);
  run("SELECT abs(-9223372036854775808)");
  query("SELECT 1 UNION ALL SELECT abs(-9223372036854775808)");
  error("limit", sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 10));
  error("long", sqlite3_prepare_v2(db, "SELECT 1 + 1 + 1", -1, &statement, 0));
  printf("%d\n", sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1000000));
}

/* Statements and values. */

static void statements(void) {
  sqlite3_stmt *statement;
  run("CREATE TABLE t(i INTEGER PRIMARY KEY, x TEXT, y REAL, z BLOB)");
  sqlite3_prepare_v2(db, "INSERT INTO t(x, y, z) VALUES(?1, :y, @z)", -1, &statement, 0);
  printf("%d %s %d %p\n", sqlite3_bind_parameter_count(statement),
         sqlite3_bind_parameter_name(statement, 2), sqlite3_bind_parameter_index(statement, "@z"),
         (void *)sqlite3_bind_parameter_name(statement, 4));
  error("range", sqlite3_bind_int(statement, 4, 1));
  for (int i = 0; i < 7; i++) {
    char text[10];
    snprintf(text, sizeof(text), "text%d", i);
    sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(statement, 2, i / 3.0);
    if (i % 2) sqlite3_bind_blob(statement, 3, "\0\1\2", 3, SQLITE_STATIC);
    else sqlite3_bind_zeroblob(statement, 3, i);
    error("step", sqlite3_step(statement));
    error("busy bind", sqlite3_bind_null(statement, 1));
    sqlite3_reset(statement);
    printf("%lld %d %lld\n", sqlite3_last_insert_rowid(db), sqlite3_changes(db), sqlite3_total_changes64(db));
  }
  sqlite3_clear_bindings(statement);
  sqlite3_bind_text16(statement, 1, u"größer", -1, SQLITE_STATIC);
  sqlite3_step(statement);
  char *expanded = sqlite3_expanded_sql(statement);
  printf("%s\n", expanded);
  sqlite3_free(expanded);
  sqlite3_finalize(statement);
  query("SELECT *, typeof(z), length(z) FROM t");
  sqlite3_prepare_v2(db, "SELECT i, x, y, z, i || x AS 'joined' FROM t ORDER BY i DESC", -1, &statement, 0);
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    const char *type = sqlite3_column_decltype(statement, i);
    printf("%s %s\n", sqlite3_column_name(statement, i), type ? type : "none");
  }
  sqlite3_step(statement);
  printf("%d %s %f %d\n", sqlite3_column_type(statement, 0), sqlite3_column_text(statement, 0),
         sqlite3_column_double(statement, 1), sqlite3_column_bytes16(statement, 1));
  const unsigned short *wide = sqlite3_column_text16(statement, 1);
  printf("%x %x %x\n", wide[0], wide[1], wide[2]);
  printf("%s %d\n", sqlite3_column_text(statement, 4), sqlite3_column_int(statement, 9));
  error("no column", 0);
  printf("busy %d\n", sqlite3_stmt_busy(statement));
  run("ALTER TABLE t ADD COLUMN late DEFAULT 7");
  error("reset", sqlite3_reset(statement));
  printf("busy %d\n", sqlite3_stmt_busy(statement));
  sqlite3_finalize(statement);
  sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &statement, 0);
  run("ALTER TABLE t ADD COLUMN later DEFAULT 8");
  sqlite3_step(statement);
  printf("%d %d %s\n", sqlite3_column_count(statement), sqlite3_column_int(statement, 5), sqlite3_column_name(statement, 5));
  sqlite3_finalize(statement);
  printf("close %d\n", sqlite3_next_stmt(db, 0) == NULL);
  int rows, columns;
  char **table, *message;
  sqlite3_get_table(db, "SELECT i, x FROM t LIMIT 2", &table, &rows, &columns, &message);
  for (int i = 0; i < (rows + 1) * columns; i++) printf("%s ", table[i]);
  printf("\n");
  sqlite3_free_table(table);
  printf("%d\n", sqlite3_exec(db, "SELECT 1, 2; SELECT 3", row, 0, 0));
  error("abort", sqlite3_exec(db, "SELECT 1; SELECT 2", row, &rows, 0));
  query("PRAGMA table_info(t)");
  query("EXPLAIN QUERY PLAN SELECT * FROM t");
  query("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000) SELECT sum(i) FROM c");
  query("INSERT INTO t(x) VALUES('r1'), ('r2') RETURNING i, x");
}

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
  if (sqlite3_step(statement) == SQLITE_ROW) sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  else sqlite3_result_error(context, sqlite3_errmsg(own), -1);
  sqlite3_finalize(statement);
}

static int reversed(void *data, int left, const void *a, int right, const void *b) {
  int order = memcmp(b, a, left < right ? left : right);
  return order ? order : right - left;
}

static int wide_length(void *data, int left, const void *a, int right, const void *b) { return left - right; }

static void needed(void *data, sqlite3 *own, int encoding, const char *name) {
  printf("needed %s\n", name);
  sqlite3_create_collation(own, name, SQLITE_UTF8, 0, reversed);
}

static void functions(void) {
  static char first[] = "first", second[] = "second";
  printf("%d\n", sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, first, show, 0, 0, on_destroy));
  query("SELECT show(), show(1), show('text'), show(x'0102'), show(2.5), show(NULL)");
  query("SELECT show(1, 2)");
  query("SELECT show(1, 2, 3)");
  printf("%d\n", sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, second, show, 0, 0, on_destroy));
  query("SELECT show('ä')");
  printf("%d\n", sqlite3_create_function_v2(db, "show", -1, SQLITE_UTF8, 0, 0, 0, 0, 0));
  query("SELECT show(1)");
  printf("%d\n", sqlite3_create_function_v2(db, "bad", 2000, SQLITE_UTF8, first, show, 0, 0, on_destroy));
  sqlite3_create_function(db, "cached", 2, SQLITE_UTF8, 0, cached, 0, 0);
  query("SELECT cached('a', i) FROM t LIMIT 4");
  sqlite3_create_function(db, "total_of", 1, SQLITE_UTF8, 0, 0, sum_step, sum_value);
  query("SELECT total_of(i), total_of(i + 1) FROM t");
  query("SELECT total_of(i) FROM t WHERE 0");
  query("SELECT i % 3, total_of(i) FROM t GROUP BY 1");
  sqlite3_create_window_function(db, "moving", 1, SQLITE_UTF8, 0, sum_step, sum_value, sum_value, sum_inverse, 0);
  query("SELECT i, moving(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t");
  sqlite3_create_function(db, "subtype", 1, SQLITE_UTF8 | SQLITE_SUBTYPE | SQLITE_RESULT_SUBTYPE, 0, subtype, 0, 0);
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
static void on_update(void *data, int action, const char *schema, const char *table, sqlite3_int64 id) {
  printf("update %d %s %s %lld\n", action, schema, table, id);
}
static int on_authorize(void *data, int action, const char *a, const char *b, const char *c, const char *d) {
  printf("authorize %d %s %s %s %s\n", action, a ? a : "-", b ? b : "-", c ? c : "-", d ? d : "-");
  return action == SQLITE_READ && b && strcmp(b, "y") == 0 ? SQLITE_IGNORE : action == SQLITE_DELETE ? SQLITE_DENY : SQLITE_OK;
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
static void on_preupdate(void *data, sqlite3 *own, int action, const char *schema, const char *table,
                         sqlite3_int64 old_id, sqlite3_int64 new_id) {
  printf("preupdate %d %s %s %lld %lld, %d columns, depth %d:", action, schema, table, old_id, new_id,
         sqlite3_preupdate_count(own), sqlite3_preupdate_depth(own));
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
  query("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 10000) SELECT sum(i) FROM c");
  sqlite3_progress_handler(db, 0, NULL, 0);
}

/* Blobs, backups, images. */

static void blobs(void) {
  sqlite3_blob *blob;
  char bytes[8] = {0};
  run("CREATE TABLE b(x); INSERT INTO b VALUES(zeroblob(6)), ('text')");
  error("open", sqlite3_blob_open(db, "main", "b", "x", 1, 1, &blob));
  printf("%d\n", sqlite3_blob_bytes(blob));
  error("write", sqlite3_blob_write(blob, "abc", 3, 2));
  error("beyond", sqlite3_blob_write(blob, "abc", 3, 5));
  error("read", sqlite3_blob_read(blob, bytes, 6, 0));
  printf("%d%d%s\n", bytes[0], bytes[1], bytes + 2);
  error("close with blob", sqlite3_close(db));
  run("SELECT 1");
  error("reopen", sqlite3_blob_reopen(blob, 2));
  printf("%d\n", sqlite3_blob_bytes(blob));
  error("reopen", sqlite3_blob_reopen(blob, 9));
  error("read", sqlite3_blob_read(blob, bytes, 1, 0));
  error("close", sqlite3_blob_close(blob));
  error("open", sqlite3_blob_open(db, "main", "b", "nope", 1, 1, &blob));
}

static void backups(void) {
  sqlite3 *target, *own = db;
  sqlite3_open(":memory:", &target);
  sqlite3_backup *backup = sqlite3_backup_init(target, "main", db, "main");
  int code;
  do {
    code = sqlite3_backup_step(backup, 2);
    printf("step %d, %d left\n", code, sqlite3_backup_remaining(backup) > 0);
  } while (code == SQLITE_OK);
  printf("pages %d\n", sqlite3_backup_pagecount(backup));
  printf("finish %d\n", sqlite3_backup_finish(backup));
  db = target;
  query("SELECT count(*), max(x) FROM t");
  sqlite3_int64 size;
  unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
  printf("%lld %.15s\n", size, image);
  run("DROP TABLE t");
  error("deserialize", sqlite3_deserialize(db, "main", image, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  query("SELECT count(*) FROM t");
  run("INSERT INTO h VALUES(9, 9)");
  printf("%p\n", (void *)sqlite3_backup_init(target, "nope", own, "main"));
  error("backup", 0);
  printf("%p\n", (void *)sqlite3_backup_init(own, "main", own, "main"));
  sqlite3_close(target);
  db = own;
  error("backup", 0);
}

static int conflict(void *data, int kind, sqlite3_changeset_iter *iterator) {
  sqlite3_value *value = NULL;
  const char *table;
  int columns, operation, indirect;
  sqlite3changeset_op(iterator, &table, &columns, &operation, &indirect);
  printf("conflict %d %s %d\n", kind, table, operation);
  if (kind == SQLITE_CHANGESET_DATA && sqlite3changeset_conflict(iterator, 1, &value) == SQLITE_OK) print_value(value);
  printf("\n");
  return kind == SQLITE_CHANGESET_DATA ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
}

static void sessions(void) {
  sqlite3_session *session;
  int count, inverted;
  void *bytes, *inverse;
  run("CREATE TABLE s(a PRIMARY KEY, b)");
  run("INSERT INTO s VALUES(1, 'one'), (2, 'two')");
  printf("%d\n", sqlite3session_create(db, "main", &session));
  printf("%d %d\n", sqlite3session_attach(session, NULL), sqlite3session_isempty(session));
  run("INSERT INTO s VALUES(3, 'three'); UPDATE s SET b = 'deux' WHERE a = 2; DELETE FROM s WHERE a = 1");
  printf("%d %d\n", sqlite3session_changeset(session, &count, &bytes), sqlite3session_isempty(session));
  sqlite3session_delete(session);
  sqlite3_changeset_iter *iterator;
  sqlite3changeset_start(&iterator, count, bytes);
  while (sqlite3changeset_next(iterator) == SQLITE_ROW) {
    const char *table;
    int columns, operation, indirect;
    sqlite3changeset_op(iterator, &table, &columns, &operation, &indirect);
    printf("%s %d %d %d:", table, columns, operation, indirect);
    for (int i = 0; i < columns; i++) {
      sqlite3_value *value = NULL;
      if (sqlite3changeset_old(iterator, i, &value) == SQLITE_OK && value) print_value(value);
      if (sqlite3changeset_new(iterator, i, &value) == SQLITE_OK && value) print_value(value);
    }
    printf("\n");
  }
  printf("%d\n", sqlite3changeset_finalize(iterator));
  printf("%d\n", sqlite3changeset_invert(count, bytes, &inverted, &inverse));
  run("UPDATE s SET b = 'other' WHERE a = 3");
  printf("%d\n", sqlite3changeset_apply(db, inverted, inverse, 0, conflict, 0));
  query("SELECT * FROM s ORDER BY a");
  printf("%d\n", sqlite3changeset_start(&iterator, 10, "garbage   "));
  printf("%d\n", sqlite3changeset_next(iterator));
  printf("%d\n", sqlite3changeset_finalize(iterator));
  sqlite3_free(bytes);
  sqlite3_free(inverse);
}

static void files(const char *path) {
  sqlite3 *other, *own = db;
  printf("open %d\n", sqlite3_open(path, &db));
  query("PRAGMA journal_mode = wal");
  sqlite3_wal_hook(db, on_wal, 0);
  run("CREATE TABLE f(a)");
  run("INSERT INTO f VALUES(1)");
  int frames, done;
  printf("%d\n", sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &done));
  printf("%d %d\n", frames, done);
  printf("open %d\n", sqlite3_open_v2(path, &other, SQLITE_OPEN_READONLY, NULL));
  printf("%d %d\n", sqlite3_db_readonly(other, "main"), sqlite3_db_readonly(db, "main"));
  printf("%s\n", sqlite3_db_filename(db, "main") ? "named" : "none");
  printf("%d\n", sqlite3_exec(other, "INSERT INTO f VALUES(2)", 0, 0, 0));
  printf("%s\n", sqlite3_errmsg(other));
  run("BEGIN IMMEDIATE");
  printf("%d %d\n", sqlite3_txn_state(db, NULL), sqlite3_get_autocommit(db));
  sqlite3 *third;
  sqlite3_open(path, &third);
  sqlite3_busy_timeout(third, 20);
  printf("%d\n", sqlite3_exec(third, "INSERT INTO f VALUES(2)", 0, 0, 0));
  printf("%s\n", sqlite3_errmsg(third));
  run("COMMIT");
  printf("%d\n", sqlite3_exec(third, "INSERT INTO f VALUES(2)", 0, 0, 0));
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(third, "SELECT * FROM f", -1, &statement, 0);
  printf("close %d", sqlite3_close(third));
  printf(" %s\n", sqlite3_errmsg(third));
  printf("close %d\n", sqlite3_close_v2(third));
  printf("step %d\n", sqlite3_step(statement));
  printf("finalize %d\n", sqlite3_finalize(statement));
  const char *type, *collation;
  int flags[3];
  printf("%d", sqlite3_table_column_metadata(db, 0, "f", "a", &type, &collation, flags, flags + 1, flags + 2));
  printf(" %s %s %d %d %d\n", type ? type : "none", collation, flags[0], flags[1], flags[2]);
  int on = -1;
  printf("%d", sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, &on));
  printf(" %d\n", on);
  int version = 0;
  printf("%d\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &version));
  sqlite3_close(other);
  sqlite3_close(db);
  printf("open %d\n", sqlite3_open("/nonexistent/x.db", &db));
  printf("%s\n", sqlite3_errmsg(db));
  printf("prepare %d\n", sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, 0));
  sqlite3_close(db);
  printf("open %d\n", sqlite3_open_v2("x", &db, SQLITE_OPEN_READWRITE, "no-such-vfs"));
  printf("%s\n", sqlite3_errmsg(db));
  sqlite3_close(db);
  db = own;
}

static void shared(void) {
  sqlite3 *first, *second;
  const char *uri = "file:shared-one?mode=memory&cache=shared";
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  sqlite3_open_v2(uri, &first, flags, 0);
  sqlite3_open_v2(uri, &second, flags, 0);
  printf("%d\n", sqlite3_exec(first, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", 0, 0, 0));
  printf("%d\n", sqlite3_exec(second, "SELECT * FROM t", row, 0, 0));
  sqlite3_exec(first, "BEGIN; INSERT INTO t VALUES(2)", 0, 0, 0);
  printf("%d", sqlite3_exec(second, "SELECT * FROM t", row, 0, 0));
  printf(" %s %d\n", sqlite3_errmsg(second), sqlite3_extended_errcode(second));
  sqlite3_close(first);
  printf("%d\n", sqlite3_exec(second, "SELECT count(*) FROM t", row, 0, 0));
  sqlite3_close(second);
}

static void texts(void) {
  printf("%d %d\n", sqlite3_complete("SELECT 1;"), sqlite3_complete("SELECT 1"));
  char *text = sqlite3_mprintf("%q %Q %w %!.20g %lld", "it's", NULL, "a\"b", 0.1, 1LL << 40);
  printf("%s\n", text);
  sqlite3_free(text);
  sqlite3_str *str = sqlite3_str_new(db);
  sqlite3_str_appendf(str, "%d-%s", 7, "x");
  text = sqlite3_str_finish(str);
  printf("%s %d %d\n", text, sqlite3_strglob("a*", "abc"), sqlite3_strlike("A%", "abc", 0));
  sqlite3_free(text);
  printf("%d %d\n", sqlite3_keyword_check("SELECT", 6), sqlite3_threadsafe());
  printf("%s %s\n", sqlite3_libversion(), sqlite3_errstr(SQLITE_BUSY));
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE);
  sqlite3_mutex_enter(mutex);
  printf("%d %d\n", sqlite3_mutex_try(mutex), sqlite3_db_mutex(db) != NULL);
  sqlite3_mutex_leave(mutex);
  sqlite3_mutex_leave(mutex);
  sqlite3_mutex_free(mutex);
  printf("%d %s\n", sqlite3_set_clientdata(db, "key", "data", 0), (char *)sqlite3_get_clientdata(db, "key"));
  printf("%d\n", sqlite3_compileoption_used("ENABLE_FTS5"));
}

int main(int count, char **arguments) {
  printf("open %d\n", sqlite3_open(":memory:", &db));
  errors();
  statements();
  functions();
  hooks();
  blobs();
  backups();
  sessions();
  files(arguments[1]);
  shared();
  texts();
  printf("close %d, destroyed %d\n", sqlite3_close(db), destroyed);
  return 0;
}
