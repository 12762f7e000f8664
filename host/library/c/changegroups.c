/* Inverting change sets, change groups and rebasers: functions from bytes to bytes. */

/* A function from bytes to bytes; the handle is left out where it is 0. */
static int transform(sqlite3 *db, uint8_t function, uint32_t handle, const void *bytes,
                     size_t count, int *result_count, void **result) {
  Reply reply;
  if (!db) return SQLITE_NOMEM_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = handle ? call_on(connection, function, handle) : call(connection, function);
  if (bytes || count == 0) out_bytes(work, bytes, count);
  int code = request(connection, &reply);
  if (result) code = take_bytes(&reply, code, result_count, result);
  return leave_with(connection, code);
}

EXPORT int sqlite3changeset_invert(int count, const void *bytes, int *result_count, void **result) {
  return transform(service_connection(), CALL_CHANGESET_INVERT, 0, bytes, (size_t)count,
                   result_count, result);
}

EXPORT int sqlite3changeset_invert_strm(Input *input, void *in, Output *output, void *out) {
  Out gathered = {0};
  int count = 0, code = read_stream(input, in, &gathered);
  void *bytes = NULL;
  if (code == SQLITE_OK)
    code = sqlite3changeset_invert((int)gathered.count, gathered.bytes, &count, &bytes);
  sqlite3_free(gathered.bytes);
  return write_stream(output, out, code, bytes, count);
}

/* Groups and rebasers. */

struct sqlite3_changegroup {
  Connection *connection;
  uint32_t handle;
};

struct sqlite3_rebaser {
  Connection *connection;
  uint32_t handle;
};

static int make(uint8_t function, Connection **connection, uint32_t *handle) {
  Reply reply;
  sqlite3 *db = service_connection();
  if (!db) return SQLITE_NOMEM_BKPT;
  *connection = connection_of(db);
  enter(*connection);
  call(*connection, function);
  int code = request(*connection, &reply);
  *handle = in_u32(&reply.in);
  return leave_with(*connection, code);
}

static int on_handle(Connection *connection, uint8_t function, uint32_t handle) {
  enter(connection);
  call_on(connection, function, handle);
  return leave_with(connection, request_code(connection));
}

EXPORT int sqlite3changegroup_new(sqlite3_changegroup **group) {
  sqlite3_changegroup *made = sqlite3MallocZero(sizeof(*made));
  int code = made ? make(CALL_GROUP_NEW, &made->connection, &made->handle) : SQLITE_NOMEM_BKPT;
  if (code) sqlite3_free(made);
  *group = code ? NULL : made;
  return code;
}

EXPORT int sqlite3changegroup_add(sqlite3_changegroup *group, int count, void *bytes) {
  return transform(&group->connection->db, CALL_GROUP_ADD, group->handle, bytes, (size_t)count,
                   NULL, NULL);
}

EXPORT int sqlite3changegroup_add_strm(sqlite3_changegroup *group, Input *input, void *in) {
  Out gathered = {0};
  int code = read_stream(input, in, &gathered);
  if (code == SQLITE_OK) code = sqlite3changegroup_add(group, (int)gathered.count, gathered.bytes);
  sqlite3_free(gathered.bytes);
  return code;
}

EXPORT int sqlite3changegroup_add_change(sqlite3_changegroup *group,
                                         sqlite3_changeset_iter *iterator) {
  /* The engine no longer has the change that a conflict handler receives. */
  if (!iterator->handle || iterator->connection != group->connection) return SQLITE_ERROR;
  enter(group->connection);
  out_u32(call_on(group->connection, CALL_GROUP_ADD_CHANGE, group->handle), iterator->handle);
  return leave_with(group->connection, request_code(group->connection));
}

/* The schema would have to come from another instance. */
EXPORT int sqlite3changegroup_schema(sqlite3_changegroup *group, sqlite3 *db, const char *schema) {
  (void)group;
  (void)db;
  (void)schema;
  return SQLITE_MISUSE_BKPT;
}

EXPORT int sqlite3changegroup_output(sqlite3_changegroup *group, int *count, void **bytes) {
  Reply reply;
  enter(group->connection);
  call_on(group->connection, CALL_GROUP_OUTPUT, group->handle);
  int code = request(group->connection, &reply);
  return leave_with(group->connection, take_bytes(&reply, code, count, bytes));
}

EXPORT int sqlite3changegroup_output_strm(sqlite3_changegroup *group, Output *output, void *out) {
  int count = 0;
  void *bytes = NULL;
  int code = sqlite3changegroup_output(group, &count, &bytes);
  return write_stream(output, out, code, bytes, count);
}

EXPORT void sqlite3changegroup_delete(sqlite3_changegroup *group) {
  if (group) on_handle(group->connection, CALL_GROUP_DELETE, group->handle);
  sqlite3_free(group);
}

EXPORT int sqlite3changeset_concat(int left_count, void *left, int right_count, void *right,
                                   int *count, void **bytes) {
  sqlite3_changegroup *group;
  *count = 0;
  *bytes = NULL;
  int code = sqlite3changegroup_new(&group);
  if (code) return code;
  code = sqlite3changegroup_add(group, left_count, left);
  if (code == SQLITE_OK) code = sqlite3changegroup_add(group, right_count, right);
  if (code == SQLITE_OK) code = sqlite3changegroup_output(group, count, bytes);
  sqlite3changegroup_delete(group);
  return code;
}

EXPORT int sqlite3changeset_concat_strm(Input *left, void *left_data, Input *right,
                                        void *right_data, Output *output, void *out) {
  sqlite3_changegroup *group;
  int code = sqlite3changegroup_new(&group);
  if (code) return code;
  code = sqlite3changegroup_add_strm(group, left, left_data);
  if (code == SQLITE_OK) code = sqlite3changegroup_add_strm(group, right, right_data);
  if (code == SQLITE_OK) code = sqlite3changegroup_output_strm(group, output, out);
  sqlite3changegroup_delete(group);
  return code;
}

EXPORT int sqlite3rebaser_create(sqlite3_rebaser **rebaser) {
  sqlite3_rebaser *made = sqlite3MallocZero(sizeof(*made));
  int code = made ? make(CALL_REBASER_CREATE, &made->connection, &made->handle) : SQLITE_NOMEM_BKPT;
  if (code) sqlite3_free(made);
  *rebaser = code ? NULL : made;
  return code;
}

EXPORT int sqlite3rebaser_configure(sqlite3_rebaser *rebaser, int count, const void *bytes) {
  return transform(&rebaser->connection->db, CALL_REBASER_CONFIGURE, rebaser->handle, bytes,
                   (size_t)count, NULL, NULL);
}

EXPORT int sqlite3rebaser_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes,
                                 int *result_count, void **result) {
  return transform(&rebaser->connection->db, CALL_REBASER_REBASE, rebaser->handle, bytes,
                   (size_t)count, result_count, result);
}

EXPORT int sqlite3rebaser_rebase_strm(sqlite3_rebaser *rebaser, Input *input, void *in,
                                      Output *output, void *out) {
  Out gathered = {0};
  int count = 0, code = read_stream(input, in, &gathered);
  void *bytes = NULL;
  if (code == SQLITE_OK) {
    code = sqlite3rebaser_rebase(rebaser, (int)gathered.count, gathered.bytes, &count, &bytes);
  }
  sqlite3_free(gathered.bytes);
  return write_stream(output, out, code, bytes, count);
}

EXPORT void sqlite3rebaser_delete(sqlite3_rebaser *rebaser) {
  if (rebaser) on_handle(rebaser->connection, CALL_REBASER_DELETE, rebaser->handle);
  sqlite3_free(rebaser);
}
