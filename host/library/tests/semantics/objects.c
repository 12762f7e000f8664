/* Blobs, backups, images, sessions, files and shared caches. */

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
  error("deserialize",
        sqlite3_deserialize(db, "main", image, size, size,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  query("SELECT count(*) FROM t");
  run("INSERT INTO h VALUES(9, 9)");
  printf("%p\n", (void *)sqlite3_backup_init(target, "nope", own, "main"));
  error("backup", 0);
  printf("%p\n", (void *)sqlite3_backup_init(own, "main", own, "main"));
  sqlite3_close(target);
  db = own;
  error("backup", 0);
}

/* A copy of a database of `db` into a database that has a table already. */
static void copy(const char *what, const char *name) {
  sqlite3 *target, *own = db;
  sqlite3_open(":memory:", &target);
  sqlite3_exec(target, "CREATE TABLE precious(x)", 0, 0, 0);
  sqlite3_backup *backup = sqlite3_backup_init(target, "main", db, name);
  int step = sqlite3_backup_step(backup, -1);
  printf("%s: step %d, finish %d\n", what, step, sqlite3_backup_finish(backup));
  db = target;
  query("SELECT name FROM sqlite_schema");
  sqlite3_close(target);
  db = own;
}

static void copies(const char *path) {
  sqlite3 *own = db, *other;
  char *file = sqlite3_mprintf("%s-copied", path);
  sqlite3_open(file, &db);
  sqlite3_open(file, &other);
  sqlite3_free(file);
  run("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
  printf("lock %d\n", sqlite3_exec(other, "BEGIN EXCLUSIVE", 0, 0, 0));
  copy("locked", "main");
  printf("unlock %d\n", sqlite3_exec(other, "COMMIT", 0, 0, 0));
  copy("unlocked", "main");
  run("BEGIN; CREATE TABLE uncommitted(x)");
  copy("uncommitted", "main");
  run("ROLLBACK; PRAGMA journal_mode = WAL; CREATE TABLE logged(x)");
  copy("log", "main");
  copy("no temporary tables", "temp");
  run("CREATE TEMP TABLE temporary(x)");
  copy("temporary tables", "temp");
  sqlite3_close(other);
  sqlite3_close(db);
  db = own;
}

static int conflict(void *data, int kind, sqlite3_changeset_iter *iterator) {
  sqlite3_value *value = NULL;
  const char *table;
  int columns, operation, indirect;
  sqlite3changeset_op(iterator, &table, &columns, &operation, &indirect);
  printf("conflict %d %s %d\n", kind, table, operation);
  if (kind == SQLITE_CHANGESET_DATA && sqlite3changeset_conflict(iterator, 1, &value) == SQLITE_OK)
    print_value(value);
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
  run("INSERT INTO s VALUES(3, 'three'); UPDATE s SET b = 'deux' WHERE a = 2; DELETE FROM s WHERE "
      "a = 1");
  printf("%d %d\n", sqlite3session_changeset(session, &count, &bytes),
         sqlite3session_isempty(session));
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
  printf("%d", sqlite3_table_column_metadata(db, 0, "f", "a", &type, &collation, flags, flags + 1,
                                             flags + 2));
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

static void origins(void) {
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT a.i AS j, x || 'y', b.z FROM t AS a JOIN temp.tt AS b", -1,
                     &statement, 0);
  for (int i = 0; i < 3; i++) {
    const char *schema = sqlite3_column_database_name(statement, i),
               *table = sqlite3_column_table_name(statement, i);
    const char *origin = sqlite3_column_origin_name(statement, i);
    printf("%s %s %s\n", schema ? schema : "none", table ? table : "none",
           origin ? origin : "none");
  }
  const unsigned short *wide = sqlite3_column_table_name16(statement, 2);
  printf("%c%c %d\n", wide[0], wide[1], sqlite3_column_origin_name16(statement, 1) == NULL);
  sqlite3_finalize(statement);
}

static void snapshots(const char *file) {
  sqlite3 *own = db, *other;
  sqlite3_snapshot *early = NULL, *late = NULL;
  char path[500];
  snprintf(path, sizeof(path), "%s-snapshots", file);
  sqlite3_open(path, &db);
  sqlite3_open(path, &other);
  sqlite3_exec(other, "PRAGMA wal_autocheckpoint = 0", 0, 0, 0);
  run("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE s(a); INSERT INTO s "
      "VALUES(1)");
  printf("%d\n", sqlite3_snapshot_get(db, "main", &early) != SQLITE_OK);
  run("BEGIN; SELECT * FROM s");
  printf("%d\n", sqlite3_snapshot_get(db, "main", &early));
  run("COMMIT");
  printf("%d\n", sqlite3_exec(other, "INSERT INTO s VALUES(2)", 0, 0, 0));
  run("BEGIN; SELECT * FROM s");
  printf("%d\n", sqlite3_snapshot_get(db, "main", &late));
  printf("%d %d\n", sqlite3_snapshot_cmp(early, late), sqlite3_snapshot_cmp(late, late));
  run("COMMIT; BEGIN");
  printf("%d\n", sqlite3_snapshot_open(db, "main", early));
  query("SELECT count(*) FROM s");
  run("COMMIT");
  printf("%d\n", sqlite3_snapshot_recover(db, "main"));
  sqlite3_exec(other, "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO s VALUES(3)", 0, 0, 0);
  run("BEGIN");
  error("gone", sqlite3_snapshot_open(db, "main", early));
  sqlite3_snapshot_free(early);
  sqlite3_snapshot_free(late);
  sqlite3_close(other);
  sqlite3_close(db);
  db = own;
}
