/* Loading extensions: native ones into the program, which is trusted, and WebAssembly components
** into the sandbox. SQL can load neither. */

/* The functions for native extensions, in the order of `sqlite3ext.h`; the build generates it. */
extern const sqlite3_api_routines library_routines;

static bool is_ours(const char *file) {
  size_t length = strlen(file);
  return length > 5 && strcmp(file + length - 5, ".wasm") == 0;
}

static int load_ours(Connection *connection, const char *file, char **message) {
  char *why = NULL;
  enter(connection);
  int code = engine_load_extension(connection->sandbox->engine, connection->id, file, &why);
  if (code && message) *message = sqlite3_mprintf("%s", why ? why : "");
  if (why) engine_free_text(why);
  return leave_with(connection, code);
}

/* The name of the entry point, made from the file's name: letters after the last '/' and an
** optional "lib", up to the first '.'. */
static char *entry_name(const char *file) {
  const char *name = strrchr(file, '/');
  name = name ? name + 1 : file;
  if (sqlite3_strnicmp(name, "lib", 3) == 0) name += 3;
  char *entry = sqlite3_malloc64(strlen(name) + 40);
  if (!entry) return NULL;
  size_t length = (size_t)snprintf(entry, 20, "sqlite3_");
  for (; *name && *name != '.'; name++) {
    if (sqlite3Isalpha(*name)) entry[length++] = (char)sqlite3UpperToLower[(u8)*name];
  }
  memcpy(entry + length, "_init", 6);
  return entry;
}

static int load_native(sqlite3 *db, const char *file, const char *entry, char **message) {
  char *why = NULL, *with_ending = sqlite3_mprintf("%s.so", file);
  void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library && with_ending) library = dlopen(with_ending, RTLD_NOW | RTLD_GLOBAL);
  sqlite3_free(with_ending);
  if (!library) {
    if (message) *message = sqlite3_mprintf("%s", dlerror());
    return SQLITE_ERROR;
  }
  char *by_file = entry_name(file);
  sqlite3_loadext_entry init =
      (sqlite3_loadext_entry)dlsym(library, entry ? entry : "sqlite3_extension_init");
  if (!init && !entry && by_file) init = (sqlite3_loadext_entry)dlsym(library, by_file);
  if (!init) {
    if (message) {
      *message = sqlite3_mprintf("no entry point [%s] in shared library [%s]",
                                 entry ? entry : by_file, file);
    }
    sqlite3_free(by_file);
    dlclose(library);
    return SQLITE_ERROR;
  }
  sqlite3_free(by_file);
  int code = init(db, &why, &library_routines);
  if (code == SQLITE_OK_LOAD_PERMANENTLY) code = SQLITE_OK;
  if (code && message) *message = sqlite3_mprintf("error during initialization: %s", why);
  sqlite3_free(why);
  /* It stays loaded: its functions can run until the connection is closed. */
  return code ? SQLITE_ERROR : SQLITE_OK;
}

EXPORT int sqlite3_load_extension(sqlite3 *db, const char *file, const char *entry,
                                  char **message) {
  if (message) *message = NULL;
  if (!is_open(db) || !file) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  if (!(db->flags & SQLITE_LoadExtension)) {
    if (message) *message = sqlite3_mprintf("not authorized");
    return fail(connection, SQLITE_ERROR, "not authorized");
  }
  int code =
      is_ours(file) ? load_ours(connection, file, message) : load_native(db, file, entry, message);
  enter(connection);
  if (code) fail(connection, code, NULL);
  return leave_with(connection, code);
}

/* Run the functions that sqlite3_auto_extension has registered. */
static int auto_load(sqlite3 *db) {
  for (u32 i = 0; i < sqlite3Autoext.nExt; i++) {
    char *message = NULL;
    sqlite3_loadext_entry init = (sqlite3_loadext_entry)sqlite3Autoext.aExt[i];
    int code = init(db, &message, &library_routines);
    if (code) {
      sqlite3ErrorWithMsg(db, code, "automatic extension loading failed: %s", message);
    }
    sqlite3_free(message);
    if (code) return code;
  }
  return SQLITE_OK;
}
