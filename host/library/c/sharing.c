/* Which connections share an instance: those that share a cache, with the same limits and grants. */

/* Parameters of a URI that this library defines. */
#define MAX_MEMORY "wasm_max_memory"
#define TIMEOUT "wasm_timeout"

static bool is_in_memory(const char *file, unsigned flags, const char *vfs) {
  return flags & SQLITE_OPEN_MEMORY || !*file || strcmp(file, ":memory:") == 0 ||
         strcmp(vfs, "memdb") == 0;
}

/* Names a file that need not exist, however its path is written. */
static char *file_key(const char *file) {
  char *real = realpath(file, NULL), *key;
  if (real) {
    key = sqlite3_mprintf("file:%s", real);
  } else {
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    char *parent = slash ? sqlite3_mprintf("%.*s", (int)(name - file), file) : NULL;
    real = realpath(parent ? parent : ".", NULL);
    /* The root directory's path ends with its slash. */
    key = sqlite3_mprintf("file:%s%s%s", real ? real : "", real && !real[1] ? "" : "/", name);
    sqlite3_free(parent);
  }
  free(real);
  return key;
}

/* The properties that connections must share to share an instance; null if the connection shares
** none. */
static char *sharing_key(const char *file, unsigned flags, const char *vfs) {
  if (strcmp(vfs, "memdb") == 0 && *file == '/') return sqlite3_mprintf("memdb");
  if (!(flags & SQLITE_OPEN_SHAREDCACHE)) return NULL;
  if (is_in_memory(file, flags, vfs)) return sqlite3_mprintf("memory:%s", file);
  return file_key(file);
}

static bool names_limits(const char *file) {
  return sqlite3_uri_parameter(file, MAX_MEMORY) || sqlite3_uri_parameter(file, TIMEOUT);
}

/* The limits that a URI names; null without memory. */
static char *limits_of(const char *file) {
  const char *memory = sqlite3_uri_parameter(file, MAX_MEMORY);
  const char *timeout = sqlite3_uri_parameter(file, TIMEOUT);
  return sqlite3_mprintf("%s %s", memory ? memory : "", timeout ? timeout : "");
}

/* What a connection is granted, as one text; null without grants or memory. */
static char *grants_of(sqlite3 *db) {
  const char *const *grants = connection_of(db)->grants;
  char *text = NULL;
  for (; grants && *grants; grants++) {
    text = sqlite3_mprintf("%z%Q", text, *grants);
    if (!text) break;
  }
  return text;
}

/* Compares, and frees the first. */
static bool is_text(char *wanted, const char *found) {
  bool fits = wanted && found && strcmp(wanted, found) == 0;
  sqlite3_free(wanted);
  return fits;
}

/* Why a connection cannot share a sandbox: none of the limits in its URI and of its grants is ignored. */
static const char *refused_sharing(const Sandbox *sandbox, sqlite3 *db, const char *file) {
  const char *const *grants = connection_of(db)->grants;
  if (names_limits(file) && !is_text(limits_of(file), sandbox->limits))
    return "the shared cache has other limits than this URI";
  if (grants && *grants && !is_text(grants_of(db), sandbox->grants))
    return "the shared cache has other grants than this connection";
  return NULL;
}
