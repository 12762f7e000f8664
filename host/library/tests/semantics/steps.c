/* What happens between the steps of a statement. */

static sqlite3_stmt *prepared(const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  return statement;
}

static void go(sqlite3_stmt *statement, int count) {
  for (int i = 0; i < count; i++) {
    int code = sqlite3_step(statement);
    printf("step %d", code);
    for (int j = 0; j < sqlite3_data_count(statement); j++)
      print_value(sqlite3_column_value(statement, j));
    printf("\n");
  }
}

/* A reader sees what the program changes before its next step. */
static void changes(void) {
  sqlite3_stmt *reader = prepared("SELECT a, b FROM r");
  go(reader, 1);
  run("UPDATE r SET b = 'new' WHERE a = 2");
  go(reader, 1);
  run("DELETE FROM r WHERE a = 3");
  go(reader, 1);
  sqlite3_stmt *writer = prepared("UPDATE r SET b = ?1 WHERE a = 5");
  sqlite3_bind_text(writer, 1, "newer", -1, SQLITE_STATIC);
  go(writer, 1);
  sqlite3_reset(writer);
  go(reader, 3);
  sqlite3_finalize(writer);
  sqlite3_finalize(reader);
}

/* A statement that has rows left is running. */
static void running(void) {
  sqlite3_stmt *reader = prepared("SELECT a FROM r");
  go(reader, 1);
  run("DROP TABLE r");
  run("VACUUM");
  run("PRAGMA journal_mode = wal");
  run("BEGIN; INSERT INTO r VALUES(100, 'x'); ROLLBACK");
  go(reader, 1);
  run("BEGIN; CREATE TABLE q(a); ROLLBACK");
  go(reader, 1);
  error("finalize", sqlite3_finalize(reader));
}

/* Its lock and its snapshot last until its end. */
static void locks(const char *path) {
  sqlite3 *own = db, *other;
  sqlite3_open(path, &other);
  sqlite3_stmt *reader = prepared("SELECT a FROM r");
  go(reader, 1);
  db = other;
  run("BEGIN EXCLUSIVE; INSERT INTO r VALUES(200, 'x'); COMMIT");
  db = own;
  sqlite3_reset(reader);
  db = other;
  run("ROLLBACK");
  run("PRAGMA journal_mode = wal");
  db = own;
  go(reader, 1);
  db = other;
  run("INSERT INTO r VALUES(201, 'x')");
  db = own;
  query("SELECT count(*) FROM r");
  sqlite3_finalize(reader);
  query("SELECT count(*) FROM r");
  sqlite3_close(other);
}

static void interruptions(void) {
  sqlite3_stmt *first = prepared("SELECT a FROM r"), *second = prepared("SELECT b FROM r");
  sqlite3_interrupt(db);
  printf("%d\n", sqlite3_is_interrupted(db));
  go(first, 4);
  printf("%d\n", sqlite3_is_interrupted(db));
  go(second, 1);
  sqlite3_interrupt(db);
  go(first, 1);
  error("step", sqlite3_errcode(db));
  error("reset", sqlite3_reset(first));
  error("finalize", sqlite3_finalize(second));
  go(first, 1);
  error("finalize", sqlite3_finalize(first));
  first = prepared("SELECT 1");
  go(first, 1);
  sqlite3_interrupt(db);
  go(first, 1);
  error("step", sqlite3_errcode(db));
  error("finalize", sqlite3_finalize(first));
}

/* An interruption ends all that is running, and nothing begins before. */
static void interruption_of_many(void) {
  sqlite3_stmt *all[] = {prepared("SELECT a FROM r"), prepared("SELECT a FROM r LIMIT 3"),
                         prepared("SELECT 1"), prepared("SELECT a FROM r")};
  for (int i = 0; i < 3; i++) go(all[i], i == 1 ? 2 : 1);
  sqlite3_interrupt(db);
  sqlite3_stmt *late = prepared("SELECT 2");
  error("prepare", sqlite3_errcode(db));
  printf("%d\n", late == NULL);
  for (int i = 0; i < 4; i++) {
    go(all[i], 1);
    printf("%d\n", sqlite3_is_interrupted(db));
    error("reset", sqlite3_reset(all[i]));
  }
  go(all[3], 1);
  printf("%d\n", sqlite3_is_interrupted(db));
  for (int i = 0; i < 4; i++) sqlite3_finalize(all[i]);
}

/* The row is there while it is traced. */
static int on_row(unsigned kind, void *data, void *statement, void *unused) {
  printf("row of %d:", sqlite3_data_count(statement));
  for (int i = 0; i < sqlite3_data_count(statement); i++)
    print_value(sqlite3_column_value(statement, i));
  printf("\n");
  return 0;
}

static void traced_rows(void) {
  sqlite3_stmt *statement = prepared("SELECT a, b, a / 2.0, NULL FROM r");
  sqlite3_trace_v2(db, SQLITE_TRACE_ROW, on_row, NULL);
  go(statement, 7);
  sqlite3_trace_v2(db, 0, NULL, NULL);
  sqlite3_finalize(statement);
}

/* A step does not wait for the next row, which may never come. */
static void endless(void) {
  const char *rest = "UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 2";
  char sql[200];
  snprintf(sql, sizeof(sql), "WITH RECURSIVE c(x) AS (VALUES(1) %s", rest);
  sqlite3_stmt *statement = prepared(sql);
  go(statement, 1);
  sqlite3_reset(statement);
  go(statement, 1);
  sqlite3_finalize(statement);
}

/* Relative names begin in the directory of the time. */
static void directories(const char *path) {
  char name[500];
  int before = open(".", O_RDONLY | O_DIRECTORY);
  snprintf(name, sizeof(name), "%s.d", path);
  mkdir(name, 0700);
  chdir(name);
  run("ATTACH 'near.db' AS near; CREATE TABLE near.n(a); DETACH near; VACUUM INTO 'copy.db'");
  printf("%d %d\n", access("near.db", F_OK), access("copy.db", F_OK));
  fchdir(before);
  close(before);
}

/* A blob's text is in the encoding of the database. */
static void encodings(void) {
  sqlite3_stmt *statement = prepared("SELECT x'4100420043', x'310032003300', x'4142', 'text'");
  go(statement, 1);
  for (int i = 0; i < 4; i++) {
    int bytes = sqlite3_column_bytes(statement, i);
    printf("%s %d\n", sqlite3_column_text(statement, i), bytes);
    printf("%d\n", sqlite3_column_int(statement, i));
  }
  sqlite3_finalize(statement);
}

/* Values that are large together, and alone. */
static void large_bindings(void) {
  enum { MOST = 300000, APART = 4999 };
  char *text = malloc(MOST);
  memset(text, 'x', MOST);
  sqlite3_stmt *statement = prepared("SELECT length(?), length(?), length(?), length(?)");
  for (int size = APART; size < MOST; size += APART) {
    for (int i = 1; i <= 4; i++) sqlite3_bind_text(statement, i, text, size, SQLITE_STATIC);
    go(statement, 1);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  free(text);
}

static void between_steps(const char *file) {
  sqlite3 *own = db;
  char path[500];
  snprintf(path, sizeof(path), "%s-steps", file);
  sqlite3_open(path, &db);
  run("CREATE TABLE r(a INTEGER PRIMARY KEY, b); INSERT INTO r(b) VALUES('a'), ('b'), ('c'), "
      "('d'), ('e'), ('f')");
  changes();
  running();
  interruptions();
  interruption_of_many();
  endless();
  directories(path);
  locks(path);
  encodings();
  traced_rows();
  large_bindings();
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  run("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a)");
  encodings();
  sqlite3_close(db);
  db = own;
}
