/* Parameters. Bindings wait for the next step. */

/* Whether the parameter may be bound now; if so, the connection is entered. */
static int begin_bind(Statement *statement, int index) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  Connection *connection = statement->connection;
  enter(connection);
  if (statement->state != READY) {
    sqlite3_log(SQLITE_MISUSE, "bind on a busy prepared statement: [%s]", statement->sql);
    return leave_with(connection, fail(connection, SQLITE_MISUSE, NULL));
  }
  if (index < 1 || (uint32_t)index > statement->parameter_count) {
    return leave_with(connection, fail(connection, SQLITE_RANGE, NULL));
  }
  set_code(connection, SQLITE_OK);
  return SQLITE_OK;
}

static Out *bind_call(Statement *statement, int index) {
  Connection *connection = statement->connection;
  Out *work = &connection->work;
  bool is_next = work->count && work->count == connection->bound_end &&
                 connection->bound_statement == statement->handle &&
                 connection->bound_index + 1 == (uint32_t)index;
  if (is_next) {
    out_u8(work, CALL_BIND_NEXT);
  } else {
    call_on(connection, CALL_BIND, statement->handle);
    out_u32(work, (uint32_t)index);
  }
  connection->bound_statement = statement->handle;
  connection->bound_index = (uint32_t)index;
  return work;
}

static int end_bind(Statement *statement) {
  Connection *connection = statement->connection;
  connection->bound_end = connection->work.count;
  call_later(connection);
  return leave_with(connection, SQLITE_OK);
}

static int too_big(Statement *statement) {
  return leave_with(statement->connection, fail(statement->connection, SQLITE_TOOBIG, NULL));
}

static void destroy(const void *data, void (*destructor)(void *)) {
  if (destructor != SQLITE_STATIC && destructor != SQLITE_TRANSIENT) destructor((void *)data);
}

static bool is_too_long(Statement *statement, sqlite3_uint64 count) {
  return count > (sqlite3_uint64)statement->connection->db.aLimit[SQLITE_LIMIT_LENGTH];
}

static int bind_bytes(Statement *statement, int index, uint8_t tag, const void *bytes,
                      sqlite3_uint64 count) {
  int code = begin_bind(statement, index);
  if (code) return code;
  if (bytes && is_too_long(statement, count)) return too_big(statement);
  Out *work = bind_call(statement, index);
  out_u8(work, bytes ? tag : TAG_NULL);
  if (bytes) out_bytes(work, bytes, count);
  return end_bind(statement);
}

/* Text in UTF-16 crosses as UTF-8. */
static int bind_utf16(Statement *statement, int index, const void *text, sqlite3_uint64 count,
                      uint8_t encoding) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  if (count > SQLITE_MAX_LENGTH) {
    int code = begin_bind(statement, index);
    return code ? code : too_big(statement);
  }
  sqlite3_value *value = sqlite3ValueNew(0);
  sqlite3ValueSetStr(value, (int)(count & ~(sqlite3_uint64)1), text, encoding, SQLITE_STATIC);
  const void *utf8 = sqlite3ValueText(value, SQLITE_UTF8);
  /* Not up to its first zero: the text may have several. */
  int code = utf8 ? bind_bytes(statement, index, TAG_TEXT, utf8,
                               (size_t)sqlite3ValueBytes(value, SQLITE_UTF8))
                  : SQLITE_NOMEM_BKPT;
  sqlite3ValueFree(value);
  return code;
}

EXPORT int sqlite3_bind_blob64(sqlite3_stmt *statement, int index, const void *bytes,
                               sqlite3_uint64 count, void (*destructor)(void *)) {
  int code = bind_bytes(statement, index, TAG_BLOB, bytes, count);
  destroy(bytes, destructor);
  return code;
}

EXPORT int sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count,
                             void (*destructor)(void *)) {
  return count < 0 ? SQLITE_MISUSE_BKPT
                   : sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count, destructor);
}

EXPORT int sqlite3_bind_text64(sqlite3_stmt *statement, int index, const char *text,
                               sqlite3_uint64 count, void (*destructor)(void *),
                               unsigned char encoding) {
  int code;
  if (!text || encoding == SQLITE_UTF8 || encoding == SQLITE_UTF8_ZT) {
    code = bind_bytes(statement, index, TAG_TEXT, text, count);
  } else {
    code = bind_utf16(statement, index, text, count,
                      encoding == SQLITE_UTF16BE ? SQLITE_UTF16BE : SQLITE_UTF16LE);
  }
  destroy(text, destructor);
  return code;
}

EXPORT int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int count,
                             void (*destructor)(void *)) {
  size_t length = count >= 0 ? (size_t)count : text ? strlen(text) : 0;
  return sqlite3_bind_text64(statement, index, text, length, destructor, SQLITE_UTF8);
}

EXPORT int sqlite3_bind_text16(sqlite3_stmt *statement, int index, const void *text, int count,
                               void (*destructor)(void *)) {
  size_t length = count >= 0 ? (size_t)count : 0;
  const uint16_t *units = text;
  while (count < 0 && text && units[length / 2]) length += 2;
  return sqlite3_bind_text64(statement, index, text, length, destructor, SQLITE_UTF16NATIVE);
}

EXPORT int sqlite3_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 number) {
  int code = begin_bind(statement, index);
  if (code) return code;
  out_tagged(bind_call(statement, index), TAG_INTEGER, (uint64_t)number);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_int(sqlite3_stmt *statement, int index, int number) {
  return sqlite3_bind_int64(statement, index, number);
}

EXPORT int sqlite3_bind_double(sqlite3_stmt *statement, int index, double number) {
  int code = begin_bind(statement, index);
  if (code) return code;
  put_number(bind_call(statement, index), TAG_REAL, &number);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_null(sqlite3_stmt *statement, int index) {
  return bind_bytes(statement, index, TAG_NULL, NULL, 0);
}

EXPORT int sqlite3_bind_zeroblob64(sqlite3_stmt *statement, int index, sqlite3_uint64 count) {
  int code = begin_bind(statement, index);
  if (code) return code;
  if (is_too_long(statement, count)) return too_big(statement);
  out_tagged(bind_call(statement, index), TAG_ZEROS, count);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int index, int count) {
  return sqlite3_bind_zeroblob64(statement, index, count < 0 ? 0 : (sqlite3_uint64)count);
}

/* Like SQLite, this does not bind pointers. */
EXPORT int sqlite3_bind_value(sqlite3_stmt *statement, int index, const sqlite3_value *value) {
  int code = begin_bind(statement, index);
  if (code) return code;
  sqlite3_value *copy = sqlite3_value_dup(value);
  Out *work = bind_call(statement, index);
  if (copy) {
    Mem *mem = copy;
    mem->flags &= ~MEM_Subtype;
    put_value(work, copy);
  } else {
    out_u8(work, TAG_NULL);
  }
  sqlite3_value_free(copy);
  return end_bind(statement);
}

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
  Out *work = bind_call(statement, index);
  out_u8(work, TAG_POINTER);
  out_u32(work, entry->number);
  return end_bind(statement);
}

EXPORT int sqlite3_clear_bindings(sqlite3_stmt *statement) {
  if (!statement) return SQLITE_MISUSE_BKPT;
  enter(statement->connection);
  call_on(statement->connection, CALL_CLEAR_BINDINGS, statement->handle);
  call_later(statement->connection);
  return leave_with(statement->connection, SQLITE_OK);
}

EXPORT int sqlite3_bind_parameter_count(sqlite3_stmt *statement) {
  return statement ? (int)statement->parameter_count : 0;
}

EXPORT int sqlite3_bind_parameter_index(sqlite3_stmt *statement, const char *name) {
  if (!statement || !name) return 0;
  for (uint32_t i = 0; i < statement->parameter_count; i++) {
    const char *other = statement->parameters[i];
    if (other && strcmp(other, name) == 0) return (int)i + 1;
  }
  return 0;
}

EXPORT const char *sqlite3_bind_parameter_name(sqlite3_stmt *statement, int index) {
  if (!statement || index < 1 || (uint32_t)index > statement->parameter_count) return NULL;
  return statement->parameters[index - 1];
}

/* Deprecated by SQLite; bindings cannot be read from the engine. */
EXPORT int sqlite3_transfer_bindings(sqlite3_stmt *from, sqlite3_stmt *to) {
  (void)from;
  (void)to;
  return SQLITE_ERROR;
}
