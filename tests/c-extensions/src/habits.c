/* habit(ACTIONS): what an extension does for a row, one letter each; the text of
** what it saw. Repeated, the actions are a habit, and a request is sent along
** with the one before; wherever they depart from it nothing may differ. */
#include <stddef.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

/* By letter; kept from one call to the next. */
static const struct {
  char letter;
  const char *sql;
} KNOWN[] = {
    {'i', "INSERT INTO t(b) VALUES (x'00010203')"},
    {'d', "DELETE FROM t WHERE id = (SELECT min(id) FROM t)"},
    {'u', "UPDATE t SET b = x'0a0b0c' WHERE id = (SELECT max(id) FROM t)"},
    {'f', "INSERT INTO t(id) SELECT min(id) FROM t"},
    {'m', "SELECT max(id) FROM t"},
    {'k', "SELECT id, hex(b) FROM t ORDER BY id DESC"},
    {'c', "SELECT count(*) FROM t"},
    {'n', "SELECT id FROM other ORDER BY id"},
    {'s', "SAVEPOINT habit"},
    {'r', "ROLLBACK TO habit"},
    {'e', "RELEASE habit"},
};
enum { COUNT = sizeof(KNOWN) / sizeof(KNOWN[0]) };
static sqlite3_stmt *statements[COUNT];

static void tell_row(sqlite3_str *told, sqlite3_stmt *statement) {
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    sqlite3_str_appendf(told, " %s", sqlite3_column_text(statement, i));
  }
}

/* One row, and no further; `n` goes on with the next one each time. */
static void step(sqlite3 *db, sqlite3_str *told, int which) {
  if (!statements[which]) {
    sqlite3_prepare_v2(db, KNOWN[which].sql, -1, &statements[which], NULL);
  }
  int code = sqlite3_step(statements[which]);
  if (code == SQLITE_ROW) tell_row(told, statements[which]);
  else if (code != SQLITE_DONE) sqlite3_str_appendf(told, " %s", sqlite3_errmsg(db));
  if (KNOWN[which].letter != 'n' || code != SQLITE_ROW) sqlite3_reset(statements[which]);
}

/* The blob of the last row, or of a row that is there for certain. */
static void blob(sqlite3 *db, sqlite3_str *told, int writes) {
  unsigned char bytes[3] = {0};
  sqlite3_blob *blob;
  sqlite3_int64 row = writes ? sqlite3_last_insert_rowid(db) : 1;
  int code = sqlite3_blob_open(db, "main", writes ? "t" : "other", "b", row, writes, &blob);
  if (code == SQLITE_OK) code = sqlite3_blob_read(blob, bytes, 3, 0);
  bytes[2] += 1;
  if (code == SQLITE_OK && writes) code = sqlite3_blob_write(blob, bytes + 2, 1, 2);
  sqlite3_str_appendf(told, " %d:%d.%d", code, bytes[0], bytes[2]);
  if (blob) sqlite3_blob_close(blob);
}

static void act(sqlite3 *db, sqlite3_str *told, char letter) {
  sqlite3_str_appendchar(told, 1, letter);
  if (letter == 'b' || letter == 'B') blob(db, told, letter == 'b');
  for (int i = 0; i < COUNT; i++) {
    if (KNOWN[i].letter == letter) step(db, told, i);
    /* `z`: the scan begins anew; `x`: so does everything. */
    if (letter == 'z' && KNOWN[i].letter == 'n') sqlite3_reset(statements[i]);
    if (letter == 'x') {
      sqlite3_finalize(statements[i]);
      statements[i] = NULL;
    }
  }
  sqlite3_str_appendall(told, "; ");
}

static void habit(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *told = sqlite3_str_new(db);
  const char *actions = (const char *)sqlite3_value_text(values[0]);
  for (; actions && *actions; actions++) act(db, told, *actions);
  sqlite3_result_text(context, sqlite3_str_finish(told), -1, sqlite3_free);
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_function(db, "habit", 1, SQLITE_UTF8, NULL, habit, NULL, NULL);
}
