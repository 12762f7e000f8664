/* What only the sandboxed library does: limits, grants, threads, forks, small stacks. Each line is
** one check; the program fails with the first that does not hold. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite3.h"

static const char *path;

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

static sqlite3 *open_uri(const char *uri, int expected) {
  sqlite3 *db;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  CHECK(sqlite3_open_v2(uri, &db, flags, NULL) == expected);
  return db;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }

#define ENDLESS \
  "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"

static void limits(void) {
  sqlite3 *db = open_uri("file:x?mode=memory&wasm_timeout=100ms", SQLITE_OK);
  CHECK(run(db, ENDLESS) == SQLITE_INTERRUPT);
  CHECK(run(db, "SELECT 1") == SQLITE_OK);
  sqlite3_close(db);
  db = open_uri("file:x?mode=memory&wasm_max_memory=16M", SQLITE_OK);
  CHECK(run(db, "SELECT zeroblob(100000000) || 'x'") == SQLITE_NOMEM);
  CHECK(run(db, "SELECT 1") == SQLITE_OK);
  sqlite3_close(db);
  sqlite3_close(open_uri("file:x?mode=memory&wasm_timeout=soon", SQLITE_CANTOPEN));
}

/* A call that does not fit in the sandbox takes no bindings with it that wait. */
static void bindings_stay(void) {
  sqlite3 *db = open_uri("file:x?mode=memory&wasm_max_memory=16M", SQLITE_OK);
  sqlite3_stmt *both, *other;
  const int large = 50 << 20;
  char *text = malloc(large);
  memset(text, ' ', large);
  CHECK(run(db, "CREATE TABLE t(a, b)") == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?)", -1, &both, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_int(both, 1, 7) == SQLITE_OK);
  CHECK(sqlite3_bind_text(both, 2, text, large, SQLITE_STATIC) == SQLITE_NOMEM);
  CHECK(sqlite3_bind_int(both, 2, 8) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, text, large, &other, NULL) == SQLITE_NOMEM);
  CHECK(sqlite3_step(both) == SQLITE_DONE);
  sqlite3_finalize(both);
  CHECK(sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &other, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(other) == SQLITE_ROW);
  CHECK(sqlite3_column_int(other, 0) == 7 && sqlite3_column_int(other, 1) == 8);
  sqlite3_finalize(other);
  sqlite3_close(db);
  free(text);
}

/* The engine and the C code in front of it say the same about themselves. */
static void options(void) {
  sqlite3 *db = open_uri(":memory:", SQLITE_OK);
  sqlite3_stmt *listed;
  CHECK(sqlite3_prepare_v2(db, "PRAGMA compile_options", -1, &listed, NULL) == SQLITE_OK);
  int count = 0;
  for (const char *option; (option = sqlite3_compileoption_get(count)); count++) {
    CHECK(sqlite3_step(listed) == SQLITE_ROW);
    CHECK(!strcmp(option, (const char *)sqlite3_column_text(listed, 0)));
  }
  CHECK(count > 20 && sqlite3_step(listed) == SQLITE_DONE);
  sqlite3_finalize(listed);
  CHECK(sqlite3_compileoption_used("WASM_SANDBOX") &&
        sqlite3_compileoption_used("SQLITE_WASM_SANDBOX"));
  CHECK(
      run(db,
          "SELECT iif(sqlite_compileoption_used('WASM_SANDBOX'), 1, abs(-9223372036854775808))") ==
      SQLITE_OK);
  CHECK(sqlite3_threadsafe() == 1 && sqlite3_compileoption_used("THREADSAFE=1"));
  sqlite3_close(db);
}

static void grants(void) {
  sqlite3 *db = open_uri(path, SQLITE_OK);
  CHECK(run(db, "ATTACH '/etc/passwd' AS p; SELECT * FROM p.sqlite_schema") != SQLITE_OK);
  CHECK(run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)") == SQLITE_OK);
  sqlite3_close(db);
  db = open_uri(":memory:", SQLITE_OK);
  char sql[500];
  snprintf(sql, sizeof(sql), "ATTACH '%s' AS p; SELECT * FROM p.t", path);
  CHECK(run(db, sql) != SQLITE_OK);
  sqlite3_close(db);
}

/* A link grants its target, also while that is missing, and no other file on either side. */
static void links(void) {
  char directory[400], target[450], link[400], sql[600];
  snprintf(directory, sizeof(directory), "%s.elsewhere", path);
  snprintf(target, sizeof(target), "%s/real.db", directory);
  snprintf(link, sizeof(link), "%s.link", path);
  mkdir(directory, 0700), unlink(target), unlink(link);
  CHECK(symlink(target, link) == 0);
  sqlite3 *db = open_uri(link, SQLITE_OK);
  CHECK(run(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a)") == SQLITE_OK);
  CHECK(access(target, F_OK) == 0);
  snprintf(sql, sizeof(sql), "ATTACH '%s/other.db' AS o; CREATE TABLE o.t(a)", directory);
  CHECK(run(db, sql) != SQLITE_OK);
  snprintf(sql, sizeof(sql), "ATTACH '%s.other' AS p; CREATE TABLE p.t(a)", link);
  CHECK(run(db, sql) != SQLITE_OK);
  sqlite3_close(db);
  /* A file in the directory of a database that is reached without a link is granted. */
  db = open_uri(path, SQLITE_OK);
  snprintf(sql, sizeof(sql), "ATTACH '%s.beside' AS b; CREATE TABLE IF NOT EXISTS b.t(a)", path);
  CHECK(run(db, sql) == SQLITE_OK);
  sqlite3_close(db);
}

/* Threads. */

static sqlite3 *shared;

static void *insert_many(void *data) {
  for (int i = 0; i < 500; i++) CHECK(run(shared, "INSERT INTO n VALUES(1)") == SQLITE_OK);
  return NULL;
}

static void count_arguments(sqlite3_context *context, int count, sqlite3_value **arguments) {
  sqlite3_result_int(context, count + sqlite3_value_int(arguments[count - 1]));
}

static void *deep(void *data) {
  sqlite3 *db = open_uri(":memory:", SQLITE_OK);
  char sql[2000] = "SELECT ";
  for (int i = 0; i < 900; i++) strcat(sql, "(");
  strcat(sql, "1");
  for (int i = 0; i < 900; i++) strcat(sql, ")");
  CHECK(run(db, sql) == SQLITE_OK);
  /* The sandbox chooses how many arguments a function gets. */
  sqlite3_create_function(db, "arguments", -1, SQLITE_UTF8, 0, count_arguments, 0, 0);
  char many[2500] = "SELECT json(CASE arguments(7";
  for (int i = 1; i < 1000; i++) strcat(many, ",7");
  strcat(many, ") WHEN 1007 THEN '1' ELSE 'no' END)");
  CHECK(run(db, many) == SQLITE_OK);
  sqlite3_close(db);
  return NULL;
}

static void *interrupt(void *data) {
  usleep(50000);
  sqlite3_interrupt(data);
  return NULL;
}

static void threads(void) {
  pthread_t all[4], one;
  shared = open_uri(":memory:", SQLITE_OK);
  run(shared, "CREATE TABLE n(a)");
  for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, insert_many, NULL);
  for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(shared, "SELECT count(*) FROM n", -1, &statement, 0);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 2000);
  sqlite3_finalize(statement);
  pthread_create(&one, NULL, interrupt, shared);
  CHECK(run(shared, ENDLESS) == SQLITE_INTERRUPT);
  pthread_join(one, NULL);
  sqlite3_close(shared);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  CHECK(pthread_create(&one, &small, deep, NULL) == 0);
  pthread_join(one, NULL);
}

/* Forks. */

static int in_child(void (*act)(sqlite3 *), sqlite3 *db) {
  pid_t child = fork();
  if (child == 0) {
    act(db);
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void use_parents(sqlite3 *db) {
  if (run(db, "SELECT 1") != SQLITE_MISUSE) exit(2);
  if (sqlite3_close(db) != SQLITE_OK) exit(3);
  sqlite3 *own = open_uri(":memory:", SQLITE_OK);
  if (run(own, "SELECT 1") != SQLITE_OK) exit(4);
  sqlite3_close(own);
}

static void write_as_other(sqlite3 *db) {
  sqlite3 *own = open_uri(path, SQLITE_OK);
  int code = run(own, "INSERT INTO t VALUES(2)");
  sqlite3_close(own);
  exit(code);
}

static void forks(void) {
  sqlite3 *db = open_uri(path, SQLITE_OK);
  CHECK(run(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES(3)") == SQLITE_OK);
  /* The child ends with the parent's connection open, and with it closed: the lock stays. */
  CHECK(in_child(use_parents, db) == 0);
  CHECK(in_child(write_as_other, db) == SQLITE_BUSY);
  CHECK(run(db, "COMMIT") == SQLITE_OK);
  CHECK(in_child(write_as_other, db) == SQLITE_OK);
  sqlite3_close(db);
}

/* The parent is killed while a child lives: the child's copies of descriptors hold no lock. */
static void orphan(void) {
  int ready[2], go[2];
  char byte;
  CHECK(pipe(ready) == 0 && pipe(go) == 0);
  pid_t parent = fork();
  if (parent == 0) {
    sqlite3 *db = open_uri(path, SQLITE_OK);
    if (run(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES(4)")) _exit(1);
    if (fork() == 0) {
      close(go[1]);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      _exit(read(go[0], &byte, 1) < 0);
    }
    pause();
  }
  CHECK(read(ready[0], &byte, 1) == 1);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  sqlite3 *db = open_uri(path, SQLITE_OK);
  CHECK(run(db, "INSERT INTO t VALUES(5)") == SQLITE_OK);
  sqlite3_close(db);
  close(go[1]);
}

/* The program cannot wait for a child process of the library, and gets no signal when one ends, not
** even while the library compiles, as here, where the cache is empty. */

static volatile sig_atomic_t ended, signals;

static void on_child(int signal) { signals++; }

static void *wait_for_any(void *data) {
  while (!ended) {
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
    usleep(200);
  }
  return NULL;
}

static void children(void) {
  pthread_t waiting;
  struct sigaction action = {.sa_handler = on_child};
  sigaction(SIGCHLD, &action, NULL);
  pthread_create(&waiting, NULL, wait_for_any, NULL);
  sqlite3 *db = open_uri(":memory:", SQLITE_OK);
  CHECK(run(db, "SELECT 1") == SQLITE_OK);
  ended = 1;
  pthread_join(waiting, NULL);
  CHECK(signals == 0);
  sqlite3_close(db);
  signal(SIGCHLD, SIG_DFL);
}

/* Little address space (`ulimit -v`): errors, and what fits works. */
static void limited(void) {
  enum { MANY = 200 };
  sqlite3 *all[MANY];
  int opened = 0, code = SQLITE_OK;
  while (opened < MANY && code == SQLITE_OK) {
    code = sqlite3_open(":memory:", &all[opened]);
    if (code == SQLITE_OK) code = run(all[opened], "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    if (code) sqlite3_close(all[opened]);
    else opened++;
  }
  fprintf(stderr, "%d connections, then %d\n", opened, code);
  for (int i = 0; i < opened; i++)
    CHECK(run(all[i], "INSERT INTO t SELECT randomblob(1000) FROM t") == SQLITE_OK);
  if (opened) {
    code = run(all[0],
               "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) INSERT INTO t "
               "SELECT randomblob(100000) FROM c");
    CHECK(code == SQLITE_NOMEM || code == SQLITE_FULL || code == SQLITE_IOERR_NOMEM);
    CHECK(run(all[0], "SELECT count(*) FROM t") == SQLITE_OK);
  }
  while (opened) CHECK(sqlite3_close(all[--opened]) == SQLITE_OK);
}

/* SQLITE_WASM_GRANTS names a file, which grants the first directory; a comment has the second. */
static void granted(const char *first, const char *second) {
  sqlite3 *db = open_uri(":memory:", SQLITE_OK);
  char sql[1000];
  snprintf(sql, sizeof(sql), "ATTACH '%s/x.db' AS a; CREATE TABLE a.t(a)", first);
  CHECK(run(db, sql) == SQLITE_OK);
  snprintf(sql, sizeof(sql), "ATTACH '%s/x.db' AS b; CREATE TABLE b.t(a)", second);
  CHECK(run(db, sql) == SQLITE_CANTOPEN);
  /* The file itself is in the first one, and cannot be written. */
  snprintf(sql, sizeof(sql), "ATTACH '%s/grants' AS c; CREATE TABLE c.t(a)", first);
  CHECK(run(db, sql) != SQLITE_OK);
  sqlite3_close(db);
}

/* As a daemon without standard streams: what is printed must not be written into the database. */
static void closed(void) {
  for (int stream = 0; stream < 3; stream++) close(stream);
  sqlite3 *db = open_uri(path, SQLITE_OK);
  CHECK(run(db, "CREATE TABLE t(x); INSERT INTO t VALUES(1)") == SQLITE_OK);
  for (int stream = 0; stream < 3; stream++) CHECK(write(stream, "printed", 7) < 7);
  CHECK(run(db, "ATTACH '/nonexistent/x' AS x") == SQLITE_CANTOPEN);
  CHECK(run(db, "INSERT INTO t VALUES(2)") == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_uri(path, SQLITE_OK);
  CHECK(run(db, "SELECT * FROM t") == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Who shares a sandbox cannot ask for other limits, nor for other locks. */
static void refused(void) {
  sqlite3 *db = open_uri("file:/one?vfs=memdb&wasm_timeout=5s", SQLITE_OK);
  sqlite3_close(open_uri("file:/two?vfs=memdb&wasm_timeout=100ms", SQLITE_CANTOPEN));
  sqlite3_close(open_uri("file:/two?vfs=memdb&wasm_timeout=zz", SQLITE_CANTOPEN));
  sqlite3_close(open_uri("file:/two?vfs=memdb&wasm_timeout=5s", SQLITE_OK));
  sqlite3_close(open_uri("file:/two?vfs=memdb", SQLITE_OK));
  sqlite3_close(db);
  sqlite3_close(open_uri("file:x?mode=memory&vfs=unix-dotfile", SQLITE_CANTOPEN));
  sqlite3_close(open_uri("file:x?mode=memory&vfs=unix-excl", SQLITE_OK));
}

static void closes(sqlite3_context *context, int count, sqlite3_value **values) {
  CHECK(sqlite3_close_v2(sqlite3_context_db_handle(context)) == SQLITE_OK);
}

/* A connection that is closed during a call lives until the call returns. */
static void closing(void) {
  sqlite3 *db = open_uri(":memory:", SQLITE_OK);
  sqlite3_create_function(db, "closes", 0, SQLITE_UTF8, NULL, closes, NULL, NULL);
  CHECK(run(db, "CREATE TABLE t AS SELECT closes(); SELECT count(*) FROM t") == SQLITE_OK);
}

/* The library is in `lib` of the database's directory: what the next process would run is not
** written, whether it exists or not. */
static void installed(const char *directory) {
  static const char *const names[] = {
      "sqlite-wasm-compile",
      "database-checked.cwasm",
      "extensions",
      "lib/libc.so.6",
      "lib/sqlite-wasm-compile",
      "lib/extensions",
      "lib/sqlite-wasm/cli.wasm",
      "lib/sqlite-wasm/extensions",
  };
  sqlite3 *db = open_uri(path, SQLITE_OK);
  char sql[500];
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    snprintf(sql, sizeof(sql), "VACUUM INTO '%s/%s'", directory, names[i]);
    CHECK(run(db, sql) == SQLITE_CANTOPEN);
  }
  snprintf(sql, sizeof(sql), "VACUUM INTO '%s/copy.db'", directory);
  CHECK(run(db, sql) == SQLITE_OK);
  sqlite3_close(db);
}

int main(int count, char **arguments) {
  path = arguments[1];
  if (count > 2) {
    if (strcmp(arguments[2], "limited") == 0) limited();
    else if (strcmp(arguments[2], "closed") == 0) closed();
    else if (strcmp(arguments[2], "children") == 0) children();
    else if (strcmp(arguments[2], "installed") == 0) installed(arguments[3]);
    else granted(arguments[2], arguments[3]);
    return 0;
  }
  limits();
  bindings_stay();
  options();
  grants();
  links();
  refused();
  closing();
  threads();
  forks();
  orphan();
  printf("ok\n");
  return 0;
}
