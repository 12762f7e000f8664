/* Transactions of tables. */

static void on_transaction(MethodCall *call, Entry *table) {
  const sqlite3_module *methods = methods_of(table);
  sqlite3_vtab *vtab = table->table.vtab;
  int code = SQLITE_INTERNAL, number = 0;
  if (call->method >= METHOD_SAVEPOINT) number = (int)in_u32(call->in);
  bool is_beginning = call->method == METHOD_BEGIN;
  if (table->table.is_in_transaction == is_beginning) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  switch (call->method) {
    case METHOD_BEGIN: code = methods->xBegin(vtab); break;
    case METHOD_SYNC: code = methods->xSync(vtab); break;
    case METHOD_COMMIT: code = methods->xCommit(vtab); break;
    case METHOD_ROLLBACK: code = methods->xRollback(vtab); break;
    case METHOD_SAVEPOINT: code = methods->xSavepoint(vtab, number); break;
    case METHOD_RELEASE: code = methods->xRelease(vtab, number); break;
    case METHOD_ROLLBACK_TO: code = methods->xRollbackTo(vtab, number); break;
  }
  if (is_beginning) table->table.is_in_transaction = code == SQLITE_OK;
  bool is_end = call->method == METHOD_COMMIT || call->method == METHOD_ROLLBACK;
  if (is_end) table->table.is_in_transaction = false;
  put_outcome(call, table, code);
}
