/* Parameters. Bindings wait for the next step. */

/* Whether the parameter may be bound now; if so, the connection is entered. */
static int begin_bind(Statement *statement, int index) {
  if (!statement) return MISUSE;
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

static Out *call_bind(Statement *statement, int index) {
  Client *client = &statement->connection->client;
  Out *bindings = bindings_of(statement);
  bool is_next = bindings->count && bindings->count == client->bound_end &&
                 client->bound == statement && client->bound_index + 1 == (uint32_t)index;
  out_begin(bindings);
  if (is_next) {
    out_u8(bindings, OP_BIND_NEXT);
  } else {
    out_u8(bindings, OP_BIND);
    out_u32(bindings, statement->handle);
    out_u32(bindings, (uint32_t)index);
  }
  client->bound = statement;
  client->bound_index = (uint32_t)index;
  return bindings;
}

static int end_bind(Statement *statement) {
  Connection *connection = statement->connection;
  Out *bindings = bindings_of(statement);
  int code = out_end(bindings) ? bound_later(statement) : fail_no_memory(connection);
  connection->client.bound_end = bindings->count;
  return leave_with(connection, code);
}

/* Send what waits before a large value: one that does not fit in the sandbox takes no other binding with it. */
static int send_waiting(Statement *statement, sqlite3_uint64 count) {
  Connection *connection = statement->connection;
  Reply reply;
  if (count <= MAX_WAITING_BYTES || !bindings_of(statement)->count) return SQLITE_OK;
  put_bindings(statement);
  return masked(connection, send(connection, &reply));
}

static int too_big(Statement *statement) {
  return leave_with(statement->connection, fail(statement->connection, SQLITE_TOOBIG, NULL));
}

static bool is_too_long(Statement *statement, sqlite3_uint64 count) {
  return count > (sqlite3_uint64)length_limit(statement->connection);
}

static int bind_bytes(Statement *statement, int index, uint8_t tag, const void *bytes,
                      sqlite3_uint64 count) {
  int code = begin_bind(statement, index);
  if (code) return code;
  if (bytes && is_too_long(statement, count)) return too_big(statement);
  code = send_waiting(statement, count);
  if (code) return leave_with(statement->connection, code);
  Out *bindings = call_bind(statement, index);
  out_u8(bindings, bytes ? tag : TAG_NULL);
  if (bytes) out_bytes(bindings, bytes, count);
  return end_bind(statement);
}

/* Text in UTF-16 crosses as UTF-8. */
static int bind_utf16(Statement *statement, int index, const void *text, sqlite3_uint64 count,
                      uint8_t encoding) {
  int code = begin_bind(statement, index);
  if (code) return code;
  Connection *connection = statement->connection;
  if (is_too_long(statement, count)) return too_big(statement);
  Cell cell;
  cell_init(&cell, connection);
  cell_set_text(&cell, text, (size_t)(count & ~(sqlite3_uint64)1), encoding);
  const void *utf8 = sqlite3_value_text(VALUE_OF(&cell));
  /* Not up to its first zero: the text may have several. */
  size_t length = utf8 ? (size_t)sqlite3_value_bytes(VALUE_OF(&cell)) : 0;
  code = utf8 ? bind_bytes(statement, index, TAG_TEXT, utf8, length) : fail_no_memory(connection);
  cell_clear(&cell);
  return leave_with(connection, code);
}

EXPORT int sqlite3_bind_blob64(sqlite3_stmt *statement, int index, const void *bytes,
                               sqlite3_uint64 count, void (*destructor)(void *)) {
  int code = bind_bytes(statement, index, TAG_BLOB, bytes, count);
  destroy(bytes, destructor);
  return code;
}

EXPORT int sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count,
                             void (*destructor)(void *)) {
  return count < 0
             ? MISUSE
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
  out_tagged(call_bind(statement, index), TAG_INTEGER, (uint64_t)number);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_int(sqlite3_stmt *statement, int index, int number) {
  return sqlite3_bind_int64(statement, index, number);
}

EXPORT int sqlite3_bind_double(sqlite3_stmt *statement, int index, double number) {
  int code = begin_bind(statement, index);
  if (code) return code;
  uint64_t bits;
  memcpy(&bits, &number, 8);
  out_tagged(call_bind(statement, index), TAG_REAL, bits);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_null(sqlite3_stmt *statement, int index) {
  return bind_bytes(statement, index, TAG_NULL, NULL, 0);
}

EXPORT int sqlite3_bind_zeroblob64(sqlite3_stmt *statement, int index, sqlite3_uint64 count) {
  int code = begin_bind(statement, index);
  if (code) return code;
  if (is_too_long(statement, count)) return too_big(statement);
  put_zeros(call_bind(statement, index), count);
  return end_bind(statement);
}

EXPORT int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int index, int count) {
  return sqlite3_bind_zeroblob64(statement, index, count < 0 ? 0 : (sqlite3_uint64)count);
}

/* Like SQLite, this does not bind pointers. */
EXPORT int sqlite3_bind_value(sqlite3_stmt *statement, int index, const sqlite3_value *value) {
  int code = begin_bind(statement, index);
  if (code) return code;
  Connection *connection = statement->connection;
  sqlite3_value *copy = sqlite3_value_dup(value);
  if (value && !copy) return leave_with(connection, fail_no_memory(connection));
  if (copy && sqlite3_value_type(copy) >= SQLITE_TEXT) {
    code = send_waiting(statement, (sqlite3_uint64)sqlite3_value_bytes(copy));
    if (code) {
      sqlite3_value_free(copy);
      return leave_with(connection, code);
    }
  }
  Out *bindings = call_bind(statement, index);
  if (copy) put_bound_value(bindings, copy);
  else out_u8(bindings, TAG_NULL);
  sqlite3_value_free(copy);
  return end_bind(statement);
}

EXPORT int sqlite3_clear_bindings(sqlite3_stmt *statement) {
  if (!statement) return MISUSE;
  enter(statement->connection);
  return leave_with(statement->connection, clear_bindings(statement));
}

EXPORT int sqlite3_bind_parameter_count(sqlite3_stmt *statement) {
  return statement ? (int)statement->parameter_count : 0;
}

EXPORT const char *sqlite3_bind_parameter_name(sqlite3_stmt *statement, int index) {
  if (!statement || index < 1 || (uint32_t)index > statement->parameter_count) return NULL;
  const char *name = statement->parameters[index - 1];
  return name && *name ? name : NULL;
}

EXPORT int sqlite3_bind_parameter_index(sqlite3_stmt *statement, const char *name) {
  if (!statement || !name) return 0;
  for (int i = 1; i <= (int)statement->parameter_count; i++) {
    const char *other = sqlite3_bind_parameter_name(statement, i);
    if (other && strcmp(other, name) == 0) return i;
  }
  return 0;
}
