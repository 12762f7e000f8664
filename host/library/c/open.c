/* Opening and closing. */

static int refuse_open(sqlite3 *db, int code, const char *format, const char *text) {
  sqlite3ErrorWithMsg(db, code, format, text);
  return code;
}

/* Write a path as a part of a URI. */
static void put_escaped(Out *out, const char *text) {
  for (; *text; text++) {
    if (sqlite3Isalnum(*text) || strchr("/._-:", *text)) out_u8(out, (uint8_t)*text);
    else {
      char escaped[4];
      sqlite3_snprintf(sizeof(escaped), escaped, "%%%02X", (unsigned char)*text);
      out_raw(out, escaped, 3);
    }
  }
}

/* The path for the engine: a URI with SQLite's parameters. */
static char *engine_path(const char *file, unsigned flags, const char *vfs) {
  Out out = {0};
  out_raw(&out, "file:", 5);
  /* Two slashes would be followed by a host name. */
  put_escaped(&out, file + (*file ? strspn(file, "/") : 0) - (*file == '/'));
  char separator = '?';
  bool has_cache = false;
  for (int i = 0; sqlite3_uri_key(file, i); i++) {
    const char *key = sqlite3_uri_key(file, i);
    if (sqlite3_strnicmp(key, "wasm_", 5) == 0 || strcmp(key, "vfs") == 0) continue;
    has_cache |= strcmp(key, "cache") == 0;
    out_u8(&out, (uint8_t)separator);
    put_escaped(&out, key);
    out_u8(&out, '=');
    put_escaped(&out, sqlite3_uri_parameter(file, key));
    separator = '&';
  }
  if (strcmp(vfs, "memdb") == 0) {
    out_u8(&out, (uint8_t)separator);
    out_raw(&out, "vfs=memdb", 9);
    separator = '&';
  }
  if (flags & SQLITE_OPEN_SHAREDCACHE && !has_cache) {
    out_u8(&out, (uint8_t)separator);
    out_raw(&out, "cache=shared", 12);
  }
  out_u8(&out, 0);
  return (char *)out.bytes;
}

static void free_sandbox(Sandbox *sandbox) {
  if (sandbox->engine) engine_free(sandbox->engine);
  sandbox->engine = NULL;
  entries_free(sandbox);
  for (int i = 0; i < MAX_EVENT_DEPTH; i++) sqlite3_free(sandbox->replies[i].bytes);
  sqlite3_free(sandbox->key);
  sqlite3_free(sandbox->limits);
  sqlite3_free(sandbox->grants);
  sqlite3_mutex_free(sandbox->mutex);
  sqlite3_free(sandbox);
}

static int start_sandbox(sqlite3 *db, Sandbox *sandbox, const char *file, bool is_file) {
  char *message = NULL;
  StartOptions options = {.library = library_path, .path = is_file ? file : NULL};
  options.max_memory = sqlite3_uri_parameter(file, MAX_MEMORY);
  options.timeout = sqlite3_uri_parameter(file, TIMEOUT);
  options.grants = connection_of(db)->grants;
  int code = engine_start(&options, sandbox, &sandbox->engine, &message);
  if (code) {
    sqlite3_log(code, "%s", message);
    fprintf(stderr, "sqlite-wasm: %s\n", message ? message : "");
    refuse_open(db, code, "%s", message);
  }
  if (message) engine_free_text(message);
  return code;
}

/* The sandbox with a key, or a new one. Takes ownership of the key. */
static Sandbox *sandbox_of(sqlite3 *db, char *key, const char *file, bool is_file, int *code) {
  sqlite3_mutex *mutex = key ? static_mutex() : NULL;
  sqlite3_mutex_enter(mutex);
  Sandbox *sandbox = key ? shared_sandboxes : NULL;
  while (sandbox && strcmp(sandbox->key, key)) sandbox = sandbox->next;
  const char *refused = sandbox ? refused_sharing(sandbox, db, file) : NULL;
  if (refused) {
    *code = refuse_open(db, SQLITE_CANTOPEN, "%s", refused);
    sandbox = NULL;
    sqlite3_free(key);
  } else if (sandbox) {
    sandbox->uses++;
    sqlite3_free(key);
  } else {
    sandbox = sqlite3MallocZero(sizeof(*sandbox));
    *code = sandbox ? SQLITE_OK : SQLITE_NOMEM_BKPT;
    if (sandbox) {
      sandbox->key = key;
      sandbox->uses = 1;
      sandbox->limits = limits_of(file);
      sandbox->grants = grants_of(db);
      sandbox->mutex = sqlite3MutexAlloc(SQLITE_MUTEX_RECURSIVE);
      *code = start_sandbox(db, sandbox, file, is_file);
    }
    if (*code && sandbox) {
      free_sandbox(sandbox);
      sandbox = NULL;
    } else if (key && sandbox) {
      sandbox->next = shared_sandboxes;
      shared_sandboxes = sandbox;
    }
  }
  sqlite3_mutex_leave(mutex);
  return sandbox;
}

static void leave_sandbox(Sandbox *sandbox) {
  sqlite3_mutex *mutex = sandbox->key ? static_mutex() : NULL;
  sqlite3_mutex_enter(mutex);
  bool is_last = --sandbox->uses == 0;
  if (is_last && sandbox->key) {
    Sandbox **link = &shared_sandboxes;
    while (*link && *link != sandbox) link = &(*link)->next;
    if (*link) *link = sandbox->next;
  }
  sqlite3_mutex_leave(mutex);
  if (is_last) free_sandbox(sandbox);
}

static int open_in_engine(Connection *connection, const char *path, unsigned flags) {
  char *message = NULL;
  int code = engine_open(connection->sandbox->engine, path, flags | SQLITE_OPEN_URI,
                         &connection->id, &message);
  if (code) {
    sqlite3ErrorWithMsg(&connection->db, code, "%s",
                        message && *message ? message : sqlite3ErrStr(code));
    if (message) engine_free_text(message);
    connection->id = 0;
    return code;
  }
  Reply reply;
  connection->next = connection->sandbox->connections;
  connection->sandbox->connections = connection;
  Out *work = call(connection, CALL_CONNECT);
  out_u32(work, engine_callback(connection->sandbox->engine));
  out_u32(work, connection->id);
  code = request(connection, &reply);
  connection->address = in_u32(&reply.in);
  return code;
}

/* Whether the sandbox stands for this VFS. `unix-excl` and `unix-none` lock less than it does; others
** lock in another way, and would not exclude each other. */
static bool is_sandboxed(const char *vfs) {
  static const char *const names[] = {"unix", "unix-excl", "unix-none", "memdb"};
  for (size_t i = 0; i < ArraySize(names); i++) {
    if (strcmp(vfs, names[i]) == 0) return true;
  }
  return false;
}

static int open_database(Connection *connection, const char *name, unsigned flags,
                         const char *vfs) {
  sqlite3 *db = &connection->db;
  char *file = NULL, *message = NULL;
  if (!((1 << (flags & 7)) & 0x46)) return SQLITE_MISUSE_BKPT;
  if (flags & SQLITE_OPEN_PRIVATECACHE) flags &= ~(unsigned)SQLITE_OPEN_SHAREDCACHE;
  else if (sqlite3GlobalConfig.sharedCacheEnabled) flags |= SQLITE_OPEN_SHAREDCACHE;
  /* The engine parses the parameters again. */
  unsigned given = flags;
  int code = sqlite3ParseUri(vfs, name, &flags, &db->pVfs, &file, &message);
  if (code) {
    refuse_open(db, code, message ? "%s" : 0, message);
    sqlite3_free(message);
    return code;
  }
  const char *system = db->pVfs->zName;
  if (!is_sandboxed(system)) {
    refuse_open(db, SQLITE_CANTOPEN, "the sandbox cannot use the program's VFS \"%s\"", system);
    sqlite3_free_filename(file);
    return SQLITE_CANTOPEN;
  }
  db->openFlags = flags;
  char *path = engine_path(file, flags, system);
  bool is_file = !is_in_memory(file, flags, system);
  char *key = sharing_key(file, flags, system);
  if (!path) code = SQLITE_NOMEM_BKPT;
  else connection->sandbox = sandbox_of(db, key, file, is_file, &code);
  if (connection->sandbox) {
    db->mutex = connection->sandbox->mutex;
    enter(connection);
    code = open_in_engine(connection, *file || flags & SQLITE_OPEN_MEMORY ? path : "", given);
    leave(connection);
  }
  sqlite3_free(path);
  sqlite3_free_filename(file);
  return code;
}

static Connection *new_connection(unsigned flags) {
  Connection *connection = sqlite3MallocZero(sizeof(*connection));
  if (!connection) return NULL;
  sqlite3 *db = &connection->db;
  connection->forks = forks;
  db->errMask = flags & SQLITE_OPEN_EXRESCODE ? (int)0xffffffff : 0xff;
  db->nDb = 2;
  db->aDb = db->aDbStatic;
  db->lookaside.bDisable = 1;
  db->nFpDigit = 17;
  db->enc = SQLITE_UTF8;
  connection->encoding = SQLITE_UTF8;
  db->autoCommit = 1;
  db->errByteOffset = -1;
  memcpy(db->aLimit, aHardLimit, sizeof(db->aLimit));
  db->aLimit[SQLITE_LIMIT_WORKER_THREADS] = SQLITE_DEFAULT_WORKER_THREADS;
  db->eOpenState = SQLITE_STATE_BUSY;
  return connection;
}

/* As `sqlite3_open_v2`, for a connection that may use more than its database's directory: `grants` ends
** with a null pointer, and has the words of SQLITE_WASM_GRANTS, and NAME=WORDS for extensions. No URI
** can name them, since it may be a stranger's. */
EXPORT int sqlite3_wasm_open(const char *name, sqlite3 **opened, int flags, const char *vfs,
                             const char *const *grants) {
  if (!opened) return SQLITE_MISUSE_BKPT;
  *opened = NULL;
  int code = sqlite3_initialize();
  if (code) return code;
  Connection *connection = new_connection((unsigned)flags);
  if (!connection) return SQLITE_NOMEM;
  *opened = &connection->db;
  connection->grants = grants;
  code = open_database(connection, name ? name : "", (unsigned)flags, vfs);
  connection->grants = NULL;
  connection->db.eOpenState = code ? SQLITE_STATE_SICK : SQLITE_STATE_OPEN;
  if (code == SQLITE_OK) {
    set_code(connection, SQLITE_OK);
    code = auto_load(&connection->db);
  } else if ((connection->db.errCode & 0xff) != (code & 0xff)) {
    fail(connection, code, NULL);
  }
  return code & (connection->db.errMask | 0xff);
}

EXPORT int sqlite3_open_v2(const char *name, sqlite3 **opened, int flags, const char *vfs) {
  return sqlite3_wasm_open(name, opened, flags, vfs, NULL);
}

EXPORT int sqlite3_open(const char *name, sqlite3 **opened) {
  return sqlite3_open_v2(name, opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
}

EXPORT int sqlite3_open16(const void *name, sqlite3 **opened) {
  if (!opened) return SQLITE_MISUSE_BKPT;
  *opened = NULL;
  int code = sqlite3_initialize();
  if (code) return code;
  sqlite3_value *text = sqlite3ValueNew(0);
  static const char nothing[2];
  sqlite3ValueSetStr(text, -1, name ? name : nothing, SQLITE_UTF16NATIVE, SQLITE_STATIC);
  const char *utf8 = sqlite3ValueText(text, SQLITE_UTF8);
  code = utf8 ? sqlite3_open(utf8, opened) : SQLITE_NOMEM_BKPT;
  sqlite3ValueFree(text);
  /* It has no effect on an existing database. */
  if (code == SQLITE_OK) sqlite3_exec(*opened, "PRAGMA encoding = 'UTF-16'", 0, 0, 0);
  return code & 0xff;
}

/* Closing. */

static void free_connection(Connection *connection) {
  sqlite3 *db = &connection->db;
  Sandbox *sandbox = connection->sandbox;
  if (sandbox) {
    Connection **link = &sandbox->connections;
    if (connection->forks == forks && connection->address) {
      engine_close(sandbox->engine, connection->id);
    }
    while (*link && *link != connection) link = &(*link)->next;
    if (*link) *link = connection->next;
    if (connection->forks == forks) tables_end(sandbox, connection);
  }
  while (db->pDbData) sqlite3_set_clientdata(db, db->pDbData->zName, 0, 0);
  if (db->xAutovacDestr) db->xAutovacDestr(db->pAutovacPagesArg);
  if (db->pErr) sqlite3ValueFree(db->pErr);
  free_texts(&connection->client);
  sqlite3_free(connection->client.work.bytes);
  db->eOpenState = SQLITE_STATE_CLOSED;
  sqlite3_mutex *mutex = db->mutex;
  bool is_forked = connection->forks != forks;
  sqlite3_free(connection);
  if (!is_forked) sqlite3_mutex_leave(mutex);
  /* A child of a fork must not free objects that the parent uses. */
  if (sandbox && !is_forked) leave_sandbox(sandbox);
}

static bool has_objects(const Connection *connection) {
  return connection->client.statements || connection->open_objects || connection->requests;
}

/* Close a zombie with the last of its objects; leaves the connection. */
static void close_zombie(Connection *connection) {
  if (has_objects(connection)) leave(connection);
  else free_connection(connection);
}

static int close_connection(sqlite3 *db, bool is_forced) {
  if (!db) return SQLITE_OK;
  if (!sqlite3SafetyCheckSickOrOk(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  if (connection->has_modules && connection->address) disconnect_tables(connection);
  if (has_objects(connection) && !is_forced) {
    return leave_with(connection,
                      fail(connection, SQLITE_BUSY,
                           "unable to close due to unfinalized statements or unfinished backups"));
  }
  /* The waiting calls release something, or have no effect any more. */
  Reply reply;
  if (connection->client.work.count && connection->address) send(connection, &reply);
  db->eOpenState = SQLITE_STATE_ZOMBIE;
  connection->is_zombie = true;
  close_zombie(connection);
  return SQLITE_OK;
}

EXPORT int sqlite3_close(sqlite3 *db) { return close_connection(db, false); }

EXPORT int sqlite3_close_v2(sqlite3 *db) { return close_connection(db, true); }
