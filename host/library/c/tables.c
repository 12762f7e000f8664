/* The methods of tables and cursors, as the sandbox calls them. The bytes may be malformed: a
** method runs only on an object, in a state and with arguments with which SQLite would call it. */

/* Connecting. */

/* A call of a method: the arguments from the sandbox, and the reply. */
typedef struct {
  Connection *connection;
  Sandbox *sandbox;
  uint8_t method;
  In *in;
  Out *reply;
} MethodCall;

static void refuse(MethodCall *call, int code) {
  call->reply->count = 0;
  put_code(call->reply, code);
}

static const sqlite3_module *methods_of(const Entry *table) { return table->owner->module.methods; }

/* Write the code and, after a failure, the table's message. Returns whether it succeeded. */
static bool put_outcome(MethodCall *call, const Entry *table, int code) {
  sqlite3_vtab *vtab = table->table.vtab;
  refuse(call, code);
  if (code) out_text(call->reply, vtab->zErrMsg);
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = NULL;
  return code == SQLITE_OK;
}

static void disconnect(void *data) {
  sqlite3_vtab *vtab = data;
  sqlite3_free(vtab->zErrMsg);
  vtab->zErrMsg = NULL;
  vtab->pModule->xDisconnect(vtab);
}

static void close_cursor(void *data) {
  sqlite3_vtab_cursor *cursor = data;
  cursor->pVtab->pModule->xClose(cursor);
}

static Entry *new_table(MethodCall *call, Entry *module, sqlite3_vtab *vtab, uint32_t columns) {
  memset(vtab, 0, sizeof(*vtab));
  vtab->pModule = module->module.methods;
  Entry *table = entry_new(call->sandbox, TABLE);
  if (!table) {
    disconnect(vtab);
    return NULL;
  }
  entry_enter(module);
  table->owner = module;
  table->connection = call->connection;
  table->data = table->table.vtab = vtab;
  table->destroy = disconnect;
  table->table.columns = columns;
  table->table.serial = ++call->sandbox->table_serial;
  /* SQLite can end a transaction of a table that it has created, without xBegin. */
  bool is_one = module->module.bits & 1u << METHOD_CREATE_IS_CONNECT;
  table->table.is_in_transaction = call->method == METHOD_CREATE || is_one;
  table->table.may_begin = is_one;
  return table;
}

/* The arguments of xCreate and xConnect: at least three, none of which is null. */
static const char **read_texts(In *in, uint32_t *count) {
  const char **texts = read_names(in, in_text, count);
  bool is_bad = *count < 3 || in->is_bad;
  for (uint32_t i = 0; texts && i < *count; i++) is_bad |= !texts[i];
  if (!is_bad) return texts;
  sqlite3_free(texts);
  return NULL;
}

static void on_connect(MethodCall *call, Entry *module) {
  uint32_t count, columns = 0, *outer = call->connection->declared;
  const sqlite3_module *methods = module->module.methods;
  const char **texts = read_texts(call->in, &count);
  sqlite3_vtab *vtab = NULL;
  char *message = NULL;
  if (!texts) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  call->connection->declared = &columns;
  int code = (call->method == METHOD_CREATE ? methods->xCreate : methods->xConnect)(
      &call->connection->db, module->data, (int)count, texts, &vtab, &message);
  call->connection->declared = outer;
  sqlite3_free(texts);
  Entry *table = code == SQLITE_OK && vtab ? new_table(call, module, vtab, columns) : NULL;
  if (code == SQLITE_OK && !table) code = SQLITE_NOMEM;
  refuse(call, code);
  if (table) out_u32(call->reply, table->number);
  else out_text(call->reply, message);
  sqlite3_free(message);
}

/* End a table, after its cursors and the calls that use it. */
static void on_end(MethodCall *call, Entry *table) {
  if (table->running > 1) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  if (call->method == METHOD_DESTROY) {
    /* Functions that xDestroy runs must not find the table that it frees. */
    table->is_dead = true;
    int code = methods_of(table)->xDestroy(table->table.vtab);
    if (code) {
      table->is_dead = false;
      put_outcome(call, table, code);
      return;
    }
    table->destroy = NULL;
  }
  entry_free(call->sandbox, table);
  refuse(call, SQLITE_OK);
}

static void on_best_index(MethodCall *call, Entry *table) {
  Planning planning;
  if (!planning_read(&planning, call->connection, table, call->in)) {
    refuse(call, SQLITE_INTERNAL);
  } else {
    int code = methods_of(table)->xBestIndex(table->table.vtab, &planning.info);
    if (put_outcome(call, table, code)) put_plan(&planning, call->sandbox, table, call->reply);
  }
  planning_free(&planning);
}

/* Cursors. */

static void on_open(MethodCall *call, Entry *table) {
  sqlite3_vtab_cursor *opened = NULL;
  if (call->sandbox->cursor_count >= MAX_CURSORS) {
    refuse(call, SQLITE_NOMEM);
    return;
  }
  int code = methods_of(table)->xOpen(table->table.vtab, &opened);
  Entry *cursor = NULL;
  if (code == SQLITE_OK && opened) {
    opened->pVtab = table->table.vtab;
    cursor = entry_new(call->sandbox, CURSOR);
    if (!cursor) close_cursor(opened);
  }
  if (code == SQLITE_OK && !cursor) code = SQLITE_NOMEM;
  if (!put_outcome(call, table, code)) return;
  call->sandbox->cursor_count++;
  entry_enter(table);
  cursor->owner = table;
  cursor->connection = call->connection;
  cursor->data = cursor->cursor.cursor = opened;
  cursor->destroy = close_cursor;
  out_u32(call->reply, cursor->number);
}

static void on_close(MethodCall *call, Entry *cursor) {
  entry_free(call->sandbox, cursor);
  refuse(call, SQLITE_OK);
}

/* Write the position after a method that moved the cursor. */
static void put_position(MethodCall *call, Entry *cursor, int code) {
  Entry *table = cursor->owner;
  bool has_row = code == SQLITE_OK && !methods_of(table)->xEof(cursor->cursor.cursor);
  cursor->cursor.has_row = has_row;
  if (put_outcome(call, table, code)) out_u8(call->reply, !has_row);
}

static void on_filter(MethodCall *call, Entry *cursor) {
  int number = (int)in_u32(call->in);
  const char *text = in_text(call->in);
  uint64_t given = in_u64(call->in), seal;
  uint32_t count = in_u32(call->in);
  Entry *table = cursor->owner;
  bool is_sealed = !call->in->is_bad && seal_of(call->sandbox, table, number, text, count, &seal) &&
                   seal == given;
  struct Filtering *filtering =
      is_sealed ? filtering_read(call->connection, call->in, count) : NULL;
  if (!filtering) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  struct Filtering *former = cursor->cursor.filtering;
  cursor->cursor.filtering = filtering;
  cursor->cursor.has_row = false;
  int code = methods_of(table)->xFilter(cursor->cursor.cursor, number, text, (int)count,
                                        filtering->values);
  filtering_free(former);
  put_position(call, cursor, code);
}

static void on_next(MethodCall *call, Entry *cursor) {
  if (!cursor->cursor.has_row) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  cursor->cursor.has_row = false;
  put_position(call, cursor, methods_of(cursor->owner)->xNext(cursor->cursor.cursor));
}

/* Write a column; TAG_MISSING means that UPDATE does not change it. */
static void put_column(MethodCall *call, sqlite3_context *context, Mem *result) {
  if (context->isError > 0) {
    out_u8(call->reply, 1);
    put_failure(call->reply, context->isError, result);
    return;
  }
  out_u8(call->reply, 0);
  Entry *pointer = take_pointer(call->sandbox, result);
  if (pointer) {
    out_u8(call->reply, TAG_POINTER);
    out_u32(call->reply, pointer->number);
  } else if (sqlite3_value_nochange(result)) {
    out_u8(call->reply, TAG_MISSING);
  } else {
    put_value(call->reply, result);
  }
}

static void on_column(MethodCall *call, Entry *cursor) {
  static FuncDef no_function = {.funcFlags = SQLITE_RESULT_SUBTYPE};
  uint32_t column = in_u32(call->in);
  bool is_unchanged = in_u8(call->in);
  if (!cursor->cursor.has_row || column >= cursor->owner->table.columns) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  Mem result;
  sqlite3_context context = {.pOut = &result, .pFunc = &no_function, .enc = SQLITE_UTF8};
  mem_init(&result, &call->connection->db);
  if (is_unchanged) result.flags = MEM_Null | MEM_Zero;
  int code = methods_of(cursor->owner)->xColumn(cursor->cursor.cursor, &context, (int)column);
  /* An error of the result replaces the method's. */
  if (context.isError > 0) code = SQLITE_OK;
  if (put_outcome(call, cursor->owner, code)) put_column(call, &context, &result);
  sqlite3VdbeMemRelease(&result);
}

static void on_row_id(MethodCall *call, Entry *cursor) {
  sqlite3_int64 row_id = 0;
  if (!cursor->cursor.has_row) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  int code = methods_of(cursor->owner)->xRowid(cursor->cursor.cursor, &row_id);
  if (put_outcome(call, cursor->owner, code)) out_u64(call->reply, (uint64_t)row_id);
}

/* Changes. */

static void on_table_update(MethodCall *call, Entry *table) {
  uint32_t count = in_u32(call->in);
  bool has_begun = table->table.is_in_transaction || !methods_of(table)->xBegin;
  Arguments arguments;
  if (!has_begun || (count != 1 && count != table->table.columns + 2)) {
    refuse(call, SQLITE_INTERNAL);
    return;
  }
  int code = arguments_read_all(&arguments, call->connection, call->in, count);
  if (code) {
    refuse(call, code);
    return;
  }
  sqlite3_int64 row_id = 0;
  code = methods_of(table)->xUpdate(table->table.vtab, (int)count, arguments.values, &row_id);
  if (put_outcome(call, table, code)) out_u64(call->reply, (uint64_t)row_id);
  arguments_free(&arguments);
}

static void on_transaction(MethodCall *call, Entry *table);

/* The entry of a function that xFindFunction returned. */
static Entry *function_found(MethodCall *call, Entry *table, int count, const char *name,
                             void (*function)(sqlite3_context *, int, sqlite3_value **),
                             void *data) {
  for (uint32_t i = 1; i < call->sandbox->entry_count; i++) {
    Entry *old = call->sandbox->entries[i];
    bool is_same = old->kind == FUNCTION && old->owner == table && old->function.nArg == count &&
                   old->function.xSFunc == function && old->data == data;
    if (is_same) return old;
  }
  char *copy = sqlite3_mprintf("%s", name);
  Entry *entry = copy ? entry_new(call->sandbox, FUNCTION) : NULL;
  if (!entry) {
    sqlite3_free(copy);
    return NULL;
  }
  entry->owner = table;
  entry->data = data;
  entry->function = (FuncDef){.nArg = (i16)count,
                              .funcFlags = SQLITE_UTF8,
                              .pUserData = data,
                              .xSFunc = function,
                              .zName = copy};
  return entry;
}

static void on_find_function(MethodCall *call, Entry *table) {
  int count = (int)in_u32(call->in), kind = 0;
  const char *name = in_text(call->in);
  void (*function)(sqlite3_context *, int, sqlite3_value **) = NULL;
  void *data = NULL;
  if (name && count >= 0 && count <= SQLITE_MAX_FUNCTION_ARG) {
    kind = methods_of(table)->xFindFunction(table->table.vtab, count, name, &function, &data);
  }
  Entry *found = kind && function ? function_found(call, table, count, name, function, data) : NULL;
  refuse(call, SQLITE_OK);
  out_u32(call->reply, found ? (uint32_t)kind : 0);
  out_u32(call->reply, found ? found->number : 0);
}

static void on_rename(MethodCall *call, Entry *table) {
  const char *name = in_text(call->in);
  put_outcome(call, table,
              name ? methods_of(table)->xRename(table->table.vtab, name) : SQLITE_INTERNAL);
}

static void on_shadow_name(MethodCall *call, Entry *module) {
  const char *ending = in_text(call->in);
  refuse(call, ending && module->module.methods->xShadowName(ending));
}

static void on_integrity(MethodCall *call, Entry *table) {
  const char *schema = in_text(call->in), *name = in_text(call->in);
  int flags = (int)in_u32(call->in), code = SQLITE_INTERNAL;
  char *wrong = NULL;
  if (schema && name) {
    code = methods_of(table)->xIntegrity(table->table.vtab, schema, name, flags, &wrong);
  }
  if (put_outcome(call, table, code)) out_text(call->reply, wrong);
  sqlite3_free(wrong);
}

/* The methods, and the kinds of their objects. */
static const struct {
  EntryKind kind;
  void (*call)(MethodCall *, Entry *);
} methods[] = {
    [METHOD_CREATE] = {MODULE, on_connect},
    [METHOD_CONNECT] = {MODULE, on_connect},
    [METHOD_BEST_INDEX] = {TABLE, on_best_index},
    [METHOD_DISCONNECT] = {TABLE, on_end},
    [METHOD_DESTROY] = {TABLE, on_end},
    [METHOD_OPEN] = {TABLE, on_open},
    [METHOD_CLOSE] = {CURSOR, on_close},
    [METHOD_FILTER] = {CURSOR, on_filter},
    [METHOD_NEXT] = {CURSOR, on_next},
    [METHOD_COLUMN] = {CURSOR, on_column},
    [METHOD_ROWID] = {CURSOR, on_row_id},
    [METHOD_UPDATE] = {TABLE, on_table_update},
    [METHOD_BEGIN] = {TABLE, on_transaction},
    [METHOD_SYNC] = {TABLE, on_transaction},
    [METHOD_COMMIT] = {TABLE, on_transaction},
    [METHOD_ROLLBACK] = {TABLE, on_transaction},
    [METHOD_SAVEPOINT] = {TABLE, on_transaction},
    [METHOD_RELEASE] = {TABLE, on_transaction},
    [METHOD_ROLLBACK_TO] = {TABLE, on_transaction},
    [METHOD_FIND_FUNCTION] = {TABLE, on_find_function},
    [METHOD_RENAME] = {TABLE, on_rename},
    [METHOD_SHADOW_NAME] = {MODULE, on_shadow_name},
    [METHOD_INTEGRITY] = {TABLE, on_integrity},
};

/* The object with this id, if the program has the method and may be called now. */
static Entry *object_of(MethodCall *call, uint32_t number) {
  if (call->method >= METHOD_CREATE_IS_CONNECT || !methods[call->method].call) return NULL;
  Entry *object = entry_find(call->sandbox, methods[call->method].kind, number);
  if (!object || object->connection != call->connection) return NULL;
  if (object->kind == CURSOR && object->running) return NULL;
  const Entry *module = object;
  while (module->kind != MODULE) module = module->owner;
  return module->module.bits & 1u << call->method ? object : NULL;
}

static void on_method(Connection *connection, In *in, Out *reply) {
  MethodCall call = {connection, connection->sandbox, in_u8(in), in, reply};
  Entry *object = object_of(&call, in_u32(in));
  if (!object) {
    refuse(&call, SQLITE_INTERNAL);
    return;
  }
  entry_enter(object);
  methods[call.method].call(&call, object);
  bool is_end = object->is_dead;
  entry_leave(connection->sandbox, object);
  /* Leaving the object has called the program again. */
  if (is_end) refuse(&call, SQLITE_OK);
}
