/* Memory that runs out: a script of SQLite's functions, in which the n-th allocation fails, for each n until
** none does; those of the program, or those of the sandbox. Each time a function must say so, the connection
** goes on, and nothing is leaked. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SQLite's memory, which counts what is in use, and fails once. */

static sqlite3_mem_methods real;
static long live, countdown;

static int fails(void) { return countdown && --countdown == 0; }

static void *allocate(int bytes) {
  void *memory = fails() ? NULL : real.xMalloc(bytes);
  live += memory != NULL;
  return memory;
}

static void release(void *memory) {
  live -= memory != NULL;
  real.xFree(memory);
}

static void *resize(void *memory, int bytes) {
  return fails() ? NULL : real.xRealloc(memory, bytes);
}

static int init(void *data) { return real.xInit(real.pAppData); }

static void use_failing_memory(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  sqlite3_mem_methods failing = real;
  failing.xMalloc = allocate;
  failing.xFree = release;
  failing.xRealloc = resize;
  failing.xInit = init;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
}

static int problems;

#define IS(condition) \
  if (!(condition)) \
  problems++, fprintf(stderr, "line %d, allocation %ld: %s\n", __LINE__, failing, #condition)

/* The allocation that fails, and how many functions said that something failed. */
static long failing;
static int reported;

/* Runs in which a function said that something failed. */
static long reports;

/* A result: everything but success counts. */
static int seen(int code) {
  reported += code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
  return code;
}

/* A pointer that is null only without memory. */
static int has(const void *pointer) {
  reported += pointer == NULL;
  return pointer != NULL;
}

/* Longer than the first buffer of a request. */
static char long_text[300];

/* Bind each kind of value, and read it back in each kind of column. */
static void bind_and_read(sqlite3 *db) {
  static const unsigned short wide[] = {'w', 0xd83d, 0xde00, 'x', 0};
  sqlite3_stmt *statement = NULL;
  if (seen(sqlite3_prepare_v2(db, "SELECT ?1, ?2, ?3, ?4, ?5, ?6 UNION ALL SELECT 1, 2, 3, 4, 5, 6",
                              -1, &statement, NULL)))
    return;
  seen(sqlite3_bind_int64(statement, 1, 1ll << 40));
  seen(sqlite3_bind_double(statement, 2, 0.5));
  seen(sqlite3_bind_text(statement, 3, long_text, sizeof(long_text), SQLITE_TRANSIENT));
  seen(sqlite3_bind_text16(statement, 4, wide, -1, SQLITE_STATIC));
  seen(sqlite3_bind_blob(statement, 5, long_text, 200, SQLITE_STATIC));
  seen(sqlite3_bind_zeroblob(statement, 6, 100));
  int is_complete = !reported;
  while (seen(sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < 6; i++) {
      has(sqlite3_column_text16(statement, i));
      has(sqlite3_column_text(statement, i));
      has(sqlite3_column_blob(statement, i));
    }
    if (is_complete && !reported)
      IS(sqlite3_column_bytes(statement, 5) == 100 || sqlite3_column_int(statement, 0) == 1);
  }
  seen(sqlite3_reset(statement));
  seen(sqlite3_clear_bindings(statement));
  sqlite3_value *copy = NULL;
  if (seen(sqlite3_step(statement)) == SQLITE_ROW) {
    IS(reported || sqlite3_column_type(statement, 2) == SQLITE_NULL);
    copy = sqlite3_value_dup(sqlite3_column_value(statement, 0));
    has(copy);
  }
  seen(sqlite3_reset(statement));
  if (copy) seen(sqlite3_bind_value(statement, 3, copy));
  sqlite3_value_free(copy);
  char *expanded = sqlite3_expanded_sql(statement);
  has(expanded);
  sqlite3_free(expanded);
  seen(sqlite3_finalize(statement));
}

/* Insert rows, so that several statements wait for one request. */
static void insert(sqlite3 *db) {
  sqlite3_stmt *statement = NULL;
  static const unsigned short sql[] = {'I', 'N', 'S', 'E', 'R',  'T', ' ', 'I',  'N', 'T',
                                       'O', ' ', 't', ' ', 'V',  'A', 'L', 'U',  'E', 'S',
                                       '(', '?', ',', 'x', '\'', '0', '0', '\'', ')', 0};
  if (seen(sqlite3_prepare16_v2(db, sql, -1, &statement, NULL))) return;
  for (int i = 0; i < 5; i++) {
    seen(sqlite3_bind_text(statement, 1, long_text, 250, SQLITE_STATIC));
    seen(sqlite3_step(statement));
    seen(sqlite3_reset(statement));
  }
  seen(sqlite3_finalize(statement));
}

static void describe(sqlite3 *db) {
  sqlite3_stmt *statement = NULL;
  const char *type, *collation;
  if (seen(sqlite3_prepare_v3(db, "SELECT a, b FROM t", -1, SQLITE_PREPARE_PERSISTENT, &statement,
                              NULL)))
    return;
  has(sqlite3_column_name(statement, 1));
  has(sqlite3_column_name16(statement, 1));
  has(sqlite3_column_decltype(statement, 0));
  has(sqlite3_column_decltype16(statement, 0));
  has(sqlite3_column_origin_name(statement, 0));
  seen(sqlite3_finalize(statement));
  has(sqlite3_db_name(db, 0));
  has(sqlite3_db_filename(db, "main"));
  seen(sqlite3_table_column_metadata(db, "main", "t", "a", &type, &collation, NULL, NULL, NULL));
}

static void use_blobs(sqlite3 *db) {
  sqlite3_blob *blob = NULL;
  char bytes[4] = "";
  if (seen(sqlite3_blob_open(db, "main", "large", "b", 1, 1, &blob))) return;
  seen(sqlite3_blob_write(blob, "abcd", 4, 10));
  seen(sqlite3_blob_read(blob, bytes, 4, 10));
  IS(reported || memcmp(bytes, "abcd", 4) == 0);
  seen(sqlite3_blob_reopen(blob, 2));
  seen(sqlite3_blob_close(blob));
}

static int on_row(void *count, int width, char **values, char **names) {
  ++*(int *)count;
  IS(width == 2 && values[0] && names[1] && !values[2]);
  return 0;
}

static void execute(sqlite3 *db) {
  int rows = 0;
  char *message = NULL;
  seen(sqlite3_exec(db, "SELECT a, b FROM t; SELECT 1, 2", on_row, &rows, NULL));
  IS(reported || rows == 6);
  /* This failure does not count as a report. */
  IS(sqlite3_exec(db, "SELECT absent", NULL, NULL, &message) != SQLITE_OK);
  has(message ? strstr(message, "no such column") : NULL);
  sqlite3_free(message);
}

#include "faults/operations.c"

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

/* The integer that a query returns, and -1 after an error. */
static long long ask(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) return -1;
  long long found = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
  return sqlite3_finalize(statement) ? -1 : found;
}

/* Whose memory runs out. */

/* Allocations that fail in the sandbox, one behind the other; 0 if those of the program fail. */
static int sandbox_failures;

static void arm(sqlite3 *db, long allocation) {
  char sql[80];
  if (!sandbox_failures) {
    countdown = allocation;
    return;
  }
  snprintf(sql, sizeof(sql), "SELECT planted_failures(%ld, %d)", allocation, sandbox_failures);
  IS(ask(db, sql) == 0);
}

/* Returns whether an allocation has failed. */
static int disarm(sqlite3 *db, long allocation) {
  if (!sandbox_failures) {
    int has_failed = allocation && countdown == 0;
    countdown = 0;
    return has_failed;
  }
  /* This needs memory as well. */
  long long failed = -1;
  for (int tries = 0; failed < 0 && tries <= sandbox_failures; tries++)
    failed = ask(db, "SELECT planted_failures(0, 0)");
  IS(failed >= 0);
  return failed > 0;
}

/* The whole script with one connection. Returns whether an allocation failed. */
static int try(long allocation) {
  long before = live;
  sqlite3 *db = NULL;
  IS(sqlite3_open(":memory:", &db) == SQLITE_OK);
  IS(run(db,
         "CREATE TABLE t(a TEXT, b BLOB); CREATE TABLE large(b); INSERT INTO large "
         "VALUES(zeroblob(100)), (zeroblob(100))") == SQLITE_OK);
  failing = allocation;
  reported = 0;
  if (allocation) arm(db, allocation);
  bind_and_read(db);
  insert(db);
  describe(db);
  use_blobs(db);
  execute(db);
  IS(sandbox_failures || countdown || !allocation || reported);
  use_operations(db);
  int has_failed = allocation && disarm(db, allocation);
  /* Not of what has a reserve, or makes do with less; all values were right then. */
  IS(has_failed || !reported);
  reports += has_failed && reported;
  if (!sqlite3_get_autocommit(db)) IS(run(db, "ROLLBACK") == SQLITE_OK);
  IS(run(db, "DELETE FROM t; DROP TABLE large; DROP TABLE IF EXISTS s") == SQLITE_OK);
  IS(sqlite3_next_stmt(db, NULL) == NULL);
  insert(db);
  IS(ask(db, "SELECT count(*) FROM t WHERE length(a) = 250") == 5);
  IS(ask(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1);
  IS(sqlite3_close(db) == SQLITE_OK);
  IS(live == before);
  return has_failed;
}

/* What the sandbox has in use, seen by a connection that stays open. */
static long long blocks(sqlite3 *db) {
  return sandbox_failures ? ask(db, "SELECT planted_blocks()") : 0;
}

/* faults [COUNT]: with COUNT that many allocations of the sandbox fail, in a library with planted errors. */
int main(int count, char **words) {
  sqlite3 *witness = NULL;
  sandbox_failures = count > 1 ? atoi(words[1]) : 0;
  memset(long_text, 'x', sizeof(long_text) - 1);
  use_failing_memory();
  IS(sqlite3_open(":memory:", &witness) == SQLITE_OK);
  /* The library keeps a sandbox for what belongs to no connection. */
  use_groups(0, "");
  try(0);
  long long before = blocks(witness);
  long allocation = 1;
  while (try(allocation) && problems < 20) allocation++;
  try(0);
  IS(blocks(witness) == before);
  sqlite3_close(witness);
  if (problems) return 1;
  printf("%ld allocations failed, one by one, and %ld times a function said so\n", allocation - 1,
         reports);
  return reports < 20;
}
