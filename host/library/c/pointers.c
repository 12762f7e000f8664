/* Pointers of the program as parameters. */

EXPORT int sqlite3_bind_pointer(sqlite3_stmt *statement, int index, void *pointer, const char *type,
                                void (*destructor)(void *)) {
  int code = begin_bind(statement, index);
  Entry *entry = code ? NULL : entry_new(statement->connection->sandbox, POINTER);
  if (!entry) {
    if (destructor) destructor(pointer);
    return code ? code : leave_with(statement->connection, fail_no_memory(statement->connection));
  }
  entry->data = pointer;
  entry->pointer_type = type ? type : "";
  entry->destroy = destructor;
  Out *bindings = call_bind(statement, index);
  out_u8(bindings, TAG_POINTER);
  out_u32(bindings, entry->number);
  return end_bind(statement);
}

/* Deprecated by SQLite; bindings cannot be read from the engine. */
EXPORT int sqlite3_transfer_bindings(sqlite3_stmt *from, sqlite3_stmt *to) {
  (void)from;
  (void)to;
  return SQLITE_ERROR;
}
