/* The preupdate hook: the sandbox sends everything that the program can read in the callback. */

/* The data that the program can read during a preupdate callback. */
typedef struct PreUpdateEvent {
  int depth, blob_column;
  uint32_t count;
  /* Old values, then new ones. */
  Mem *values;
} PreUpdateEvent;

static int on_preupdate(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  int action = (int)in_u32(in);
  const char *schema = in_text(in), *table = in_text(in);
  sqlite3_int64 old_row = (sqlite3_int64)in_u64(in), new_row = (sqlite3_int64)in_u64(in);
  PreUpdateEvent event = {.depth = (int)in_u32(in), .blob_column = (int)in_u32(in)};
  event.count = in_u32(in);
  if (!db->xPreUpdateCallback || !schema || !table || event.count > MAX_COLUMNS) return 0;
  event.values = sqlite3MallocZero(2 * (u64)event.count * sizeof(Mem) + 1);
  if (!event.values) return 0;
  for (uint32_t i = 0; i < 2 * event.count; i++) {
    mem_init(&event.values[i], db);
    get_value(connection->sandbox, &event.values[i], in);
  }
  PreUpdateEvent *outer = connection->preupdate;
  connection->preupdate = &event;
  db->xPreUpdateCallback(db->pPreUpdateArg, db, action, schema, table, old_row, new_row);
  connection->preupdate = outer;
  for (uint32_t i = 0; i < 2 * event.count; i++) sqlite3VdbeMemRelease(&event.values[i]);
  sqlite3_free(event.values);
  return 0;
}

static PreUpdateEvent *preupdate_of(sqlite3 *db) {
  return is_open(db) ? connection_of(db)->preupdate : NULL;
}

static int preupdate_value(sqlite3 *db, int index, bool is_new, sqlite3_value **value) {
  PreUpdateEvent *event = preupdate_of(db);
  *value = NULL;
  if (!event) return SQLITE_MISUSE_BKPT;
  if (index < 0 || (uint32_t)index >= event->count) return SQLITE_RANGE;
  Mem *found = &event->values[is_new ? event->count + (uint32_t)index : (uint32_t)index];
  /* The value is missing: an INSERT has no old values. */
  if (found->flags == (MEM_Null | MEM_Zero)) return SQLITE_MISUSE_BKPT;
  *value = found;
  return SQLITE_OK;
}

EXPORT int sqlite3_preupdate_old(sqlite3 *db, int index, sqlite3_value **value) {
  return preupdate_value(db, index, false, value);
}

EXPORT int sqlite3_preupdate_new(sqlite3 *db, int index, sqlite3_value **value) {
  return preupdate_value(db, index, true, value);
}

EXPORT int sqlite3_preupdate_count(sqlite3 *db) {
  PreUpdateEvent *event = preupdate_of(db);
  return event ? (int)event->count : 0;
}

EXPORT int sqlite3_preupdate_depth(sqlite3 *db) {
  PreUpdateEvent *event = preupdate_of(db);
  return event ? event->depth : 0;
}

EXPORT int sqlite3_preupdate_blobwrite(sqlite3 *db) {
  PreUpdateEvent *event = preupdate_of(db);
  return event ? event->blob_column : -1;
}
