/* What the client does with blobs in a way of the library: each call is sent at once, since it may
** fail. */

static int open_blob(sqlite3_blob *blob, const char *schema, const char *table, const char *column,
                     sqlite3_int64 row, int flags) {
  Reply reply;
  Out *work = call(blob->connection, CALL_BLOB_OPEN);
  out_text(work, schema);
  out_text(work, table);
  out_text(work, column);
  out_u64(work, (uint64_t)row);
  out_u32(work, (uint32_t)flags);
  int code = request(blob->connection, &reply);
  blob->handle = in_u32(&reply.in);
  blob->size = in_u32(&reply.in);
  if (code) return code;
  bool is_valid = !reply.in.is_bad && blob->handle && blob->size <= SQLITE_MAX_LENGTH;
  return is_valid ? SQLITE_OK : fail(blob->connection, SQLITE_INTERNAL, "malformed blob");
}

static int move_blob(sqlite3_blob *blob, sqlite3_int64 row) {
  Reply reply;
  out_u64(call_on(blob->connection, CALL_BLOB_REOPEN, blob->handle), (uint64_t)row);
  int code = request(blob->connection, &reply);
  if (code) return code;
  blob->size = in_u32(&reply.in);
  bool is_valid = !reply.in.is_bad && blob->size <= SQLITE_MAX_LENGTH;
  return is_valid ? SQLITE_OK : fail(blob->connection, SQLITE_INTERNAL, "malformed blob");
}

static int close_blob(sqlite3_blob *blob) {
  call_on(blob->connection, CALL_BLOB_CLOSE, blob->handle);
  blob->connection->open_objects--;
  return request_code(blob->connection);
}

static void blob_opened(sqlite3_blob *blob) { blob->connection->open_objects++; }

static bool has_content(const sqlite3_blob *blob, void *bytes, size_t count, size_t offset) {
  (void)blob, (void)bytes, (void)count, (void)offset;
  return false;
}

static int request_into(Connection *connection, Reply *reply, void *bytes, size_t count) {
  (void)bytes, (void)count;
  return request(connection, reply);
}

static int send_write(sqlite3_blob *blob) { return request_code(blob->connection); }
