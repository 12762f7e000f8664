/* mine: the words of a text. Native SQLite can load this code as well. */
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

#include <stdlib.h>
#include <string.h>

/* SELECT word FROM mine('to be'). The second column is the parameter. */
enum { WORD, TEXT };

typedef struct {
  sqlite3_vtab_cursor base;
  char *text;
  /* The current word, and its length in bytes: 0 behind the last one. */
  const char *word;
  size_t bytes;
  sqlite3_int64 row;
} Cursor;

static int mine_connect(sqlite3 *db, void *data, int count, const char *const *words,
                        sqlite3_vtab **table, char **error) {
  (void)data, (void)count, (void)words, (void)error;
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(word TEXT, text HIDDEN)");
  if (code != SQLITE_OK) return code;
  *table = sqlite3_malloc(sizeof(**table));
  if (!*table) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(**table));
  return SQLITE_OK;
}

static int mine_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

/* The plan needs a value of the parameter, which xFilter then gets. */
static int mine_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != TEXT ||
        info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = 1;
    info->estimatedCost = 100;
    return SQLITE_OK;
  }
  return SQLITE_OK;
}

static int mine_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = sqlite3_malloc(sizeof(Cursor));
  if (!*cursor) return SQLITE_NOMEM;
  memset(*cursor, 0, sizeof(Cursor));
  return SQLITE_OK;
}

static int mine_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(((Cursor *)cursor)->text);
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int mine_next(sqlite3_vtab_cursor *cursor) {
  Cursor *at = (Cursor *)cursor;
  at->word += at->bytes;
  at->word += strspn(at->word, " ");
  at->bytes = strcspn(at->word, " ");
  at->row++;
  return SQLITE_OK;
}

static int mine_filter(sqlite3_vtab_cursor *cursor, int number, const char *plan, int count,
                       sqlite3_value **values) {
  (void)number, (void)plan;
  Cursor *at = (Cursor *)cursor;
  const char *text = count ? (const char *)sqlite3_value_text(values[0]) : 0;
  sqlite3_free(at->text);
  at->text = sqlite3_mprintf("%s", text ? text : "");
  if (!at->text) return SQLITE_NOMEM;
  at->word = at->text, at->bytes = 0, at->row = 0;
  return mine_next(cursor);
}

static int mine_eof(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->bytes == 0; }

static int mine_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  Cursor *at = (Cursor *)cursor;
  if (column == WORD) sqlite3_result_text(context, at->word, (int)at->bytes, SQLITE_TRANSIENT);
  else sqlite3_result_text(context, at->text, -1, SQLITE_TRANSIENT);
  return SQLITE_OK;
}

static int mine_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
  *row = ((Cursor *)cursor)->row;
  return SQLITE_OK;
}

/* Without xCreate it is a function only: no CREATE VIRTUAL TABLE. */
static const sqlite3_module MODULE = {
    .xConnect = mine_connect,
    .xBestIndex = mine_best_index,
    .xDisconnect = mine_disconnect,
    .xOpen = mine_open,
    .xClose = mine_close,
    .xFilter = mine_filter,
    .xNext = mine_next,
    .xEof = mine_eof,
    .xColumn = mine_column,
    .xRowid = mine_rowid,
};

int sqlite3_mine_init(sqlite3 *db, char **error, const sqlite3_api_routines *routines) {
  (void)error;
  SQLITE_EXTENSION_INIT2(routines);
  return sqlite3_create_module(db, "mine", &MODULE, 0);
}
