/* Functions of connections: one or two lines each, over the wire. */

static void free_texts(Client *client) {
  while (client->texts) {
    KeptText *kept = client->texts;
    client->texts = kept->next;
    if (kept->is_file) sqlite3_free_filename(kept->text);
    else sqlite3_free(kept->text);
    sqlite3_free(kept);
  }
}

/* SQLite's code stores the limit, and checks it. */
EXPORT int sqlite3_limit(sqlite3 *db, int limit, int value) {
  if (!is_open(db)) return -1;
  Connection *connection = connection_of(db);
  enter(connection);
  int old = native_sqlite3_limit(db, limit, value);
  if (value >= 0 && old >= 0) {
    Out *work = call(connection, CALL_LIMIT);
    out_u32(work, (uint32_t)limit);
    out_u32(work, (uint32_t)value);
    call_later(connection);
  }
  return leave_with(connection, old);
}

static int db_config(Connection *connection, int option, int value, int *state) {
  Reply reply;
  Out *work = call(connection, CALL_DB_CONFIG);
  out_u32(work, (uint32_t)option);
  out_u32(work, (uint32_t)value);
  int code = request(connection, &reply);
  int now = (int)in_u32(&reply.in);
  if (state) *state = now;
  return code;
}

EXPORT int sqlite3_db_config(sqlite3 *db, int option, ...) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  va_list arguments;
  int code = SQLITE_OK;
  va_start(arguments, option);
  enter(connection);
  if (option == SQLITE_DBCONFIG_MAINDBNAME) {
    code = fail(connection, SQLITE_ERROR, "the main database keeps its name in the sandbox");
  } else if (option == SQLITE_DBCONFIG_LOOKASIDE) {
    /* The memory belongs to the sandbox. */
  } else {
    int value = va_arg(arguments, int), *state = va_arg(arguments, int *), now = 0;
    if (option == SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION) {
      if (value > 0) db->flags |= SQLITE_LoadExtension;
      else if (value == 0) db->flags &= ~(u64)SQLITE_LoadExtension;
      now = (db->flags & SQLITE_LoadExtension) != 0;
      if (state) *state = now;
    } else {
      code = db_config(connection, option, value, state);
    }
  }
  va_end(arguments);
  return leave_with(connection, code);
}

EXPORT int sqlite3_db_status64(sqlite3 *db, int option, sqlite3_int64 *now, sqlite3_int64 *highest,
                               int is_reset) {
  Reply reply;
  if (!is_open(db) || !now || !highest) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_DB_STATUS);
  out_u32(work, (uint32_t)option);
  out_u32(work, (uint32_t)is_reset);
  int code = request(connection, &reply);
  *now = (sqlite3_int64)in_u64(&reply.in);
  *highest = (sqlite3_int64)in_u64(&reply.in);
  return leave_with(connection, code);
}

EXPORT int sqlite3_db_status(sqlite3 *db, int option, int *now, int *highest, int is_reset) {
  sqlite3_int64 large = 0, largest = 0;
  if (!now || !highest) return SQLITE_MISUSE_BKPT;
  int code = sqlite3_db_status64(db, option, &large, &largest, is_reset);
  *now = (int)(large & 0x7fffffff);
  *highest = (int)(largest & 0x7fffffff);
  return code;
}

EXPORT int sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *schema, int mode, int *frames,
                                     int *done) {
  Reply reply;
  if (frames) *frames = -1;
  if (done) *done = -1;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_CHECKPOINT);
  out_text(work, schema);
  out_u32(work, (uint32_t)mode);
  int code = request(connection, &reply);
  if (in_left(&reply.in) >= 8) {
    int numbers[2] = {(int)in_u32(&reply.in), (int)in_u32(&reply.in)};
    if (frames) *frames = numbers[0];
    if (done) *done = numbers[1];
  }
  return leave_with(connection, code);
}

/* A function that takes an integer and returns a code. */
static int code_of(sqlite3 *db, uint8_t function, int number) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  out_u32(call(connection, function), (uint32_t)number);
  return leave_with(connection, request_code(connection));
}

static int plain_code_of(sqlite3 *db, uint8_t function) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  call(connection, function);
  return leave_with(connection, request_code(connection));
}

EXPORT int sqlite3_wal_autocheckpoint(sqlite3 *db, int frames) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  db->xWalCallback = NULL;
  return code_of(db, CALL_AUTOCHECKPOINT, frames);
}

EXPORT int sqlite3_db_cacheflush(sqlite3 *db) { return plain_code_of(db, CALL_CACHEFLUSH); }

EXPORT int sqlite3_db_release_memory(sqlite3 *db) { return plain_code_of(db, CALL_RELEASE_MEMORY); }

EXPORT int sqlite3_system_errno(sqlite3 *db) {
  if (!is_open(db)) return 0;
  enter(connection_of(db));
  call(connection_of(db), CALL_SYSTEM_ERRNO);
  return leave_with(connection_of(db), request_number(connection_of(db), 0));
}

EXPORT void sqlite3_set_last_insert_rowid(sqlite3 *db, sqlite3_int64 row_id) {
  if (!is_open(db)) return;
  Connection *connection = connection_of(db);
  enter(connection);
  db->lastRowid = row_id;
  out_u64(call(connection, CALL_SET_LAST_INSERT_ROWID), (uint64_t)row_id);
  call_later(connection);
  leave(connection);
}

EXPORT int sqlite3_overload_function(sqlite3 *db, const char *name, int arguments) {
  if (!is_open(db) || !name || arguments < -2) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_OVERLOAD_FUNCTION);
  out_text(work, name);
  out_u32(work, (uint32_t)arguments);
  return leave_with(connection, request_code(connection));
}

EXPORT int sqlite3_drop_modules(sqlite3 *db, const char **names) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  uint32_t count = 0;
  while (names && names[count] && count < 63) count++;
  Out *work = call(connection, CALL_DROP_MODULES);
  out_u32(work, count);
  for (uint32_t i = 0; i < count; i++) out_text(work, names[i]);
  return leave_with(connection, request_code(connection));
}

/* File controls that return or take pointers are refused. */

typedef enum { NO_CONTROL, NUMBER, LARGE_NUMBER, TEXT_OUT, NOTHING } Control;

static Control control_of(int operation) {
  switch (operation) {
    case SQLITE_FCNTL_LOCKSTATE:
    case SQLITE_FCNTL_LAST_ERRNO:
    case SQLITE_FCNTL_CHUNK_SIZE:
    case SQLITE_FCNTL_PERSIST_WAL:
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
    case SQLITE_FCNTL_HAS_MOVED:
    case SQLITE_FCNTL_LOCK_TIMEOUT:
    case SQLITE_FCNTL_DATA_VERSION:
    case SQLITE_FCNTL_RESERVE_BYTES:
    case SQLITE_FCNTL_EXTERNAL_READER: return NUMBER;
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_MMAP_SIZE:
    case SQLITE_FCNTL_SIZE_LIMIT: return LARGE_NUMBER;
    case SQLITE_FCNTL_VFSNAME:
    case SQLITE_FCNTL_TEMPFILENAME: return TEXT_OUT;
    case SQLITE_FCNTL_CKPT_DONE:
    case SQLITE_FCNTL_CKPT_START:
    case SQLITE_FCNTL_RESET_CACHE: return NOTHING;
  }
  return NO_CONTROL;
}

EXPORT int sqlite3_file_control(sqlite3 *db, const char *schema, int operation, void *argument) {
  Reply reply;
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Control control = control_of(operation);
  if (control == NO_CONTROL) return SQLITE_NOTFOUND;
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_FILE_CONTROL);
  out_text(work, schema);
  out_u32(work, (uint32_t)operation);
  out_u8(work, control == NUMBER ? 4 : control == LARGE_NUMBER ? 8 : control == TEXT_OUT);
  if (control == NUMBER) out_u32(work, argument ? *(uint32_t *)argument : 0);
  if (control == LARGE_NUMBER) out_u64(work, argument ? *(uint64_t *)argument : 0);
  int code = request(connection, &reply);
  if (argument && control == NUMBER) *(uint32_t *)argument = in_u32(&reply.in);
  if (argument && control == LARGE_NUMBER) *(uint64_t *)argument = in_u64(&reply.in);
  if (argument && control == TEXT_OUT) {
    const char *text = in_text(&reply.in);
    *(char **)argument = text ? sqlite3_mprintf("%s", text) : NULL;
  }
  return leave_with(connection, code);
}

/* Interruption needs no mutex. */

EXPORT void sqlite3_interrupt(sqlite3 *db) {
  Connection *connection = connection_of(db);
  if (db && sqlite3SafetyCheckSickOrOk(db) && connection->sandbox && connection->sandbox->engine) {
    engine_interrupt(connection->sandbox->engine);
  }
}

EXPORT int sqlite3_is_interrupted(sqlite3 *db) {
  if (!is_open(db)) return false;
  Connection *connection = connection_of(db);
  return connection->was_interrupted || engine_is_interrupted(connection->sandbox->engine);
}

EXPORT int sqlite3_enable_load_extension(sqlite3 *db, int on) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  enter(connection_of(db));
  u64 flags = SQLITE_LoadExtension | SQLITE_LoadExtFunc;
  if (on) db->flags |= flags;
  else db->flags &= ~flags;
  return leave_with(connection_of(db), SQLITE_OK);
}
