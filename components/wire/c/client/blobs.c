/* Incremental blobs. */

struct sqlite3_blob {
  Connection *connection;
  uint32_t handle;
  int bytes;
};

EXPORT int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                             sqlite3_int64 row, int flags, sqlite3_blob **opened) {
  Reply reply;
  if (!opened) return SQLITE_MISUSE_BKPT;
  *opened = NULL;
  if (!is_open(db) || !table || !column) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  sqlite3_blob *blob = sqlite3MallocZero(sizeof(*blob));
  if (!blob) return SQLITE_NOMEM_BKPT;
  enter(connection);
  Out *work = call(connection, CALL_BLOB_OPEN);
  out_text(work, schema);
  out_text(work, table);
  out_text(work, column);
  out_u64(work, (uint64_t)row);
  out_u32(work, (uint32_t)flags);
  int code = request(connection, &reply);
  blob->connection = connection;
  blob->handle = in_u32(&reply.in);
  blob->bytes = (int)in_u32(&reply.in);
  if (code || !blob->handle || blob->bytes < 0) {
    sqlite3_free(blob);
  } else {
    connection->open_objects++;
    *opened = blob;
  }
  return leave_with(connection, code);
}

EXPORT int sqlite3_blob_bytes(sqlite3_blob *blob) { return blob ? blob->bytes : 0; }

EXPORT int sqlite3_blob_reopen(sqlite3_blob *blob, sqlite3_int64 row) {
  Reply reply;
  if (!blob) return SQLITE_MISUSE_BKPT;
  enter(blob->connection);
  out_u64(call_on(blob->connection, CALL_BLOB_REOPEN, blob->handle), (uint64_t)row);
  int code = request(blob->connection, &reply);
  blob->bytes = (int)in_u32(&reply.in);
  return leave_with(blob->connection, code);
}

EXPORT int sqlite3_blob_read(sqlite3_blob *blob, void *bytes, int count, int offset) {
  Reply reply;
  if (!blob) return SQLITE_MISUSE_BKPT;
  enter(blob->connection);
  Out *work = call_on(blob->connection, CALL_BLOB_READ, blob->handle);
  out_u32(work, (uint32_t)offset);
  out_u32(work, (uint32_t)count);
  int code = request(blob->connection, &reply);
  if (code == SQLITE_OK && count > 0) {
    const uint8_t *found = in_raw(&reply.in, (size_t)count);
    if (found) memcpy(bytes, found, (size_t)count);
    else code = fail(blob->connection, SQLITE_INTERNAL, "malformed blob");
  }
  return leave_with(blob->connection, code);
}

EXPORT int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  if (!blob) return SQLITE_MISUSE_BKPT;
  if (count < 0) return SQLITE_ERROR;
  enter(blob->connection);
  Out *work = call_on(blob->connection, CALL_BLOB_WRITE, blob->handle);
  out_u32(work, (uint32_t)offset);
  out_bytes(work, bytes, (size_t)count);
  return leave_with(blob->connection, request_code(blob->connection));
}

EXPORT int sqlite3_blob_close(sqlite3_blob *blob) {
  if (!blob) return SQLITE_OK;
  Connection *connection = blob->connection;
  enter(connection);
  call_on(connection, CALL_BLOB_CLOSE, blob->handle);
  int code = request_code(connection);
  connection->open_objects--;
  sqlite3_free(blob);
  if (connection->is_zombie) {
    close_zombie(connection);
    return code;
  }
  return leave_with(connection, code);
}
