/* Change sets. Their bytes come from outside: the engine parses them. */

/* One change, as reported by the engine. */
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

/* Store a change with `sets` values for each column. */
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
  bool is_read =
      code != SQLITE_ROW || read_change(iterator->connection, &iterator->change, &reply.in, 2);
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
  bool has_row =
      iterator->kind == SQLITE_CHANGESET_DATA || iterator->kind == SQLITE_CHANGESET_CONFLICT;
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
