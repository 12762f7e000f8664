/* Transactions of tables, in the order in which SQLite calls their methods: modules rely on it. */

/* Limit on savepoints: a module may store something for each index below the last. */
#define MAX_SAVEPOINTS (1 << 16)

static bool is_savepoint(uint8_t method) { return method >= METHOD_SAVEPOINT; }

/* A method of a savepoint can run SQL, as FTS3's does, which has savepoints itself, and whose
** failure can roll back everything. Otherwise SQLite calls no method of a transaction within
** another one. */
static bool is_nested(const Entry *table, uint8_t method) {
  uint8_t outer = table->table.transaction;
  bool is_usual = is_savepoint(outer) && (is_savepoint(method) || method == METHOD_ROLLBACK);
  return outer && !is_usual;
}

static bool has_order(const Entry *table, uint8_t method) {
  if (is_nested(table, method)) return false;
  if (method != METHOD_BEGIN) return table->table.is_in_transaction;
  return !table->table.is_in_transaction || table->table.may_begin;
}

/* Whether SQLite could send this savepoint. SQLite counts savepoints even if a module has no
** xSavepoint. */
static bool has_savepoint(const Entry *table, uint8_t method, int number) {
  bool is_counted = table->owner->module.bits & 1u << METHOD_SAVEPOINT;
  int end = method == METHOD_SAVEPOINT || !is_counted ? MAX_SAVEPOINTS : table->table.savepoint;
  return number >= 0 && number < end;
}

static int call_transaction(Entry *table, uint8_t method, int number) {
  const sqlite3_module *methods = methods_of(table);
  sqlite3_vtab *vtab = table->table.vtab;
  switch (method) {
    case METHOD_BEGIN: return methods->xBegin(vtab);
    case METHOD_SYNC: return methods->xSync(vtab);
    case METHOD_COMMIT: return methods->xCommit(vtab);
    case METHOD_ROLLBACK: return methods->xRollback(vtab);
    case METHOD_SAVEPOINT: return methods->xSavepoint(vtab, number);
    case METHOD_RELEASE: return methods->xRelease(vtab, number);
    case METHOD_ROLLBACK_TO: return methods->xRollbackTo(vtab, number);
  }
  return SQLITE_INTERNAL;
}

static void on_transaction(MethodCall *call, Entry *table) {
  uint8_t method = call->method, outer = table->table.transaction;
  int number = is_savepoint(method) ? (int)in_u32(call->in) : 0;
  bool is_due =
      has_order(table, method) && (!is_savepoint(method) || has_savepoint(table, method, number));
  if (!is_due || call->in->is_bad) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  if (method == METHOD_SAVEPOINT) table->table.savepoint = number + 1;
  table->table.transaction = method;
  int code = call_transaction(table, method, number);
  table->table.transaction = outer;
  bool is_end = method == METHOD_COMMIT || method == METHOD_ROLLBACK;
  if (method == METHOD_BEGIN) table->table.is_in_transaction = code == SQLITE_OK;
  if (is_end) table->table.is_in_transaction = false;
  if (is_end) table->table.savepoint = 0;
  if (is_end || method == METHOD_BEGIN) table->table.may_begin = false;
  put_outcome(call, table, code);
}
