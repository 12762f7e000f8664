/* The methods of tables and cursors, as SQLite calls them. */
#include "tables.h"

static int connect(uint8_t method, sqlite3 *db, void *data, int count, const char *const *arguments,
                   sqlite3_vtab **made, char **message) {
  Module *module = data;
  EventReply reply;
  Table *table = sqlite3_malloc(sizeof(*table));
  if (!table) return SQLITE_NOMEM;
  memset(table, 0, sizeof(*table));
  table->db = db;
  Out out = method_begin(db, method, module->registered.number);
  out_u32(&out, (uint32_t)count);
  for (int i = 0; i < count; i++) out_text(&out, arguments[i]);
  event_send(&out, &reply);
  if (reply.code) {
    const char *text = in_text(&reply.in);
    if (text) *message = sqlite3_mprintf("%s", text);
    sqlite3_free(table);
  } else {
    table->number = in_u32(&reply.in);
    *made = &table->base;
  }
  reply_free(&reply);
  return reply.code;
}

static int on_create(sqlite3 *db, void *data, int count, const char *const *arguments,
                     sqlite3_vtab **made, char **message) {
  return connect(METHOD_CREATE, db, data, count, arguments, made, message);
}

static int on_connect(sqlite3 *db, void *data, int count, const char *const *arguments,
                      sqlite3_vtab **made, char **message) {
  return connect(METHOD_CONNECT, db, data, count, arguments, made, message);
}

static int of_table(uint8_t method, sqlite3_vtab *base) {
  Table *table = (Table *)base;
  Out out = method_begin(table->db, method, table->number);
  return method_send_for_code(&out, table);
}

static int end(uint8_t method, sqlite3_vtab *base) {
  Table *table = (Table *)base;
  while (table->functions) {
    Found *found = table->functions;
    table->functions = found->next;
    registered_free(found->function);
    sqlite3_free(found);
  }
  int code = of_table(method, base);
  if (code && method == METHOD_DESTROY) return code;
  sqlite3_free(table->base.zErrMsg);
  sqlite3_free(table);
  return code;
}

static int on_disconnect(sqlite3_vtab *base) { return end(METHOD_DISCONNECT, base); }

static int on_destroy(sqlite3_vtab *base) { return end(METHOD_DESTROY, base); }

static int on_open(sqlite3_vtab *base, sqlite3_vtab_cursor **opened) {
  Table *table = (Table *)base;
  EventReply reply;
  Cursor *cursor = sqlite3_malloc(sizeof(*cursor));
  if (!cursor) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(*cursor));
  Out out = method_begin(table->db, METHOD_OPEN, table->number);
  int code = method_send(&out, table, &reply);
  cursor->number = in_u32(&reply.in);
  reply_free(&reply);
  if (code) sqlite3_free(cursor);
  else *opened = &cursor->base;
  return code;
}

static Table *table_of(Cursor *cursor) { return (Table *)cursor->base.pVtab; }

static Out cursor_begin(Cursor *cursor, uint8_t method) {
  return method_begin(table_of(cursor)->db, method, cursor->number);
}

static int on_close(sqlite3_vtab_cursor *base) {
  Cursor *cursor = (Cursor *)base;
  Out out = cursor_begin(cursor, METHOD_CLOSE);
  int code = method_send_for_code(&out, table_of(cursor));
  sqlite3_free(cursor);
  return code;
}

/* A method that moves the cursor. */
static int move(Cursor *cursor, Out *out) {
  EventReply reply;
  int code = method_send(out, table_of(cursor), &reply);
  cursor->is_at_end = code || in_u8(&reply.in);
  reply_free(&reply);
  return code;
}

/* Send all values of an IN if xBestIndex requested them (sqlite3_vtab_in). */
static int put_argument(Out *out, sqlite3_value *value) {
  sqlite3_value *item;
  int code =
      sqlite3_value_type(value) == SQLITE_NULL ? sqlite3_vtab_in_first(value, &item) : SQLITE_ERROR;
  if (code == SQLITE_ERROR) {
    put_value(out, value);
    return SQLITE_OK;
  }
  out_u8(out, TAG_LIST);
  size_t start = out->count;
  out_u32(out, 0);
  for (; code == SQLITE_OK && item; code = sqlite3_vtab_in_next(value, &item)) put_value(out, item);
  if (!out->is_short) {
    uint32_t length = (uint32_t)(out->count - start - 4);
    memcpy(out->bytes + start, &length, 4);
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int on_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                     sqlite3_value **arguments) {
  Cursor *cursor = (Cursor *)base;
  int code = SQLITE_OK;
  PlanSeal seal = {{0}, false};
  if (text) memcpy(&seal, text + strlen(text) + 1, sizeof(seal));
  Out out = cursor_begin(cursor, METHOD_FILTER);
  out_u32(&out, (uint32_t)number);
  out_text(&out, seal.has_text ? text : NULL);
  out_raw(&out, seal.seal, sizeof(seal.seal));
  out_u32(&out, (uint32_t)count);
  for (int i = 0; i < count && !code; i++) code = put_argument(&out, arguments[i]);
  if (!code) return move(cursor, &out);
  out_free(&out);
  return code;
}

static int on_next(sqlite3_vtab_cursor *base) {
  Out out = cursor_begin((Cursor *)base, METHOD_NEXT);
  return move((Cursor *)base, &out);
}

/* xFilter and xNext have already received whether the cursor is at its end. */
static int on_eof(sqlite3_vtab_cursor *base) { return ((Cursor *)base)->is_at_end; }

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  Cursor *cursor = (Cursor *)base;
  EventReply reply;
  Out out = cursor_begin(cursor, METHOD_COLUMN);
  out_u32(&out, (uint32_t)column);
  out_u8(&out, (uint8_t)sqlite3_vtab_nochange(context));
  int code = method_send(&out, table_of(cursor), &reply);
  if (code == SQLITE_OK && in_u8(&reply.in)) {
    int failure = (int)in_u32(&reply.in);
    set_failure(context, failure, &reply.in);
  } else if (code == SQLITE_OK && in_left(&reply.in) && *reply.in.at != TAG_MISSING) {
    set_result(context, &reply.in);
  }
  reply_free(&reply);
  return code;
}

/* A method whose reply is a row id. */
static int row_id_of(Out *out, Table *table, sqlite3_int64 *row_id) {
  EventReply reply;
  int code = method_send(out, table, &reply);
  if (code == SQLITE_OK && in_left(&reply.in) >= 8) *row_id = (sqlite3_int64)in_u64(&reply.in);
  reply_free(&reply);
  return code;
}

static int on_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row_id) {
  Out out = cursor_begin((Cursor *)base, METHOD_ROWID);
  return row_id_of(&out, table_of((Cursor *)base), row_id);
}

static int on_update(sqlite3_vtab *base, int count, sqlite3_value **values, sqlite3_int64 *row_id) {
  Table *table = (Table *)base;
  Out out = method_begin(table->db, METHOD_UPDATE, table->number);
  out_u32(&out, (uint32_t)count);
  for (int i = 0; i < count; i++)
    put_value(&out, sqlite3_value_nochange(values[i]) ? NULL : values[i]);
  return row_id_of(&out, table, row_id);
}

static int on_begin(sqlite3_vtab *base) { return of_table(METHOD_BEGIN, base); }

static int on_sync(sqlite3_vtab *base) { return of_table(METHOD_SYNC, base); }

static int on_commit(sqlite3_vtab *base) { return of_table(METHOD_COMMIT, base); }

static int on_rollback(sqlite3_vtab *base) { return of_table(METHOD_ROLLBACK, base); }

static int with_number(uint8_t method, sqlite3_vtab *base, int number) {
  Table *table = (Table *)base;
  Out out = method_begin(table->db, method, table->number);
  out_u32(&out, (uint32_t)number);
  return method_send_for_code(&out, table);
}

static int on_savepoint(sqlite3_vtab *base, int number) {
  return with_number(METHOD_SAVEPOINT, base, number);
}

static int on_release(sqlite3_vtab *base, int number) {
  return with_number(METHOD_RELEASE, base, number);
}

static int on_rollback_to(sqlite3_vtab *base, int number) {
  return with_number(METHOD_ROLLBACK_TO, base, number);
}

/* The function with this id, stored in the table. */
static Registered *found(Table *table, uint32_t number) {
  for (Found *old = table->functions; old; old = old->next) {
    if (old->function->number == number) return old->function;
  }
  Found *new = sqlite3_malloc(sizeof(*new));
  Registered *function = new ? registered_new(table->db, number) : NULL;
  if (!function) {
    sqlite3_free(new);
    return NULL;
  }
  *new = (Found){table->functions, function};
  table->functions = new;
  return function;
}

static int on_find_function(sqlite3_vtab *base, int count, const char *name,
                            void (**call)(sqlite3_context *, int, sqlite3_value **), void **data) {
  Table *table = (Table *)base;
  EventReply reply;
  Out out = method_begin(table->db, METHOD_FIND_FUNCTION, table->number);
  out_u32(&out, (uint32_t)count);
  out_text(&out, name);
  int kind = method_send(&out, table, &reply) ? 0 : (int)in_u32(&reply.in);
  Registered *function = kind ? found(table, in_u32(&reply.in)) : NULL;
  reply_free(&reply);
  if (!function) return 0;
  *call = call_scalar;
  *data = function;
  return kind;
}

static int on_rename(sqlite3_vtab *base, const char *name) {
  Table *table = (Table *)base;
  Out out = method_begin(table->db, METHOD_RENAME, table->number);
  out_text(&out, name);
  return method_send_for_code(&out, table);
}

static int on_integrity(sqlite3_vtab *base, const char *schema, const char *name, int flags,
                        char **wrong) {
  Table *table = (Table *)base;
  EventReply reply;
  Out out = method_begin(table->db, METHOD_INTEGRITY, table->number);
  out_text(&out, schema);
  out_text(&out, name);
  out_u32(&out, (uint32_t)flags);
  int code = method_send(&out, table, &reply);
  const char *text = in_text(&reply.in);
  if (text) *wrong = sqlite3_mprintf("%s", text);
  reply_free(&reply);
  return code;
}

void set_methods(sqlite3_module *methods, uint32_t bits) {
  sqlite3_module all = {0,
                        on_create,
                        on_connect,
                        table_best_index,
                        on_disconnect,
                        on_destroy,
                        on_open,
                        on_close,
                        on_filter,
                        on_next,
                        on_eof,
                        on_column,
                        on_row_id,
                        on_update,
                        on_begin,
                        on_sync,
                        on_commit,
                        on_rollback,
                        on_find_function,
                        on_rename,
                        on_savepoint,
                        on_release,
                        on_rollback_to,
                        NULL,
                        on_integrity};
#define METHOD(bit, field) methods->field = bits & 1u << (bit) ? all.field : NULL;
  METHOD(METHOD_CREATE, xCreate)
  METHOD(METHOD_CONNECT, xConnect)
  METHOD(METHOD_BEST_INDEX, xBestIndex)
  METHOD(METHOD_DISCONNECT, xDisconnect)
  METHOD(METHOD_DESTROY, xDestroy)
  METHOD(METHOD_OPEN, xOpen)
  METHOD(METHOD_CLOSE, xClose)
  METHOD(METHOD_FILTER, xFilter)
  METHOD(METHOD_NEXT, xNext)
  METHOD(METHOD_EOF, xEof)
  METHOD(METHOD_COLUMN, xColumn)
  METHOD(METHOD_ROWID, xRowid)
  METHOD(METHOD_UPDATE, xUpdate)
  METHOD(METHOD_BEGIN, xBegin)
  METHOD(METHOD_SYNC, xSync)
  METHOD(METHOD_COMMIT, xCommit)
  METHOD(METHOD_ROLLBACK, xRollback)
  METHOD(METHOD_SAVEPOINT, xSavepoint)
  METHOD(METHOD_RELEASE, xRelease)
  METHOD(METHOD_ROLLBACK_TO, xRollbackTo)
  METHOD(METHOD_FIND_FUNCTION, xFindFunction)
  METHOD(METHOD_RENAME, xRename)
  METHOD(METHOD_INTEGRITY, xIntegrity)
#undef METHOD
  if (bits & 1u << METHOD_CREATE_IS_CONNECT) methods->xCreate = methods->xConnect;
}
