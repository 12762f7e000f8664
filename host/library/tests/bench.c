/* What the suite `library` of `tooling/bench` runs on both libraries, on a file in WAL mode:
**
**   bench FILE         each line is a name and microseconds an operation
**   bench FILE COUNT   COUNT look-ups in the table that the former leaves, for callgrind
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sqlite3.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static sqlite3 *db;

static void check(int code) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
    fprintf(stderr, "%d: %s\n", code, sqlite3_errmsg(db));
    exit(1);
  }
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, 0, 0, 0)); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(db, sql, -1, &statement, 0));
  return statement;
}

static void report(const char *name, double start, int count) {
  printf("%s %.4f\n", name, (now() - start) / count);
}

#define ROWS 100000

static void insert(void) {
  run("DROP TABLE IF EXISTS t; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c)");
  sqlite3_stmt *statement = prepare("INSERT INTO t VALUES(?, ?, ?, ?)");
  char text[32];
  double start = now();
  run("BEGIN");
  for (int i = 0; i < ROWS; i++) {
    int length = snprintf(text, sizeof(text), "name of %d", i);
    sqlite3_bind_int(statement, 1, i);
    sqlite3_bind_text(statement, 2, text, length, SQLITE_TRANSIENT);
    sqlite3_bind_double(statement, 3, i * 0.5);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)i * i);
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
  }
  run("COMMIT");
  report("insert", start, ROWS);
  sqlite3_finalize(statement);
}

static void update(void) {
  sqlite3_stmt *statement = prepare("UPDATE t SET a = ?, c = c + 1 WHERE id = ?");
  char text[32];
  double start = now();
  run("BEGIN");
  for (int i = 0; i < ROWS; i++) {
    int length = snprintf(text, sizeof(text), "name %d", i);
    sqlite3_bind_text(statement, 1, text, length, SQLITE_TRANSIENT);
    sqlite3_bind_int(statement, 2, (i * 7919) % ROWS);
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
  }
  run("COMMIT");
  report("update", start, ROWS);
  sqlite3_finalize(statement);
}

static void look_up(int count) {
  sqlite3_stmt *statement = prepare("SELECT id, a, b, c FROM t WHERE id = ?");
  sqlite3_int64 sum = 0;
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int(statement, 1, (i * 7919) % ROWS);
    check(sqlite3_step(statement));
    sum += sqlite3_column_int64(statement, 0) +
           strlen((const char *)sqlite3_column_text(statement, 1)) +
           (sqlite3_int64)sqlite3_column_double(statement, 2) + sqlite3_column_int64(statement, 3);
    check(sqlite3_reset(statement));
  }
  sqlite3_finalize(statement);
  if (sum == 1) printf("-");
}

static void look_ups(void) {
  double start = now();
  look_up(ROWS);
  report("look-up", start, ROWS);
}

static void scan(void) {
  sqlite3_stmt *statement = prepare("SELECT id, a, b, c FROM t");
  sqlite3_int64 sum = 0;
  double start = now();
  for (int i = 0; i < 5; i++) {
    while (sqlite3_step(statement) == SQLITE_ROW) {
      sum += sqlite3_column_int64(statement, 0) + sqlite3_column_bytes(statement, 1) +
             (sqlite3_int64)sqlite3_column_double(statement, 2) +
             sqlite3_column_int64(statement, 3);
    }
    sqlite3_reset(statement);
  }
  report("scan-row", start, 5 * ROWS);
  sqlite3_finalize(statement);
  if (sum == 1) printf("-");
}

static void prepares(void) {
  enum { COUNT = 30000 };
  double start = now();
  for (int i = 0; i < COUNT; i++) {
    sqlite3_stmt *statement = prepare("SELECT a, b FROM t WHERE id = 17");
    check(sqlite3_step(statement));
    check(sqlite3_finalize(statement));
  }
  report("prepare-step-finalize", start, COUNT);
}

static int by_end(void *unused, int left, const void *one, int right, const void *other) {
  (void)unused;
  int order = left && right ? ((const char *)one)[left - 1] - ((const char *)other)[right - 1]
                            : left - right;
  if (order) return order;
  order = memcmp(one, other, left < right ? left : right);
  return order ? order : left - right;
}

static void sort(void) {
  check(sqlite3_create_collation(db, "by_end", SQLITE_UTF8, 0, by_end));
  sqlite3_stmt *statement = prepare("SELECT id FROM t ORDER BY a COLLATE by_end");
  sqlite3_int64 sum = 0;
  double start = now();
  while (sqlite3_step(statement) == SQLITE_ROW) sum += sqlite3_column_int64(statement, 0);
  report("collation-sort-row", start, ROWS);
  check(sqlite3_finalize(statement));
  if (sum == 1) printf("-");
}

static void add_one(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_int64(context, sqlite3_value_int64(values[0]) + 1);
}

static void calls(void) {
  enum { COUNT = 300000 };
  sqlite3_create_function(db, "add_one", 1, SQLITE_UTF8, 0, add_one, 0, 0);
  const char *range =
      "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 300000) ";
  char sql[300];
  snprintf(sql, sizeof(sql), "%s SELECT sum(add_one(i)) FROM c", range);
  sqlite3_stmt *with = prepare(sql);
  snprintf(sql, sizeof(sql), "%s SELECT sum(i + 1) FROM c", range);
  sqlite3_stmt *without = prepare(sql);
  double start = now();
  check(sqlite3_step(without));
  double base = now() - start;
  start = now();
  check(sqlite3_step(with));
  printf("function-call %.4f\n", (now() - start - base) / COUNT);
  sqlite3_finalize(with);
  sqlite3_finalize(without);
}

static void opens(const char *name, const char *file, const char *sql) {
  enum { COUNT = 200 };
  double start = now();
  for (int i = 0; i < COUNT; i++) {
    sqlite3 *other;
    check(sqlite3_open(file, &other));
    check(sqlite3_exec(other, sql, 0, 0, 0));
    check(sqlite3_close(other));
  }
  report(name, start, COUNT);
}

static long resident(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void idle(void) {
  enum { COUNT = 20 };
  sqlite3 *all[COUNT];
  long before = resident();
  for (int i = 0; i < COUNT; i++) {
    check(sqlite3_open(":memory:", &all[i]));
    check(sqlite3_exec(all[i], "CREATE TABLE t(a); SELECT 1", 0, 0, 0));
  }
  printf("idle-kilobytes %.1f\n", (resident() - before) / 1024.0 / COUNT);
  for (int i = 0; i < COUNT; i++) sqlite3_close(all[i]);
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  const char *file = arguments[1];
  check(sqlite3_open(file, &db));
  if (count > 2) {
    look_up(atoi(arguments[2]));
    return sqlite3_close(db);
  }
  run("PRAGMA journal_mode = WAL");
  insert();
  update();
  look_ups();
  scan();
  prepares();
  sort();
  calls();
  opens("open-select-close", ":memory:", "SELECT 1");
  opens("open-select-close-file", file, "SELECT a FROM t WHERE id = 17");
  idle();
  sqlite3_close(db);
  return 0;
}
