/* Modules of the program: registering them, and the functions that their methods call. */

/* The methods of a module; its version says which fields can be read. */
static uint32_t bits_of(const sqlite3_module *module) {
  uint32_t bits = 0;
#define METHOD(version, bit, field) \
  if (module->iVersion >= (version) && module->field) bits |= 1u << (bit);
  METHOD(0, METHOD_CREATE, xCreate)
  METHOD(0, METHOD_CONNECT, xConnect)
  METHOD(0, METHOD_BEST_INDEX, xBestIndex)
  METHOD(0, METHOD_DISCONNECT, xDisconnect)
  METHOD(0, METHOD_DESTROY, xDestroy)
  METHOD(0, METHOD_OPEN, xOpen)
  METHOD(0, METHOD_CLOSE, xClose)
  METHOD(0, METHOD_FILTER, xFilter)
  METHOD(0, METHOD_NEXT, xNext)
  METHOD(0, METHOD_EOF, xEof)
  METHOD(0, METHOD_COLUMN, xColumn)
  METHOD(0, METHOD_ROWID, xRowid)
  METHOD(0, METHOD_UPDATE, xUpdate)
  METHOD(0, METHOD_BEGIN, xBegin)
  METHOD(0, METHOD_SYNC, xSync)
  METHOD(0, METHOD_COMMIT, xCommit)
  METHOD(0, METHOD_ROLLBACK, xRollback)
  METHOD(0, METHOD_FIND_FUNCTION, xFindFunction)
  METHOD(0, METHOD_RENAME, xRename)
  METHOD(2, METHOD_SAVEPOINT, xSavepoint)
  METHOD(2, METHOD_RELEASE, xRelease)
  METHOD(2, METHOD_ROLLBACK_TO, xRollbackTo)
  METHOD(3, METHOD_SHADOW_NAME, xShadowName)
  METHOD(4, METHOD_INTEGRITY, xIntegrity)
#undef METHOD
  if (module->xCreate && module->xCreate == module->xConnect)
    bits |= 1u << METHOD_CREATE_IS_CONNECT;
  return bits;
}

static int create_module(Connection *connection, const char *name, const sqlite3_module *module,
                         void *data, void (*destructor)(void *)) {
  Reply reply;
  Entry *entry = module ? entry_new(connection->sandbox, MODULE) : NULL;
  uint32_t number = entry ? entry->number : 0;
  if (entry) {
    entry->data = data;
    entry->destroy = destructor;
    entry->connection = connection;
    entry->module.methods = module;
    entry->module.bits = bits_of(module);
    connection->has_callbacks = connection->has_modules = true;
  } else if (module) {
    if (destructor) destructor(data);
    return fail_no_memory(connection);
  }
  Out *work = call(connection, CALL_CREATE_MODULE);
  out_text(work, name);
  out_u32(work, module ? (uint32_t)module->iVersion : 0);
  out_u32(work, entry ? entry->module.bits : 0);
  out_u32(work, number);
  bool is_sent = send(connection, &reply) == SQLITE_OK;
  /* If the engine has received it, even if the call failed, the engine reports when it ends. */
  entry = entry_find(connection->sandbox, MODULE, number);
  if (entry && !is_sent) entry_free(connection->sandbox, entry);
  return reply.code & connection->db.errMask;
}

EXPORT int sqlite3_create_module_v2(sqlite3 *db, const char *name, const sqlite3_module *module,
                                    void *data, void (*destructor)(void *)) {
  if (!is_open(db) || !name) {
    if (destructor) destructor(data);
    return SQLITE_MISUSE_BKPT;
  }
  enter(connection_of(db));
  return leave_with(connection_of(db),
                    create_module(connection_of(db), name, module, data, destructor));
}

EXPORT int sqlite3_create_module(sqlite3 *db, const char *name, const sqlite3_module *module,
                                 void *data) {
  return sqlite3_create_module_v2(db, name, module, data, NULL);
}

/* Disconnect tables as sqlite3_close does before it looks for statements. */
static void disconnect_tables(Connection *connection) {
  call(connection, CALL_DISCONNECT_TABLES);
  request_code(connection);
  set_code(connection, SQLITE_OK);
}

/* In xCreate and xConnect. */

/* How many columns a declaration has, counted here, since the sandbox is not trusted. */
static uint32_t count_columns(const char *sql) {
  const unsigned char *at = (const unsigned char *)sql;
  uint32_t columns = 0;
  bool is_first = false;
  for (int depth = 0, type; *at;) {
    i64 length = sqlite3GetToken(at, &type);
    at += length;
    if (length <= 0) break;
    if (type == TK_SPACE || type == TK_COMMENT) continue;
    if (is_first) {
      columns += type != TK_CONSTRAINT && type != TK_PRIMARY && type != TK_UNIQUE &&
                 type != TK_CHECK && type != TK_FOREIGN;
    }
    is_first = (type == TK_LP && depth == 0) || (type == TK_COMMA && depth == 1);
    if (type == TK_LP) depth++;
    else if (type == TK_RP && --depth == 0) break;
  }
  return columns;
}

EXPORT int sqlite3_declare_vtab(sqlite3 *db, const char *sql) {
  if (!is_open(db) || !sql) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  out_text(call(connection, CALL_DECLARE_VTAB), sql);
  int code = request_code(connection);
  if (code == SQLITE_OK && connection->declared) *connection->declared = count_columns(sql);
  return leave_with(connection, code);
}

EXPORT int sqlite3_vtab_config(sqlite3 *db, int option, ...) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  va_list arguments;
  va_start(arguments, option);
  int number = option == SQLITE_VTAB_CONSTRAINT_SUPPORT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  Connection *connection = connection_of(db);
  enter(connection);
  Out *work = call(connection, CALL_VTAB_CONFIG);
  out_u32(work, (uint32_t)option);
  out_u32(work, (uint32_t)number);
  return leave_with(connection, request_code(connection));
}

EXPORT int sqlite3_vtab_on_conflict(sqlite3 *db) {
  if (!is_open(db)) return SQLITE_ABORT;
  enter(connection_of(db));
  call(connection_of(db), CALL_VTAB_ON_CONFLICT);
  return leave_with(connection_of(db), request_number(connection_of(db), SQLITE_ABORT));
}
