/* Change sets. Their bytes are outside data: the engine parses them. */

/* One change, as the engine told it. */
typedef struct {
  uint8_t *bytes;
  const char *table;
  int operation, is_indirect;
  uint32_t columns;
  const uint8_t *keys;
  /* Old values, new ones, and those in conflict. */
  Mem *values;
  uint32_t value_count;
} Change;

struct sqlite3_changeset_iter {
  Connection *connection;
  uint32_t handle;
  Change change;
  /* In a conflict handler. */
  int kind, violations;
};

static void clear_change(Change *change) {
  for (uint32_t i = 0; i < change->value_count; i++) sqlite3VdbeMemRelease(&change->values[i]);
  sqlite3_free(change->values);
  sqlite3_free(change->bytes);
  memset(change, 0, sizeof(*change));
}

/* Keep a change of `sets` values for each column. */
static bool read_change(Connection *connection, Change *change, In *in, uint32_t sets) {
  size_t count = in_left(in);
  clear_change(change);
  change->bytes = sqlite3_malloc64(count + 1);
  if (!change->bytes) return false;
  memcpy(change->bytes, in->at, count);
  In own = {change->bytes, change->bytes + count, false};
  change->table = in_text(&own);
  change->operation = (int)in_u32(&own);
  change->is_indirect = (int)in_u32(&own);
  change->columns = in_u32(&own);
  if (change->columns > MAX_COLUMNS) return false;
  change->keys = in_raw(&own, change->columns);
  change->value_count = sets * change->columns;
  change->values = sqlite3MallocZero((u64)change->value_count * sizeof(Mem) + 1);
  if (!change->values) {
    change->value_count = 0;
    return false;
  }
  for (uint32_t i = 0; i < change->value_count; i++) {
    mem_init(&change->values[i], &connection->db);
    get_value(connection->sandbox, &change->values[i], &own);
  }
  return !own.is_bad && change->table && change->keys;
}

static int start(int flags, const void *bytes, size_t count, sqlite3_changeset_iter **started) {
  Reply reply;
  *started = NULL;
  sqlite3 *db = service_connection();
  sqlite3_changeset_iter *iterator = db ? sqlite3MallocZero(sizeof(*iterator)) : NULL;
  if (!iterator) return SQLITE_NOMEM_BKPT;
  Connection *connection = iterator->connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_CHANGESET_START);
  out_u32(work, (uint32_t)flags);
  out_bytes(work, bytes, count);
  int code = request(connection, &reply);
  iterator->handle = in_u32(&reply.in);
  if (code == SQLITE_OK && iterator->handle) *started = iterator;
  else sqlite3_free(iterator);
  return leave_with(connection, code);
}

EXPORT int sqlite3changeset_start(sqlite3_changeset_iter **iterator, int count, void *bytes) {
  return start(0, bytes, (size_t)(count < 0 ? 0 : count), iterator);
}

EXPORT int sqlite3changeset_start_v2(sqlite3_changeset_iter **iterator, int count, void *bytes,
                                     int flags) {
  return start(flags, bytes, (size_t)(count < 0 ? 0 : count), iterator);
}

EXPORT int sqlite3changeset_start_v2_strm(sqlite3_changeset_iter **iterator, Input *input,
                                          void *data, int flags) {
  Out gathered = {0};
  int code = read_stream(input, data, &gathered);
  *iterator = NULL;
  if (code == SQLITE_OK) code = start(flags, gathered.bytes, gathered.count, iterator);
  sqlite3_free(gathered.bytes);
  return code;
}

EXPORT int sqlite3changeset_start_strm(sqlite3_changeset_iter **iterator, Input *input,
                                       void *data) {
  return sqlite3changeset_start_v2_strm(iterator, input, data, 0);
}

EXPORT int sqlite3changeset_next(sqlite3_changeset_iter *iterator) {
  Reply reply;
  if (!iterator->handle) return SQLITE_MISUSE_BKPT;
  enter(iterator->connection);
  call_on(iterator->connection, CALL_CHANGESET_NEXT, iterator->handle);
  int code = request(iterator->connection, &reply);
  bool is_read = code != SQLITE_ROW || read_change(iterator->connection, &iterator->change, &reply.in, 2);
  if (code != SQLITE_ROW) clear_change(&iterator->change);
  return leave_with(iterator->connection, is_read ? code : SQLITE_NOMEM_BKPT);
}

EXPORT int sqlite3changeset_op(sqlite3_changeset_iter *iterator, const char **table, int *columns,
                               int *operation, int *is_indirect) {
  *table = iterator->change.table;
  *columns = (int)iterator->change.columns;
  *operation = iterator->change.operation;
  if (is_indirect) *is_indirect = iterator->change.is_indirect;
  return SQLITE_OK;
}

EXPORT int sqlite3changeset_pk(sqlite3_changeset_iter *iterator, unsigned char **keys, int *count) {
  *keys = (unsigned char *)iterator->change.keys;
  if (count) *count = (int)iterator->change.columns;
  return SQLITE_OK;
}

static int change_value(Change *change, int index, uint32_t set, sqlite3_value **value) {
  *value = NULL;
  if (index < 0 || (uint32_t)index >= change->columns) return SQLITE_RANGE;
  uint32_t place = set * change->columns + (uint32_t)index;
  if (place >= change->value_count) return SQLITE_MISUSE_BKPT;
  Mem *found = &change->values[place];
  if (found->flags != (MEM_Null | MEM_Zero)) *value = found;
  return SQLITE_OK;
}

EXPORT int sqlite3changeset_old(sqlite3_changeset_iter *iterator, int index,
                                sqlite3_value **value) {
  int operation = iterator->change.operation;
  if (operation != SQLITE_UPDATE && operation != SQLITE_DELETE) return SQLITE_MISUSE_BKPT;
  return change_value(&iterator->change, index, 0, value);
}

EXPORT int sqlite3changeset_new(sqlite3_changeset_iter *iterator, int index,
                                sqlite3_value **value) {
  int operation = iterator->change.operation;
  if (operation != SQLITE_UPDATE && operation != SQLITE_INSERT) return SQLITE_MISUSE_BKPT;
  return change_value(&iterator->change, index, 1, value);
}

EXPORT int sqlite3changeset_conflict(sqlite3_changeset_iter *iterator, int index,
                                     sqlite3_value **value) {
  bool has_row = iterator->kind == SQLITE_CHANGESET_DATA || iterator->kind == SQLITE_CHANGESET_CONFLICT;
  return has_row ? change_value(&iterator->change, index, 2, value) : SQLITE_MISUSE_BKPT;
}

EXPORT int sqlite3changeset_fk_conflicts(sqlite3_changeset_iter *iterator, int *count) {
  if (iterator->kind != SQLITE_CHANGESET_FOREIGN_KEY) return SQLITE_MISUSE_BKPT;
  *count = iterator->violations;
  return SQLITE_OK;
}

EXPORT int sqlite3changeset_finalize(sqlite3_changeset_iter *iterator) {
  if (!iterator) return SQLITE_OK;
  Connection *connection = iterator->connection;
  enter(connection);
  call_on(connection, CALL_CHANGESET_FINALIZE, iterator->handle);
  int code = request_code(connection);
  clear_change(&iterator->change);
  sqlite3_free(iterator);
  return leave_with(connection, code);
}

/* Applying. */

static int on_conflict(Connection *connection, In *in) {
  Entry *handler = entry_find(connection->sandbox, HANDLER, in_u32(in));
  if (!handler || !handler->handler.conflict) return SQLITE_CHANGESET_ABORT;
  sqlite3_changeset_iter iterator = {.connection = connection, .kind = (int)in_u32(in)};
  iterator.violations = (int)in_u32(in);
  bool has_change = iterator.kind != SQLITE_CHANGESET_FOREIGN_KEY;
  int code = SQLITE_CHANGESET_ABORT;
  if (!has_change || read_change(connection, &iterator.change, in, 3)) {
    code = handler->handler.conflict(handler->data, iterator.kind, &iterator);
  }
  clear_change(&iterator.change);
  return code;
}

typedef int Filter(void *, const char *);
typedef int Conflict(void *, int, sqlite3_changeset_iter *);

static int apply(sqlite3 *db, const void *bytes, size_t count, Filter *filter, Conflict *conflict,
                 void *data, void **rebase, int *rebase_count, int flags) {
  Reply reply;
  void *kept = NULL;
  int kept_count = 0;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Entry *handler = entry_new(connection->sandbox, HANDLER);
  if (!handler) return leave_with(connection, fail_no_memory(connection));
  handler->data = data;
  handler->handler.filter = filter;
  handler->handler.conflict = conflict;
  Out *work = call(connection, CALL_CHANGESET_APPLY);
  out_bytes(work, bytes, count);
  out_u32(work, handler->number);
  out_u8(work, filter != NULL);
  out_u32(work, (uint32_t)flags);
  out_u8(work, rebase != NULL);
  int code = request(connection, &reply);
  entry_free(connection->sandbox, handler);
  code = take_bytes(&reply, code, &kept_count, &kept);
  if (rebase) {
    *rebase = kept;
    *rebase_count = kept_count;
  } else {
    sqlite3_free(kept);
  }
  return leave_with(connection, code);
}

EXPORT int sqlite3changeset_apply(sqlite3 *db, int count, void *bytes, Filter *filter,
                                  Conflict *conflict, void *data) {
  return apply(db, bytes, (size_t)count, filter, conflict, data, NULL, NULL, 0);
}

EXPORT int sqlite3changeset_apply_v2(sqlite3 *db, int count, void *bytes, Filter *filter,
                                     Conflict *conflict, void *data, void **rebase,
                                     int *rebase_count, int flags) {
  return apply(db, bytes, (size_t)count, filter, conflict, data, rebase, rebase_count, flags);
}

EXPORT int sqlite3changeset_apply_v2_strm(sqlite3 *db, Input *input, void *in, Filter *filter,
                                          Conflict *conflict, void *data, void **rebase,
                                          int *rebase_count, int flags) {
  Out gathered = {0};
  int code = read_stream(input, in, &gathered);
  if (code == SQLITE_OK) {
    code = apply(db, gathered.bytes, gathered.count, filter, conflict, data, rebase, rebase_count,
                 flags);
  }
  sqlite3_free(gathered.bytes);
  return code;
}

EXPORT int sqlite3changeset_apply_strm(sqlite3 *db, Input *input, void *in, Filter *filter,
                                       Conflict *conflict, void *data) {
  return sqlite3changeset_apply_v2_strm(db, input, in, filter, conflict, data, NULL, NULL, 0);
}

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
  if (code == SQLITE_OK) code = sqlite3changeset_invert((int)gathered.count, gathered.bytes, &count, &bytes);
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
  /* A conflict handler's change is not one that the engine still has. */
  if (!iterator->handle || iterator->connection != group->connection) return SQLITE_ERROR;
  enter(group->connection);
  out_u32(call_on(group->connection, CALL_GROUP_ADD_CHANGE, group->handle), iterator->handle);
  return leave_with(group->connection, request_code(group->connection));
}

/* The schema would have to be that of another instance. */
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
