/* The C code of the library with a broken engine, which this program plays: it sends events that
** SQLite never sends. What the program's callbacks have must stay, and they see no nonsense. */
#include "library.c"

#include "broken/engine.c"

static Sandbox sandbox;
static Connection connection = {.sandbox = &sandbox, .id = 1};

static int failures;

#define IS(found, wanted) \
  if ((long long)(found) != (long long)(wanted)) \
  failures++, fprintf(stderr, "line %d: %s is %lld, not %lld\n", __LINE__, #found, \
                      (long long)(found), (long long)(wanted))

static Out event(uint8_t kind) {
  Out out = {0};
  out_u8(&out, kind);
  out_u32(&out, connection.id);
  return out;
}

static Out method(uint8_t kind, uint32_t number) {
  Out out = event(EVENT_METHOD);
  out_u8(&out, kind);
  out_u32(&out, number);
  return out;
}

static In replied;

/* The code of the reply; -1 without one. */
static int sent(Out out) {
  size_t count;
  const uint8_t *reply = library_event(&sandbox, out.bytes, out.count, &count);
  sqlite3_free(out.bytes);
  replied = (In){reply, reply + count, false};
  return count ? (int)in_u32(&replied) : -1;
}

static int sent_destroy(uint32_t number) {
  Out out = event(EVENT_DESTROY);
  out_u32(&out, number);
  return sent(out);
}

static int sent_number(uint8_t kind, uint32_t object, uint32_t number) {
  Out out = method(kind, object);
  out_u32(&out, number);
  return sent(out);
}

/* A module whose methods send events. */

static uint32_t table, cursor, pointer, function;
static int opened, pointers_ended, destroyed, inner, transactions;

static int on_making(sqlite3 *db, void *data, int count, const char *const *texts,
                     sqlite3_vtab **made, char **message) {
  *made = sqlite3MallocZero(sizeof(sqlite3_vtab));
  return SQLITE_OK;
}

static int on_planning(sqlite3_vtab *vtab, sqlite3_index_info *info) { return SQLITE_OK; }

static int on_ending(sqlite3_vtab *vtab) { return sqlite3_free(vtab), SQLITE_OK; }

static int on_destroying(sqlite3_vtab *vtab) {
  inner = sent(method(METHOD_OPEN, table));
  if (destroyed++ == 0) return SQLITE_LOCKED;
  return on_ending(vtab);
}

static int on_opening(sqlite3_vtab *vtab, sqlite3_vtab_cursor **made) {
  opened++;
  *made = sqlite3MallocZero(sizeof(sqlite3_vtab_cursor));
  return SQLITE_OK;
}

static int on_closing(sqlite3_vtab_cursor *closed) { return sqlite3_free(closed), SQLITE_OK; }

static int on_filtering(sqlite3_vtab_cursor *moved, int number, const char *text, int count,
                        sqlite3_value **values) {
  if (!count) return SQLITE_OK;
  sent_destroy(pointer);
  IS(sqlite3_value_pointer(values[0], "kind") != NULL, 1);
  IS(pointers_ended, 0);
  return SQLITE_OK;
}

static int on_step_or_end(sqlite3_vtab_cursor *moved) { return 1; }

static int on_transaction_step(sqlite3_vtab *vtab) { return transactions++, SQLITE_OK; }

static int on_syncing(sqlite3_vtab *vtab) {
  inner = sent(method(METHOD_COMMIT, table));
  return transactions++, SQLITE_OK;
}

static int on_savepoint_step(sqlite3_vtab *vtab, int number) {
  if (number == 4) inner = sent_number(METHOD_SAVEPOINT, table, 5);
  return transactions++, SQLITE_OK;
}

static const sqlite3_module module = {.iVersion = 2,
                                      .xCreate = on_making,
                                      .xConnect = on_making,
                                      .xBestIndex = on_planning,
                                      .xDisconnect = on_ending,
                                      .xDestroy = on_destroying,
                                      .xOpen = on_opening,
                                      .xClose = on_closing,
                                      .xFilter = on_filtering,
                                      .xEof = on_step_or_end,
                                      .xBegin = on_transaction_step,
                                      .xSync = on_syncing,
                                      .xCommit = on_transaction_step,
                                      .xRollback = on_transaction_step,
                                      .xSavepoint = on_savepoint_step,
                                      .xRelease = on_savepoint_step,
                                      .xRollbackTo = on_savepoint_step};

static uint32_t new_module(void) {
  Entry *entry = entry_new(&sandbox, MODULE);
  entry->connection = &connection;
  entry->module.methods = &module;
  /* Its tables are connected, and created by nobody. */
  entry->module.bits = bits_of(&module) & ~(1u << METHOD_CREATE_IS_CONNECT);
  return entry->number;
}

static uint32_t new_test_table(uint32_t of) {
  Out out = method(METHOD_CONNECT, of);
  out_u32(&out, 3);
  for (int i = 0; i < 3; i++) out_text(&out, "x");
  IS(sent(out), SQLITE_OK);
  return in_u32(&replied);
}

static uint32_t new_cursor(void) {
  IS(sent(method(METHOD_OPEN, table)), SQLITE_OK);
  return in_u32(&replied);
}

static void end_pointer(void *data) { pointers_ended++; }

static uint32_t new_pointer(void) {
  static int something;
  Entry *entry = entry_new(&sandbox, POINTER);
  entry->data = &something;
  entry->pointer_type = "kind";
  entry->destroy = end_pointer;
  pointers_ended = 0;
  return entry->number;
}

static int sent_filter(uint32_t count) {
  Out out = method(METHOD_FILTER, cursor);
  out_u32(&out, 0);
  out_text(&out, NULL);
  out_u64(&out, 7);
  out_u32(&out, count);
  for (uint32_t i = 0; i < count; i++) {
    out_u8(&out, TAG_POINTER);
    out_u32(&out, pointer);
  }
  return sent(out);
}

/* Functions. */

static void scalar_step(sqlite3_context *context, int count, sqlite3_value **values) {
  uint32_t attached;
  int former = pointers_ended;
  sent_destroy(pointer);
  IS(pointers_ended, former);
  IS(sqlite3_value_pointer(values[0], "kind") != NULL, 1);
  void *got = sqlite3_get_auxdata(context, 0);
  if (got) {
    memcpy(&attached, got, 4);
    sent_destroy(attached);
    IS(destroyed, 0);
    IS(sqlite3_get_auxdata(context, 0) == NULL, 1);
  }
  sqlite3_result_value(context, values[0]);
}

static void deep_step(sqlite3_context *context, int count, sqlite3_value **values);

static uint32_t new_function(void (*step)(sqlite3_context *, int, sqlite3_value **)) {
  Entry *entry = entry_new(&sandbox, FUNCTION);
  entry->function = (FuncDef){
      .nArg = -1, .funcFlags = SQLITE_UTF8, .xSFunc = step, .zName = sqlite3_mprintf("f")};
  return entry->number;
}

static int sent_scalar(bool has_pointer, uint32_t auxiliary) {
  Out out = event(EVENT_SCALAR);
  out_u32(&out, function);
  out_u32(&out, has_pointer);
  if (has_pointer) {
    out_u8(&out, TAG_POINTER);
    out_u32(&out, pointer);
  }
  out_u32(&out, auxiliary != 0);
  out_u32(&out, 0);
  out_u32(&out, auxiliary);
  return sent(out);
}

static void deep_step(sqlite3_context *context, int count, sqlite3_value **values) {
  opened++;
  inner = sent_scalar(false, 0);
}

static void end_auxiliary(void *data) { destroyed++; }

/* Shapes. */

static int queries;

static int on_query_shape(sqlite3_rtree_query_info *info) {
  double sum = 0;
  for (int i = 0; i < MAX_COORDINATES; i++) sum += info->aCoord[i];
  IS(sum, info->nCoord);
  info->pUser = &queries;
  return queries++, SQLITE_OK;
}

static int sent_shape(uint32_t shape, uint32_t data, uint32_t parameters, uint32_t coordinates) {
  double one = 1;
  Out out = event(EVENT_SHAPE);
  out_u32(&out, shape);
  out_u32(&out, data);
  out_u32(&out, parameters);
  for (uint32_t i = 0; i < parameters; i++) out_raw(&out, &one, 8);
  out_u32(&out, coordinates);
  for (uint32_t i = 0; i < coordinates; i++) out_raw(&out, &one, 8);
  for (int i = 0; i < 3; i++) out_u32(&out, 0);
  out_u64(&out, 1);
  out_raw(&out, &one, 8);
  out_u32(&out, 0);
  for (uint32_t i = 0; i < parameters; i++) out_u8(&out, TAG_NULL);
  return sent(out);
}

/* The tests. */

static void a_table_is_not_found_while_it_is_destroyed(void) {
  uint32_t of = new_module();
  table = new_test_table(of);
  IS(sent(method(METHOD_DESTROY, table)), SQLITE_LOCKED);
  IS(inner, SQLITE_INTERNAL);
  cursor = new_cursor();
  IS(sent(method(METHOD_DESTROY, table)), SQLITE_INTERNAL);
  IS(sent(method(METHOD_CLOSE, cursor)), SQLITE_OK);
  IS(sent(method(METHOD_DESTROY, table)), SQLITE_OK);
  IS(inner, SQLITE_INTERNAL);
  IS(opened, 1);
  IS(sent(method(METHOD_OPEN, table)), SQLITE_INTERNAL);
  table = new_test_table(of);
}

static void pointers_stay(void) {
  cursor = new_cursor();
  pointer = new_pointer();
  IS(sent_filter(1), SQLITE_OK);
  IS(pointers_ended, 0);
  IS(sent_filter(0), SQLITE_OK);
  IS(pointers_ended, 1);
  IS(sent(method(METHOD_CLOSE, cursor)), SQLITE_OK);
  pointer = new_pointer();
  function = new_function(scalar_step);
  IS(sent_scalar(true, 0), SQLITE_OK);
  IS(in_u8(&replied), TAG_POINTER);
  /* The function gave it back. */
  IS(pointers_ended, 0);
  sent_destroy(in_u32(&replied));
  IS(pointers_ended, 1);
}

static void auxiliary_data_stays(void) {
  uint32_t number;
  Entry *entry = entry_new(&sandbox, AUXILIARY);
  entry->data = &number;
  entry->destroy = end_auxiliary;
  entry->auxiliary.function = sandbox.entries[function];
  number = entry->number;
  pointer = new_pointer();
  destroyed = 0;
  IS(sent_scalar(true, number), SQLITE_OK);
  IS(destroyed, 1);
}

static void shapes_keep_their_numbers(void) {
  Entry *entry = entry_new(&sandbox, SHAPE);
  entry->shape.query = on_query_shape;
  uint32_t shape = entry->number;
  IS(sent_shape(shape, 0, 1, 4), SQLITE_OK);
  uint32_t data = in_u32(&replied);
  IS(sent_shape(shape, data, 1, 4), SQLITE_OK);
  IS(sent_shape(shape, data, 2, 4), SQLITE_INTERNAL);
  IS(sent_shape(shape, data, 1, 6), SQLITE_INTERNAL);
  IS(sent_shape(shape, 0, 1, 12), SQLITE_INTERNAL);
  IS(queries, 2);
}

static void *no_memory(int bytes) { return NULL; }

static void without_memory_there_is_no_seal(void) {
  void *(*before)(int) = sqlite3GlobalConfig.m.xMalloc;
  uint64_t seal;
  Entry *entry = sandbox.entries[table];
  IS(seal_of(&sandbox, entry, 0, NULL, 0, &seal), 1);
  sqlite3GlobalConfig.m.xMalloc = no_memory;
  bool is_sealed = seal_of(&sandbox, entry, 0, NULL, 0, &seal);
  sqlite3GlobalConfig.m.xMalloc = before;
  IS(is_sealed, 0);
}

static void transactions_have_an_order(void) {
  IS(sent(method(METHOD_COMMIT, table)), SQLITE_INTERNAL);
  IS(sent_number(METHOD_SAVEPOINT, table, 0), SQLITE_INTERNAL);
  IS(sent(method(METHOD_BEGIN, table)), SQLITE_OK);
  IS(sent(method(METHOD_BEGIN, table)), SQLITE_INTERNAL);
  IS(sent_number(METHOD_RELEASE, table, 0), SQLITE_INTERNAL);
  IS(sent_number(METHOD_SAVEPOINT, table, (uint32_t)-1), SQLITE_INTERNAL);
  IS(sent_number(METHOD_SAVEPOINT, table, MAX_SAVEPOINTS), SQLITE_INTERNAL);
  IS(sent_number(METHOD_SAVEPOINT, table, 3), SQLITE_OK);
  IS(sent_number(METHOD_ROLLBACK_TO, table, 4), SQLITE_INTERNAL);
  IS(sent_number(METHOD_ROLLBACK_TO, table, 3), SQLITE_OK);
  IS(sent_number(METHOD_RELEASE, table, 2), SQLITE_OK);
  inner = -2;
  IS(sent_number(METHOD_SAVEPOINT, table, 4), SQLITE_OK);
  IS(inner, SQLITE_OK);
  transactions = 0;
  IS(sent(method(METHOD_SYNC, table)), SQLITE_OK);
  IS(inner, SQLITE_INTERNAL);
  IS(transactions, 1);
  IS(sent(method(METHOD_COMMIT, table)), SQLITE_OK);
  IS(sent(method(METHOD_BEGIN, table)), SQLITE_OK);
  IS(sent_number(METHOD_RELEASE, table, 0), SQLITE_INTERNAL);
  IS(sent(method(METHOD_ROLLBACK, table)), SQLITE_OK);
}

static void events_do_not_nest_without_end(void) {
  function = new_function(deep_step);
  opened = 0;
  IS(sent_scalar(false, 0), SQLITE_OK);
  IS(opened, MAX_EVENT_DEPTH);
  opened = 0;
  IS(sent_scalar(false, 0), SQLITE_OK);
  IS(opened, MAX_EVENT_DEPTH);
}

static void cursors_have_an_end(void) {
  for (int i = 0; i < MAX_CURSORS; i++) cursor = new_cursor();
  IS(sent(method(METHOD_OPEN, table)), SQLITE_NOMEM);
  IS(sent(method(METHOD_CLOSE, cursor)), SQLITE_OK);
  cursor = new_cursor();
}

static void texts_have_an_end(void) {
  char text[12];
  for (int i = 0; i <= MAX_TEXTS; i++) {
    snprintf(text, sizeof(text), "%d", i);
    const char *kept = keep_text(&connection, text, false);
    IS(kept != NULL, i < MAX_TEXTS);
  }
  IS(keep_text(&connection, "7", false) != NULL, 1);
  free_texts(&connection);
}

#include "broken/rows.c"

int main(void) {
  sqlite3_initialize();
  sandbox.connections = &connection;
  connection.db.enc = SQLITE_UTF8;
  memcpy(connection.db.aLimit, aHardLimit, sizeof(aHardLimit));
  a_table_is_not_found_while_it_is_destroyed();
  pointers_stay();
  auxiliary_data_stays();
  shapes_keep_their_numbers();
  without_memory_there_is_no_seal();
  transactions_have_an_order();
  events_do_not_nest_without_end();
  cursors_have_an_end();
  texts_have_an_end();
  a_row_in_use_is_not_traced();
  IS(sandbox.depth, 0);
  entries_free(&sandbox);
  return failures != 0;
}
