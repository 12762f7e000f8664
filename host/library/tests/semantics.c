/* SQLite's C interface, printed: `tooling/library test` runs this on the library and on SQLite
** built natively, and both must print the same bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    case SQLITE_TEXT:
      printf(" t%d'%s'", sqlite3_value_bytes(value), sqlite3_value_text(value));
      break;
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
    for (int i = 0; i < sqlite3_data_count(statement); i++)
      print_value(sqlite3_column_value(statement, i));
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
    printf("%lld %d %lld\n", sqlite3_last_insert_rowid(db), sqlite3_changes(db),
           sqlite3_total_changes64(db));
  }
  sqlite3_clear_bindings(statement);
  sqlite3_bind_text16(statement, 1, u"größer", -1, SQLITE_STATIC);
  sqlite3_step(statement);
  char *expanded = sqlite3_expanded_sql(statement);
  printf("%s\n", expanded);
  sqlite3_free(expanded);
  sqlite3_finalize(statement);
  query("SELECT *, typeof(z), length(z) FROM t");
  sqlite3_prepare_v2(db, "SELECT i, x, y, z, i || x AS 'joined' FROM t ORDER BY i DESC", -1,
                     &statement, 0);
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
  printf("%d %d %s\n", sqlite3_column_count(statement), sqlite3_column_int(statement, 5),
         sqlite3_column_name(statement, 5));
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
  query(
      "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000) SELECT "
      "sum(i) FROM c");
  query("INSERT INTO t(x) VALUES('r1'), ('r2') RETURNING i, x");
}

static void closes(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, sqlite3_close(db));
}

/* Closing inside a call that has no statement of the program. */
static void busy(void) {
  sqlite3_create_function(db, "closes", 0, SQLITE_UTF8, NULL, closes, NULL, NULL);
  run("CREATE TABLE closed AS SELECT closes() AS code");
  query("SELECT code FROM closed");
}

static void zeros(void) {
  static const unsigned short text[] = {'a', 0, 'b', 0xe9};
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT hex(?1), length(?1)", -1, &statement, 0);
  printf("bind %d\n", sqlite3_bind_text16(statement, 1, text, sizeof(text), SQLITE_STATIC));
  sqlite3_step(statement);
  printf("%s %s\n", sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 1));
  sqlite3_finalize(statement);
}

#include "semantics/callbacks.c"
#include "semantics/objects.c"
#include "semantics/tables.c"
#include "semantics/holding_tables.c"
#include "semantics/shapes.c"
#include "semantics/steps.c"

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
  /* In two lines: compilers for other processors call in another order, here and below. */
  int code = sqlite3_set_clientdata(db, "key", "data", 0);
  printf("%d %s\n", code, (char *)sqlite3_get_clientdata(db, "key"));
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
  copies(arguments[1]);
  sessions();
  files(arguments[1]);
  shared();
  run("CREATE TEMP TABLE tt(z)");
  origins();
  snapshots(arguments[1]);
  tables();
  shapes();
  closed_tables();
  extension(arguments[2]);
  texts();
  busy();
  zeros();
  between_steps(arguments[1]);
  printf("destroyed %d\n", destroyed);
  printf("close %d\n", sqlite3_close(db));
  printf("destroyed %d\n", destroyed);
  return 0;
}
