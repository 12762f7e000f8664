/* Databases as bytes, and snapshots. */

EXPORT unsigned char *sqlite3_serialize(sqlite3 *db, const char *schema, sqlite3_int64 *size,
                                        unsigned flags) {
  Reply reply;
  if (size) *size = -1;
  if (!is_open(db)) return NULL;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_SERIALIZE);
  out_text(work, schema);
  /* The memory belongs to the sandbox: an image is always a copy. */
  out_u32(work, flags & ~(unsigned)SQLITE_SERIALIZE_NOCOPY);
  request(connection, &reply);
  sqlite3_int64 found = (sqlite3_int64)in_u64(&reply.in);
  uint32_t count;
  const uint8_t *image = in_bytes(&reply.in, &count);
  unsigned char *copy = NULL;
  if (size) *size = found;
  if (image && !(flags & SQLITE_SERIALIZE_NOCOPY)) {
    copy = sqlite3_malloc64((sqlite3_uint64)count + 1);
    if (copy) memcpy(copy, image, count);
    if (size) *size = count;
  }
  leave(connection);
  return copy;
}

EXPORT int sqlite3_deserialize(sqlite3 *db, const char *schema, unsigned char *content,
                               sqlite3_int64 size, sqlite3_int64 room, unsigned flags) {
  int code = SQLITE_MISUSE_BKPT;
  if (is_open(db) && size >= 0 && room >= 0) {
    Connection *connection = connection_of(db);
    enter(connection);
    Out *work = call(connection, CALL_DESERIALIZE);
    out_text(work, schema);
    out_bytes(work, content ? content : (unsigned char *)"", content ? (size_t)size : 0);
    out_u64(work, (uint64_t)room);
    out_u32(work, flags);
    code = leave_with(connection, request_code(connection));
  }
  /* The sandbox has a copy. */
  if (flags & SQLITE_DESERIALIZE_FREEONCLOSE) sqlite3_free(content);
  return code;
}

/* A snapshot as the engine returned it. SQLite does not mask result codes of these functions. */
typedef struct sqlite3_snapshot Snapshot;

EXPORT int sqlite3_snapshot_get(sqlite3 *db, const char *schema, Snapshot **snapshot) {
  Reply reply;
  if (!snapshot) return SQLITE_MISUSE_BKPT;
  *snapshot = NULL;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  out_text(call(connection, CALL_SNAPSHOT_GET), schema);
  send(connection, &reply);
  int code = reply.code;
  const uint8_t *bytes = code ? NULL : in_raw(&reply.in, sizeof(Snapshot));
  if (bytes) *snapshot = sqlite3_malloc(sizeof(Snapshot));
  if (*snapshot) memcpy(*snapshot, bytes, sizeof(Snapshot));
  return leave_with(connection, code);
}

EXPORT int sqlite3_snapshot_open(sqlite3 *db, const char *schema, Snapshot *snapshot) {
  Reply reply;
  if (!is_open(db) || !snapshot) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_SNAPSHOT_OPEN);
  out_text(work, schema);
  out_bytes(work, snapshot, sizeof(Snapshot));
  send(connection, &reply);
  return leave_with(connection, reply.code);
}

EXPORT int sqlite3_snapshot_recover(sqlite3 *db, const char *schema) {
  Reply reply;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  out_text(call(connection, CALL_SNAPSHOT_RECOVER), schema);
  send(connection, &reply);
  return leave_with(connection, reply.code);
}

/* They are ordered by a salt and the frame count in the header of a write-ahead log. */
EXPORT int sqlite3_snapshot_cmp(Snapshot *left, Snapshot *right) {
  WalIndexHdr *a = (WalIndexHdr *)left, *b = (WalIndexHdr *)right;
  if (a->aSalt[0] != b->aSalt[0]) return a->aSalt[0] < b->aSalt[0] ? -1 : 1;
  return a->mxFrame < b->mxFrame ? -1 : a->mxFrame > b->mxFrame;
}

EXPORT void sqlite3_snapshot_free(Snapshot *snapshot) { sqlite3_free(snapshot); }
