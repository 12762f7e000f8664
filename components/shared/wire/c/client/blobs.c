/* Incremental blobs. */

/* One request reads at most this much. Copies of this size stay in the processor's cache on their
** way; a request costs less than a tenth of such a copy. */
#define MAX_READ_BYTES (256 << 10)

EXPORT int sqlite3_blob_open(sqlite3 *db, const char *schema, const char *table, const char *column,
                             sqlite3_int64 row, int flags, sqlite3_blob **opened) {
  if (!opened) return MISUSE;
  *opened = NULL;
  Connection *connection = open_connection(db);
  if (!connection || !table || !column) return MISUSE;
  sqlite3_blob *blob = sqlite3_malloc64(sizeof(*blob));
  if (!blob) return SQLITE_NOMEM;
  memset(blob, 0, sizeof(*blob));
  blob->connection = connection;
  enter(connection);
  int code = open_blob(blob, schema, table, column, row, flags);
  if (code == SQLITE_OK) {
    blob_opened(blob);
    *opened = blob;
  } else {
    sqlite3_free(blob);
  }
  return leave_with(connection, code);
}

EXPORT int sqlite3_blob_bytes(sqlite3_blob *blob) {
  return blob && !blob->is_lost ? (int)blob->size : 0;
}

EXPORT int sqlite3_blob_reopen(sqlite3_blob *blob, sqlite3_int64 row) {
  if (!blob) return MISUSE;
  if (blob->is_lost) return SQLITE_ABORT;
  enter(blob->connection);
  int code = move_blob(blob, row);
  blob->is_lost = code != SQLITE_OK;
  return leave_with(blob->connection, code);
}

/* Whether the blob has these bytes, unless the engine says so; if so, the connection is entered. */
static int begin_access(sqlite3_blob *blob, int count, int offset) {
  if (!blob) return MISUSE;
  enter(blob->connection);
  if (ENGINE_CHECKS_BLOBS) return SQLITE_OK;
  bool is_inside = count >= 0 && offset >= 0 && (uint64_t)offset + (uint64_t)count <= blob->size;
  int code = !is_inside ? SQLITE_ERROR : blob->is_lost ? SQLITE_ABORT : SQLITE_OK;
  if (code == SQLITE_OK) return code;
  return leave_with(blob->connection, fail(blob->connection, code, NULL));
}

static int end_access(sqlite3_blob *blob, int code) {
  /* Its row was changed: SQLite does not find it again either. */
  if (code == SQLITE_ABORT) blob->is_lost = true;
  return leave_with(blob->connection, code);
}

static int read_part(sqlite3_blob *blob, void *bytes, uint32_t count, uint32_t offset) {
  Reply reply;
  Out *work = call_on(blob->connection, OP_READ, blob->handle);
  out_u32(work, offset);
  out_u32(work, count);
  int code = request_into(blob->connection, &reply, bytes, count);
  if (code != SQLITE_OK) return code;
  const uint8_t *found = in_raw(&reply.in, count);
  if (!found) return fail(blob->connection, SQLITE_INTERNAL, "malformed blob");
  if (found != bytes) memcpy(bytes, found, count);
  return SQLITE_OK;
}

EXPORT int sqlite3_blob_read(sqlite3_blob *blob, void *bytes, int count, int offset) {
  int code = begin_access(blob, count, offset);
  if (code) return code;
  if (has_content(blob, bytes, (size_t)count, (size_t)offset)) {
    set_code(blob->connection, SQLITE_OK);
    return end_access(blob, SQLITE_OK);
  }
  int done = 0;
  do {
    int part = count - done < MAX_READ_BYTES ? count - done : MAX_READ_BYTES;
    code = read_part(blob, (char *)bytes + done, (uint32_t)part, (uint32_t)(offset + done));
    done += part;
  } while (code == SQLITE_OK && done < count);
  return end_access(blob, code);
}

EXPORT int sqlite3_blob_write(sqlite3_blob *blob, const void *bytes, int count, int offset) {
  int code = begin_access(blob, count, offset);
  if (code) return code;
  if (count < 0) return end_access(blob, fail(blob->connection, SQLITE_ERROR, NULL));
  Out *work = call_on(blob->connection, OP_WRITE, blob->handle);
  out_u32(work, (uint32_t)offset);
  out_bytes(work, bytes, (size_t)count);
  return end_access(blob, send_write(blob));
}

EXPORT int sqlite3_blob_close(sqlite3_blob *blob) {
  if (!blob) return SQLITE_OK;
  Connection *connection = blob->connection;
  enter(connection);
  int code = close_blob(blob);
  sqlite3_free(blob);
  return leave_object(connection, code);
}
