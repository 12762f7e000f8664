/* Functions and collations of the program. */

typedef void Step(sqlite3_context *, int, sqlite3_value **);
typedef void Final(sqlite3_context *);

/* Auxiliary data of a call. */

/* Auxiliary data that the function attached during this call. */
typedef struct {
  int index;
  Entry *entry;
} Attached;

#define MAX_ATTACHED 16

/* SQLite's context of a scalar call, and the library's data for the call. */
typedef struct {
  Sandbox *sandbox;
  Entry *function;
  /* Auxiliary data of earlier calls: index and id. */
  In auxiliary;
  uint32_t auxiliary_count;
  Attached attached[MAX_ATTACHED];
  uint32_t attached_count;
  /* Auxiliary data of earlier calls that the function has read, which stay until the call ends. */
  Entry *held[MAX_ATTACHED];
  uint32_t held_count;
} ScalarCall;

/* SQLite's code never reads this field of the library's contexts. */
static ScalarCall *scalar_call(sqlite3_context *context) { return (ScalarCall *)context->pVdbe; }

/* Keep an entry until the call ends, even if the sandbox frees it meanwhile; false without room. */
static bool hold(ScalarCall *scalar, Entry *entry) {
  for (uint32_t i = 0; i < scalar->held_count; i++) {
    if (scalar->held[i] == entry) return true;
  }
  if (scalar->held_count == MAX_ATTACHED) return false;
  entry_enter(entry);
  scalar->held[scalar->held_count++] = entry;
  return true;
}

static void held_free(ScalarCall *scalar) {
  Sandbox *sandbox = scalar->sandbox;
  for (uint32_t i = 0; i < scalar->held_count; i++) entry_leave(sandbox, scalar->held[i]);
  for (uint32_t i = 0; i < scalar->attached_count; i++) {
    entry_leave(sandbox, scalar->attached[i].entry);
  }
}

EXPORT void *sqlite3_get_auxdata(sqlite3_context *context, int index) {
  ScalarCall *scalar = context ? scalar_call(context) : NULL;
  if (!scalar) return NULL;
  for (uint32_t i = 0; i < scalar->attached_count; i++) {
    if (scalar->attached[i].index == index) return scalar->attached[i].entry->data;
  }
  In in = scalar->auxiliary;
  for (uint32_t i = 0; i < scalar->auxiliary_count && !in.is_bad; i++) {
    int place = (int)in_u32(&in);
    uint32_t number = in_u32(&in);
    Entry *entry = place == index ? entry_find(scalar->sandbox, AUXILIARY, number) : NULL;
    bool is_own =
        entry && entry->auxiliary.function == scalar->function && entry->auxiliary.index == index;
    if (is_own) return hold(scalar, entry) ? entry->data : NULL;
  }
  return NULL;
}

EXPORT void sqlite3_set_auxdata(sqlite3_context *context, int index, void *data,
                                void (*destructor)(void *)) {
  ScalarCall *scalar = context ? scalar_call(context) : NULL;
  Entry *entry = NULL;
  uint32_t place = 0;
  if (scalar) {
    while (place < scalar->attached_count && scalar->attached[place].index != index) place++;
    if (place < MAX_ATTACHED) entry = entry_new(scalar->sandbox, AUXILIARY);
  }
  if (!entry) {
    if (destructor) destructor(data);
    return;
  }
  entry->data = data;
  entry->destroy = destructor;
  entry->auxiliary.function = scalar->function;
  entry->auxiliary.index = index;
  entry_enter(entry);
  Entry *former = place < scalar->attached_count ? scalar->attached[place].entry : NULL;
  scalar->attached[place] = (Attached){index, entry};
  if (!former) {
    scalar->attached_count++;
    return;
  }
  entry_free(scalar->sandbox, former);
  entry_leave(scalar->sandbox, former);
}

/* Registering. */

static int create_function(Connection *connection, const char *name, int arguments, int flags,
                           void *data, Step *scalar, Step *step, Final *final, Final *value,
                           Step *inverse, void (*destructor)(void *)) {
  uint8_t kind = scalar ? KIND_SCALAR : !step ? KIND_NONE : value ? KIND_WINDOW : KIND_AGGREGATE;
  Entry *entry = entry_new(connection->sandbox, FUNCTION);
  char *copy = sqlite3_mprintf("%s", name);
  if (!entry || !copy) {
    if (entry) entry_free(connection->sandbox, entry);
    sqlite3_free(copy);
    if (destructor) destructor(data);
    return fail_no_memory(connection);
  }
  entry->data = data;
  entry->destroy = destructor;
  entry->function = (FuncDef){.nArg = (i16)arguments,
                              .funcFlags = SQLITE_UTF8 | ((u32)flags & SQLITE_RESULT_SUBTYPE),
                              .pUserData = data,
                              .xSFunc = scalar ? scalar : step,
                              .xFinalize = final,
                              .xValue = value,
                              .xInverse = inverse,
                              .zName = copy};
  Out *work = call(connection, CALL_CREATE_FUNCTION);
  out_text(work, name);
  out_u32(work, (uint32_t)arguments);
  out_u32(work, (uint32_t)flags);
  out_u8(work, kind);
  out_u32(work, entry->number);
  connection->has_callbacks |= kind != KIND_NONE;
  uint32_t number = entry->number;
  Reply reply;
  int is_sent = send(connection, &reply) == SQLITE_OK;
  /* If the engine has received it, even if the call failed, the engine reports when it ends. */
  entry = entry_find(connection->sandbox, FUNCTION, number);
  if (entry && (kind == KIND_NONE || !is_sent)) entry_free(connection->sandbox, entry);
  return reply.code & connection->db.errMask;
}

static int create_checked(sqlite3 *db, const char *name, int arguments, int flags, void *data,
                          Step *scalar, Step *step, Final *final, Final *value, Step *inverse,
                          void (*destructor)(void *)) {
  bool is_misuse = !is_open(db) || !name || (scalar && final) || (!final != !step) ||
                   (!value != !inverse) || arguments < -1 || arguments > SQLITE_MAX_FUNCTION_ARG ||
                   sqlite3Strlen30(name) > 255;
  if (is_misuse) {
    if (destructor) destructor(data);
    return SQLITE_MISUSE_BKPT;
  }
  Connection *connection = connection_of(db);
  enter(connection);
  return leave_with(connection, create_function(connection, name, arguments, flags, data, scalar,
                                                step, final, value, inverse, destructor));
}

EXPORT int sqlite3_create_function_v2(sqlite3 *db, const char *name, int arguments, int flags,
                                      void *data, Step *scalar, Step *step, Final *final,
                                      void (*destructor)(void *)) {
  return create_checked(db, name, arguments, flags, data, scalar, step, final, 0, 0, destructor);
}

EXPORT int sqlite3_create_function(sqlite3 *db, const char *name, int arguments, int flags,
                                   void *data, Step *scalar, Step *step, Final *final) {
  return create_checked(db, name, arguments, flags, data, scalar, step, final, 0, 0, 0);
}

EXPORT int sqlite3_create_window_function(sqlite3 *db, const char *name, int arguments, int flags,
                                          void *data, Step *step, Final *final, Final *value,
                                          Step *inverse, void (*destructor)(void *)) {
  return create_checked(db, name, arguments, flags, data, 0, step, final, value, inverse,
                        destructor);
}

static char *utf8_of(sqlite3 *db, const void *text) {
  return text ? sqlite3Utf16to8(db, text, -1, SQLITE_UTF16NATIVE) : NULL;
}

EXPORT int sqlite3_create_function16(sqlite3 *db, const void *name, int arguments, int flags,
                                     void *data, Step *scalar, Step *step, Final *final) {
  if (!is_open(db) || !name) return SQLITE_MISUSE_BKPT;
  char *utf8 = utf8_of(db, name);
  int code = create_checked(db, utf8, arguments, flags, data, scalar, step, final, 0, 0, 0);
  sqlite3DbFree(db, utf8);
  return code;
}

EXPORT int sqlite3_create_collation_v2(sqlite3 *db, const char *name, int encoding, void *data,
                                       int (*compare)(void *, int, const void *, int, const void *),
                                       void (*destructor)(void *)) {
  if (!is_open(db) || !name) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  Entry *entry = entry_new(connection->sandbox, COLLATION);
  if (!entry) return leave_with(connection, fail_no_memory(connection));
  entry->data = data;
  entry->compare = compare;
  uint32_t number = entry->number;
  Out *work = call(connection, CALL_CREATE_COLLATION);
  out_text(work, name);
  out_u32(work, (uint32_t)encoding);
  out_u8(work, compare != NULL);
  out_u32(work, number);
  connection->has_callbacks |= compare != NULL;
  int code = request_code(connection);
  entry = entry_find(connection->sandbox, COLLATION, number);
  /* SQLite does not call the destructor if this fails. */
  if (entry && (code || !compare)) entry_free(connection->sandbox, entry);
  else if (entry) entry->destroy = destructor;
  return leave_with(connection, code);
}

EXPORT int sqlite3_create_collation(sqlite3 *db, const char *name, int encoding, void *data,
                                    int (*compare)(void *, int, const void *, int, const void *)) {
  return sqlite3_create_collation_v2(db, name, encoding, data, compare, NULL);
}

EXPORT int sqlite3_create_collation16(sqlite3 *db, const void *name, int encoding, void *data,
                                      int (*compare)(void *, int, const void *, int,
                                                     const void *)) {
  if (!is_open(db) || !name) return SQLITE_MISUSE_BKPT;
  char *utf8 = utf8_of(db, name);
  int code = sqlite3_create_collation_v2(db, utf8, encoding, data, compare, NULL);
  sqlite3DbFree(db, utf8);
  return code;
}
