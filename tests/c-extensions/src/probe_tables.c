/* Probes of virtual tables: one that can be written and keeps a record of its calls. */
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT3

/* What was called, for `p_log()`. */
static sqlite3_str *log_text;

void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!log_text) log_text = sqlite3_str_new(0);
  sqlite3_str_vappendf(log_text, format, arguments);
  sqlite3_str_appendchar(log_text, 1, '\n');
  va_end(arguments);
}

static void p_log(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  char *text = log_text ? sqlite3_str_finish(log_text) : 0;
  log_text = 0;
  sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* p_store: rows of one value, with a record of what is called. */

typedef struct {
  sqlite3_vtab base;
  sqlite3 *db;
  sqlite3_int64 ids[100];
  char *texts[100];
  int count;
} Store;

typedef struct {
  sqlite3_vtab_cursor base;
  int row;
} StoreCursor;

static int connect_store(sqlite3 *db, void *data, int count, const char *const *words,
                         sqlite3_vtab **table, char **error) {
  (void)data;
  note("connect %s %s.%s %d", words[0], words[1], words[2], count - 3);
  if (count > 3 && !strcmp(words[3], "fail")) {
    *error = sqlite3_mprintf("refused: %s", words[3]);
    return SQLITE_CONSTRAINT;
  }
  if (count > 3 && !strcmp(words[3], "undeclared")) {
    *table = sqlite3_malloc(sizeof(Store));
    memset(*table, 0, sizeof(Store));
    return SQLITE_OK;
  }
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(id, text, more)");
  if (code) return code;
  Store *store = sqlite3_malloc(sizeof(Store));
  memset(store, 0, sizeof(Store));
  store->db = db;
  *table = &store->base;
  return SQLITE_OK;
}

static int create_store(sqlite3 *db, void *data, int count, const char *const *words,
                        sqlite3_vtab **table, char **error) {
  note("create");
  return connect_store(db, data, count, words, table, error);
}

static int free_store(sqlite3_vtab *table) {
  Store *store = (Store *)table;
  for (int i = 0; i < store->count; i++) sqlite3_free(store->texts[i]);
  sqlite3_free(store);
  return SQLITE_OK;
}

static int destroy_store(sqlite3_vtab *table) {
  note("destroy");
  return free_store(table);
}

static int plan_store(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  info->estimatedCost = 100;
  return SQLITE_OK;
}

static int open_store(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = sqlite3_malloc(sizeof(StoreCursor));
  memset(*cursor, 0, sizeof(StoreCursor));
  return SQLITE_OK;
}

static int close_store(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static int filter_store(sqlite3_vtab_cursor *base, int number, const char *plan, int count,
                        sqlite3_value **values) {
  (void)number, (void)plan, (void)count, (void)values;
  ((StoreCursor *)base)->row = 0;
  return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base) {
  ((StoreCursor *)base)->row++;
  return SQLITE_OK;
}

static int end_of_store(sqlite3_vtab_cursor *base) {
  return ((StoreCursor *)base)->row >= ((Store *)base->pVtab)->count;
}

static int store_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  Store *store = (Store *)base->pVtab;
  int row = ((StoreCursor *)base)->row;
  /* Not of every column, and of texts not in every row. */
  int asks = column == 2 || (column == 1 && store->ids[row] < 1000);
  if (asks && sqlite3_vtab_nochange(context)) return SQLITE_OK;
  if (column == 2) return SQLITE_OK;
  if (column == 0) {
    sqlite3_result_int64(context, store->ids[row]);
  } else if (store->texts[row] && !strcmp(store->texts[row], "broken")) {
    base->pVtab->zErrMsg = sqlite3_mprintf("a broken row");
    return SQLITE_CORRUPT;
  } else {
    sqlite3_result_text(context, store->texts[row], -1, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

static int store_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row_id) {
  *row_id = ((Store *)base->pVtab)->ids[((StoreCursor *)base)->row];
  return SQLITE_OK;
}

static void remove_row(Store *store, sqlite3_int64 id) {
  for (int i = 0; i < store->count; i++) {
    if (store->ids[i] != id) continue;
    sqlite3_free(store->texts[i]);
    store->count--;
    store->ids[i] = store->ids[store->count];
    store->texts[i] = store->texts[store->count];
    return;
  }
}

static int update_store(sqlite3_vtab *table, int count, sqlite3_value **values,
                        sqlite3_int64 *row_id) {
  Store *store = (Store *)table;
  sqlite3_str *text = sqlite3_str_new(0);
  for (int i = 0; i < count; i++) {
    sqlite3_str_appendf(text, " %s", sqlite3_value_nochange(values[i]) ? "same " : "");
    add_value(text, values[i]);
    if (sqlite3_value_subtype(values[i]))
      sqlite3_str_appendf(text, "/%d", sqlite3_value_subtype(values[i]));
  }
  char *line = sqlite3_str_finish(text);
  note("update%s, conflict %d", line, sqlite3_vtab_on_conflict(store->db));
  sqlite3_free(line);
  if (count > 1 && sqlite3_value_type(values[3]) == SQLITE_TEXT &&
      !strcmp((const char *)sqlite3_value_text(values[3]), "refused")) {
    table->zErrMsg = sqlite3_mprintf("this text is refused");
    return SQLITE_CONSTRAINT;
  }
  if (sqlite3_value_type(values[0]) != SQLITE_NULL)
    remove_row(store, sqlite3_value_int64(values[0]));
  if (count == 1 || store->count == 100) return SQLITE_OK;
  sqlite3_int64 id = sqlite3_value_type(values[1]) == SQLITE_NULL ? store->count + 1000
                                                                  : sqlite3_value_int64(values[1]);
  store->ids[store->count] = id;
  store->texts[store->count++] = sqlite3_mprintf("%s", sqlite3_value_text(values[3]));
  *row_id = id;
  return SQLITE_OK;
}

#define STEP(name) \
  static int name##_store(sqlite3_vtab *table) { \
    (void)table; \
    note(#name); \
    return SQLITE_OK; \
  }
#define NUMBERED(name) \
  static int name##_store(sqlite3_vtab *table, int number) { \
    (void)table; \
    note(#name " %d", number); \
    return SQLITE_OK; \
  }
STEP(begin)
STEP(sync)
STEP(commit)
STEP(rollback)
NUMBERED(savepoint)
NUMBERED(release)
NUMBERED(rollback_to)

static int rename_store(sqlite3_vtab *table, const char *name) {
  note("rename %s", name);
  if (strcmp(name, "forbidden") != 0) return SQLITE_OK;
  table->zErrMsg = sqlite3_mprintf("a forbidden name");
  return SQLITE_ERROR;
}

static int is_shadow(const char *name) { return !sqlite3_stricmp(name, "hidden"); }

static int check_store(sqlite3_vtab *table, const char *schema, const char *name, int flags,
                       char **error) {
  (void)flags;
  if (((Store *)table)->count > 2)
    *error = sqlite3_mprintf("more than two rows in %s.%s", schema, name);
  return SQLITE_OK;
}

static const sqlite3_module stores = {
    .iVersion = 4,
    .xCreate = create_store,
    .xConnect = connect_store,
    .xBestIndex = plan_store,
    .xDisconnect = free_store,
    .xDestroy = destroy_store,
    .xOpen = open_store,
    .xClose = close_store,
    .xFilter = filter_store,
    .xNext = next_row,
    .xEof = end_of_store,
    .xColumn = store_column,
    .xRowid = store_row_id,
    .xUpdate = update_store,
    .xBegin = begin_store,
    .xSync = sync_store,
    .xCommit = commit_store,
    .xRollback = rollback_store,
    .xRename = rename_store,
    .xSavepoint = savepoint_store,
    .xRelease = release_store,
    .xRollbackTo = rollback_to_store,
    .xShadowName = is_shadow,
    .xIntegrity = check_store,
};

/* p_keep_modules(NAMES): all others are dropped. */
static void p_keep_modules(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *kept[200] = {0};
  char *names = sqlite3_mprintf("%s", sqlite3_value_text(values[0])), *next = names;
  for (int i = 0; next && i < 199; i++) {
    kept[i] = next;
    next = strchr(next, ',');
    if (next) *next++ = 0;
  }
  sqlite3_result_int(context, sqlite3_drop_modules(sqlite3_context_db_handle(context), kept));
  sqlite3_free(names);
}

int probe_tables(sqlite3 *db) {
  int code = sqlite3_create_function(db, "p_log", 0, SQLITE_UTF8, 0, p_log, 0, 0);
  if (!code)
    code = sqlite3_create_function(db, "p_keep_modules", 1, SQLITE_UTF8, 0, p_keep_modules, 0, 0);
  if (!code) code = probe_numbers(db);
  if (!code) code = sqlite3_create_module_v2(db, "p_store", &stores, 0, 0);
  if (!code) code = sqlite3_create_module(db, "p_dropped", &stores, 0);
  return code;
}
