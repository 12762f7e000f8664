/* One that holds a statement, calls SQL in its methods, and exists without CREATE. */

typedef struct {
  sqlite3_vtab base;
  sqlite3_stmt *statement;
  int code;
} Rows;

static int rows_connect(sqlite3 *own, void *data, int count, const char *const *arguments,
                        sqlite3_vtab **made, char **message) {
  Rows *rows = sqlite3_malloc(sizeof(*rows));
  *made = &rows->base;
  sqlite3_prepare_v2(own, "SELECT i, x FROM t ORDER BY i", -1, &rows->statement, 0);
  return sqlite3_declare_vtab(own, "CREATE TABLE x(i, x)");
}
static int rows_disconnect(sqlite3_vtab *table) {
  printf("finalize %d\n", sqlite3_finalize(((Rows *)table)->statement));
  return sqlite3_free(table), SQLITE_OK;
}
static int rows_best_index(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }
static int rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  *cursor = sqlite3_malloc(sizeof(**cursor));
  return SQLITE_OK;
}
static int rows_close(sqlite3_vtab_cursor *cursor) { return sqlite3_free(cursor), SQLITE_OK; }
static int rows_next(sqlite3_vtab_cursor *cursor) {
  Rows *rows = (Rows *)cursor->pVtab;
  rows->code = sqlite3_step(rows->statement);
  return SQLITE_OK;
}
static int rows_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                       sqlite3_value **values) {
  sqlite3_reset(((Rows *)cursor->pVtab)->statement);
  return rows_next(cursor);
}
static int rows_eof(sqlite3_vtab_cursor *cursor) {
  return ((Rows *)cursor->pVtab)->code != SQLITE_ROW;
}
static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  sqlite3_result_value(context, sqlite3_column_value(((Rows *)cursor->pVtab)->statement, column));
  return SQLITE_OK;
}
static int rows_row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
  return *id = 1, SQLITE_OK;
}

static sqlite3_module rows_module = {.xConnect = rows_connect,
                                     .xBestIndex = rows_best_index,
                                     .xDisconnect = rows_disconnect,
                                     .xOpen = rows_open,
                                     .xClose = rows_close,
                                     .xFilter = rows_filter,
                                     .xNext = rows_next,
                                     .xEof = rows_eof,
                                     .xColumn = rows_column,
                                     .xRowid = rows_row_id};

static void tables(void) {
  static char first[] = "items", second[] = "items again";
  printf("%d\n", sqlite3_create_module_v2(db, "items", &items_module, first, on_destroy));
  run("CREATE VIRTUAL TABLE v USING items(fails)");
  run("CREATE VIRTUAL TABLE v USING items(undeclared)");
  run("CREATE VIRTUAL TABLE v USING items(a, 'b c')");
  run("INSERT INTO v(id, text) VALUES(1, 'one'), (2, 'two'), (NULL, 'three')");
  run("INSERT OR REPLACE INTO v(id) VALUES(9)");
  query("SELECT * FROM v");
  query("SELECT DISTINCT text FROM v WHERE id = 2 ORDER BY text");
  query("SELECT id FROM v WHERE id IN (1, 2, 'x') AND text = 'ONE'");
  query("SELECT id FROM v WHERE id = -7");
  query("SELECT id FROM v ORDER BY id DESC LIMIT 2 OFFSET 1");
  query("EXPLAIN QUERY PLAN SELECT id FROM v WHERE id = 5");
  sqlite3_overload_function(db, "items_only", 2);
  query("SELECT items_only(hidden, 3) FROM v WHERE text MATCH 'w' LIMIT 1");
  query("SELECT id, match(text, 'x') FROM v WHERE match(text, 'y') AND id > 0 LIMIT 1");
  run("UPDATE v SET text = 'zwei' WHERE id = 2");
  run("BEGIN; DELETE FROM v WHERE id = 1; SAVEPOINT a; UPDATE v SET text = 'x'; ROLLBACK TO a; "
      "RELEASE a; ROLLBACK");
  run("INSERT INTO v VALUES(7, 'bad', 1)");
  query("SELECT number FROM v WHERE id = 7");
  run("UPDATE v SET text = 'worse' WHERE id = 7");
  query("SELECT number FROM v WHERE id = 7");
  run("CREATE TABLE v_data(a)");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  run("INSERT INTO v_data VALUES(1)");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, 0);
  query("PRAGMA integrity_check(v)");
  run("ALTER TABLE v RENAME TO w");
  query("PRAGMA table_xinfo(w)");
  query("SELECT (SELECT count(*) FROM w AS b WHERE b.id = a.id) FROM w AS a");
  printf("%d\n", sqlite3_create_module_v2(db, "rows", &rows_module, NULL, NULL));
  query("SELECT * FROM rows LIMIT 3");
  query("SELECT sum(i) FROM rows");
  run("CREATE VIRTUAL TABLE r USING rows");
  printf("%d\n", sqlite3_create_module_v2(db, "items", &items_module, second, on_destroy));
  run("DROP TABLE w");
  run("DROP TABLE w");
  const char *keep[] = {"rows", "fts5", "rtree", NULL};
  printf("%d\n", sqlite3_drop_modules(db, keep));
  run("CREATE VIRTUAL TABLE v USING items");
  error("outside", sqlite3_declare_vtab(db, "CREATE TABLE x(a)"));
  error("outside", sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS));
  printf("%d\n", sqlite3_create_module(db, "gone", NULL, NULL));
  while (item_count) free(items[--item_count].text);
}

/* A table's statement does not keep a connection open. */
static void closed_tables(void) {
  sqlite3 *own = db;
  sqlite3_open(":memory:", &db);
  run("CREATE TABLE t(i, x); INSERT INTO t VALUES(1, 2)");
  sqlite3_create_module_v2(db, "rows", &rows_module, "rows", on_destroy);
  query("SELECT * FROM rows");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, 0);
  printf("close %d\n", sqlite3_close(db));
  sqlite3_finalize(statement);
  query("SELECT * FROM rows");
  printf("close %d\n", sqlite3_close(db));
  db = own;
}

/* SQLite's own extension, as a library. */
static void extension(const char *file) {
  char *message = NULL;
  printf("%d\n", sqlite3_enable_load_extension(db, 1));
  printf("%d", sqlite3_load_extension(db, file, NULL, &message));
  printf(" %s\n", message ? message : "loaded");
  query(
      "SELECT value FROM generate_series(1, 100, 7) WHERE value BETWEEN 20 AND 60 ORDER BY value "
      "DESC");
  query("SELECT count(*), sum(value) FROM generate_series(1, 3000)");
  query(
      "SELECT a.value, b.value FROM generate_series(1, 3) AS a, generate_series(a.value, 3) AS b");
  query("EXPLAIN QUERY PLAN SELECT * FROM generate_series(5) LIMIT 3");
}
