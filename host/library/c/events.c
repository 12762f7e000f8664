/* Callbacks of the program, as the sandbox calls them. The bytes may be malformed: an id that does
** not belong to an object of the right kind is an error, and nothing is called. */

static void put_code(Out *reply, int code) { out_u32(reply, (uint32_t)code); }

/* The error of a function, with its message. */
static void put_failure(Out *reply, int code, Mem *message) {
  put_code(reply, code);
  const unsigned char *text = sqlite3_value_text(message);
  out_optional(reply, text, text ? (size_t)sqlite3_value_bytes(message) : 0);
}

static void put_result(Sandbox *sandbox, Out *reply, int code, Mem *result) {
  if (code) {
    put_failure(reply, code > 0 ? code : SQLITE_ERROR, result);
    return;
  }
  put_code(reply, SQLITE_OK);
  Entry *pointer = take_pointer(sandbox, result);
  if (pointer) {
    out_u8(reply, TAG_POINTER);
    out_u32(reply, pointer->number);
  } else {
    put_value(reply, result);
  }
}

/* A context with room for arguments, which only SQLite's code reads. */
typedef union {
  sqlite3_context context;
  char room[SZ_CONTEXT(1)];
} ContextRoom;

static sqlite3_context *context_new(ContextRoom *room, Entry *function, Mem *result, sqlite3 *db) {
  memset(room, 0, sizeof(*room));
  mem_init(result, db);
  room->context.pOut = result;
  room->context.pFunc = &function->function;
  room->context.enc = SQLITE_UTF8;
  return &room->context;
}

/* The function with this id, if SQLite could call it like this: programs rely on the argument
** count. */
static Entry *function_of(Connection *connection, In *in, bool is_aggregate) {
  Entry *function = entry_find(connection->sandbox, FUNCTION, in_u32(in));
  if (!function || !function->function.xFinalize == is_aggregate) return NULL;
  /* The table that returned the function is being destroyed. */
  if (function->owner && function->owner->is_dead) return NULL;
  return function;
}

static bool takes(Entry *function, uint32_t count) {
  return function->function.nArg < 0 || (uint32_t)function->function.nArg == count;
}

static void on_scalar(Connection *connection, In *in, Out *reply) {
  Sandbox *sandbox = connection->sandbox;
  Entry *function = function_of(connection, in, false);
  Arguments arguments;
  int code = arguments_read(&arguments, connection, in);
  if (code == SQLITE_OK && (!function || !takes(function, arguments.count))) {
    arguments_free(&arguments);
    code = SQLITE_INTERNAL;
  }
  if (code) {
    put_code(reply, code);
    return;
  }
  ScalarCall scalar = {.sandbox = sandbox, .function = function, .auxiliary_count = in_u32(in)};
  scalar.auxiliary = *in;
  ContextRoom room;
  Mem result;
  sqlite3_context *context = context_new(&room, function, &result, &connection->db);
  context->pVdbe = (Vdbe *)&scalar;
  /* The table that returned it stays alive, too. */
  Entry *owner = function->owner;
  if (owner) entry_enter(owner);
  entry_enter(function);
  function->function.xSFunc(context, (int)arguments.count, arguments.values);
  entry_leave(sandbox, function);
  if (owner) entry_leave(sandbox, owner);
  reply->count = 0;
  put_result(sandbox, reply, context->isError, &result);
  out_u32(reply, scalar.attached_count);
  for (uint32_t i = 0; i < scalar.attached_count; i++) {
    out_u32(reply, (uint32_t)scalar.attached[i].index);
    out_u32(reply, scalar.attached[i].entry->number);
  }
  sqlite3VdbeMemRelease(&result);
  held_free(&scalar);
  arguments_free(&arguments);
}

/* The group with this id, or a new one. */
static Entry *group_of(Connection *connection, Entry *function, uint32_t number) {
  Sandbox *sandbox = connection->sandbox;
  Entry *group = number ? entry_find(sandbox, GROUP, number) : entry_new(sandbox, GROUP);
  if (!group || group->running) return NULL;
  if (!number) {
    mem_init(&group->group.state, &connection->db);
    group->group.function = function;
  }
  return group->group.function == function ? group : NULL;
}

static void on_step(Connection *connection, In *in, Out *reply, bool is_inverse) {
  Sandbox *sandbox = connection->sandbox;
  Entry *function = function_of(connection, in, true);
  uint32_t number = in_u32(in);
  Arguments arguments;
  int code = arguments_read(&arguments, connection, in);
  if (code) {
    put_code(reply, code);
    return;
  }
  bool is_callable =
      function && takes(function, arguments.count) && (!is_inverse || function->function.xInverse);
  Entry *group = is_callable ? group_of(connection, function, number) : NULL;
  if (!group) {
    arguments_free(&arguments);
    put_code(reply, SQLITE_INTERNAL);
    return;
  }
  ContextRoom room;
  Mem result;
  sqlite3_context *context = context_new(&room, function, &result, &connection->db);
  context->pMem = &group->group.state;
  context->pMem->n++;
  entry_enter(function);
  entry_enter(group);
  (is_inverse ? function->function.xInverse : function->function.xSFunc)(
      context, (int)arguments.count, arguments.values);
  number = group->number;
  entry_leave(sandbox, group);
  entry_leave(sandbox, function);
  reply->count = 0;
  put_code(reply, context->isError > 0 ? context->isError : SQLITE_OK);
  out_u32(reply, number);
  if (context->isError) {
    const unsigned char *text = sqlite3_value_text(&result);
    out_optional(reply, text, text ? (size_t)sqlite3_value_bytes(&result) : 0);
  }
  sqlite3VdbeMemRelease(&result);
  arguments_free(&arguments);
}

static void on_value(Connection *connection, In *in, Out *reply, bool is_final) {
  Sandbox *sandbox = connection->sandbox;
  Entry *function = function_of(connection, in, true);
  bool is_callable = function && (is_final || function->function.xValue);
  Entry *group = is_callable ? group_of(connection, function, in_u32(in)) : NULL;
  if (!group) {
    put_code(reply, SQLITE_INTERNAL);
    return;
  }
  Mem result, *state = &group->group.state;
  mem_init(&result, &connection->db);
  entry_enter(function);
  entry_enter(group);
  int code = is_final ? sqlite3VdbeMemFinalize(state, &function->function)
                      : sqlite3VdbeMemAggValue(state, &result, &function->function);
  reply->count = 0;
  put_result(sandbox, reply, code, is_final ? state : &result);
  sqlite3VdbeMemRelease(&result);
  entry_leave(sandbox, group);
  if (is_final) entry_free(sandbox, group);
  entry_leave(sandbox, function);
}

static void on_compare(Connection *connection, In *in, Out *reply) {
  Sandbox *sandbox = connection->sandbox;
  Entry *collation = entry_find(sandbox, COLLATION, in_u32(in));
  uint32_t left_count, right_count;
  const uint8_t *left = in_bytes(in, &left_count), *right = in_bytes(in, &right_count);
  if (!collation || !collation->compare || !left || !right || left_count > SQLITE_MAX_LENGTH ||
      right_count > SQLITE_MAX_LENGTH) {
    put_code(reply, 0);
    return;
  }
  entry_enter(collation);
  int order = collation->compare(collation->data, (int)left_count, left, (int)right_count, right);
  entry_leave(sandbox, collation);
  reply->count = 0;
  put_code(reply, order);
}

static void on_destroy(Sandbox *sandbox, In *in) {
  uint32_t number = in_u32(in);
  if (number == 0 || number >= sandbox->entry_count) return;
  Entry *entry = sandbox->entries[number];
  bool is_registered = entry->kind == FUNCTION || entry->kind == COLLATION ||
                       entry->kind == POINTER || entry->kind == AUXILIARY ||
                       entry->kind == MODULE || entry->kind == SHAPE || entry->kind == SHAPE_DATA;
  if (is_registered && !entry->is_dead) entry_free(sandbox, entry);
}

static int on_busy(Connection *connection, In *in) {
  BusyHandler *busy = &connection->db.busyHandler;
  return busy->xBusyHandler ? busy->xBusyHandler(busy->pBusyArg, (int)in_u32(in)) : 0;
}

static int on_update(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  int action = (int)in_u32(in);
  const char *schema = in_text(in), *table = in_text(in);
  sqlite3_int64 row = (sqlite3_int64)in_u64(in);
  if (db->xUpdateCallback && schema && table) {
    db->xUpdateCallback(db->pUpdateArg, action, schema, table, row);
  }
  return 0;
}

static int on_wal(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  const char *schema = in_text(in);
  int pages = (int)in_u32(in);
  return db->xWalCallback && schema ? db->xWalCallback(db->pWalArg, db, schema, pages) : SQLITE_OK;
}

static int on_authorize(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  int action = (int)in_u32(in);
  const char *texts[4];
  for (int i = 0; i < 4; i++) texts[i] = in_text(in);
  if (!db->xAuth) return SQLITE_OK;
  return db->xAuth(db->pAuthArg, action, texts[0], texts[1], texts[2], texts[3]);
}

static Statement *statement_at(Connection *connection, uint32_t handle) {
  Statement *statement = connection->client.statements;
  while (statement && statement->handle != handle) statement = statement->next;
  return statement;
}

static void trace(Connection *connection, unsigned kind, Statement *statement, const char *text,
                  sqlite3_int64 time) {
  sqlite3 *db = &connection->db;
  if (kind == SQLITE_TRACE_PROFILE && db->xProfile) {
    db->xProfile(db->pProfileArg, statement->sql, (u64)time);
  }
  if (db->mTrace & SQLITE_TRACE_LEGACY) {
    const char *shown = connection->expanded ? connection->expanded : text;
    if (kind == SQLITE_TRACE_STMT && db->trace.xLegacy) db->trace.xLegacy(db->pTraceArg, shown);
  } else if (db->mTrace & kind && db->trace.xV2) {
    void *first = kind == SQLITE_TRACE_CLOSE ? (void *)db : statement;
    void *second = kind == SQLITE_TRACE_PROFILE ? (void *)&time : (void *)text;
    db->trace.xV2(kind, db->pTraceArg, first, second);
  }
}

static int on_trace(Connection *connection, In *in) {
  unsigned kind = in_u32(in);
  uint32_t handle = in_u32(in);
  sqlite3_int64 time = (sqlite3_int64)in_u64(in);
  const char *text = in_text(in), *sql = in_text(in), *expanded = in_text(in);
  /* SQLite's internal statements do not exist in the library. */
  Statement inner = {.connection = connection, .sql = (char *)(sql ? sql : "")};
  Statement *statement = statement_at(connection, handle);
  uint32_t width = in_u32(in);
  /* The program may use any other row, also in an outer callback of this statement. */
  bool has_row = statement && statement->own.is_stepping && !statement->has_row && width;
  if (has_row) read_row(statement, width, in);
  if (!statement) statement = &inner;
  Statement *outer = connection->traced;
  const char *outer_text = connection->expanded;
  connection->traced = kind == SQLITE_TRACE_STMT ? statement : outer;
  connection->expanded = expanded;
  trace(connection, kind, statement, text ? text : "", time);
  if (has_row) statement->has_row = false;
  connection->traced = outer;
  connection->expanded = outer_text;
  return 0;
}

static int on_collation_needed(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  int encoding = (int)in_u32(in);
  const char *name = in_text(in);
  if (name && db->xCollNeeded) db->xCollNeeded(db->pCollNeededArg, db, encoding, name);
  if (name && db->xCollNeeded16) {
    Mem wide;
    mem_init(&wide, db);
    sqlite3VdbeMemSetStr(&wide, name, -1, SQLITE_UTF8, SQLITE_TRANSIENT);
    const void *text = sqlite3_value_text16(&wide);
    if (text) db->xCollNeeded16(db->pCollNeededArg, db, encoding, text);
    sqlite3VdbeMemRelease(&wide);
  }
  return 0;
}

static int on_autovacuum(Connection *connection, In *in) {
  sqlite3 *db = &connection->db;
  const char *schema = in_text(in);
  unsigned pages = in_u32(in), unused = in_u32(in), bytes = in_u32(in);
  if (!db->xAutovacPages || !schema) return (int)unused;
  return (int)db->xAutovacPages(db->pAutovacPagesArg, schema, pages, unused, bytes);
}

static int on_table_filter(Connection *connection, In *in) {
  Entry *handler = entry_find(connection->sandbox, HANDLER, in_u32(in));
  const char *table = in_text(in);
  if (!handler || !handler->handler.filter || !table) return 0;
  return handler->handler.filter(handler->data, table);
}

static int on_conflict(Connection *connection, In *in);
static void on_method(Connection *connection, In *in, Out *reply);
static void on_shape(Connection *connection, In *in, Out *reply);

static void dispatch(Connection *connection, uint8_t event, In *in, Out *reply) {
  sqlite3 *db = &connection->db;
  int code = 0;
  switch (event) {
    case EVENT_SCALAR: on_scalar(connection, in, reply); return;
    case EVENT_AGGREGATE_STEP:
    case EVENT_AGGREGATE_INVERSE:
      on_step(connection, in, reply, event == EVENT_AGGREGATE_INVERSE);
      return;
    case EVENT_AGGREGATE_VALUE:
    case EVENT_AGGREGATE_FINAL:
      on_value(connection, in, reply, event == EVENT_AGGREGATE_FINAL);
      return;
    case EVENT_COMPARE: on_compare(connection, in, reply); return;
    case EVENT_METHOD: on_method(connection, in, reply); return;
    case EVENT_SHAPE: on_shape(connection, in, reply); return;
    case EVENT_DESTROY: on_destroy(connection->sandbox, in); break;
    case EVENT_BUSY: code = on_busy(connection, in); break;
    case EVENT_PROGRESS: code = db->xProgress ? db->xProgress(db->pProgressArg) : 0; break;
    case EVENT_COMMIT: code = db->xCommitCallback ? db->xCommitCallback(db->pCommitArg) : 0; break;
    case EVENT_ROLLBACK:
      if (db->xRollbackCallback) db->xRollbackCallback(db->pRollbackArg);
      break;
    case EVENT_UPDATE: code = on_update(connection, in); break;
    case EVENT_PREUPDATE: code = on_preupdate(connection, in); break;
    case EVENT_WAL: code = on_wal(connection, in); break;
    case EVENT_AUTHORIZER: code = on_authorize(connection, in); break;
    case EVENT_TRACE: code = on_trace(connection, in); break;
    case EVENT_COLLATION_NEEDED: code = on_collation_needed(connection, in); break;
    case EVENT_AUTOVACUUM_PAGES: code = on_autovacuum(connection, in); break;
    case EVENT_TABLE_FILTER: code = on_table_filter(connection, in); break;
    case EVENT_CONFLICT: code = on_conflict(connection, in); break;
  }
  reply->count = 0;
  put_code(reply, code);
}

const uint8_t *library_event(const void *own, const uint8_t *bytes, size_t count,
                             size_t *reply_count) {
  Sandbox *sandbox = (Sandbox *)own;
  In in = {bytes, bytes + count, false};
  uint8_t event = in_u8(&in);
  uint32_t id = in_u32(&in);
  Connection *connection = sandbox->connections;
  while (connection && connection->id != id) connection = connection->next;
  *reply_count = 0;
  if (sandbox->depth == MAX_EVENT_DEPTH) return NULL;
  /* Calls of the program during the event do not overwrite the replies to outer events. */
  Out *reply = &sandbox->replies[sandbox->depth++];
  reply->count = 0;
  reply->is_short = false;
  if (connection) dispatch(connection, event, &in, reply);
  sandbox->depth--;
  *reply_count = reply->is_short ? 0 : reply->count;
  return reply->bytes;
}
