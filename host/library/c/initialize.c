/* Initialization and shutdown of the library. */

/* The path of this library. */
static char library_path[4096];

/* Sandboxes with a shared cache, and the mutex of all static data here. */
static Sandbox *shared_sandboxes;

static sqlite3_mutex *static_mutex(void) { return sqlite3MutexAlloc(SQLITE_MUTEX_STATIC_APP3); }

/* Called again from inside: registering a VFS initializes the library. */
static int initialize(void) {
  int code = sqlite3MutexInit();
  if (code) return code;
  sqlite3GlobalConfig.isMutexInit = 1;
  if (!sqlite3GlobalConfig.isMallocInit) code = sqlite3MallocInit();
  if (code) return code;
  sqlite3GlobalConfig.isMallocInit = 1;
  /* The VFS for the program: the engine has another one. */
  code = sqlite3_os_init();
  return code ? code : sqlite3MemdbInit();
}

EXPORT int sqlite3_initialize(void) {
  static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  if (AtomicLoad(&sqlite3GlobalConfig.isInit)) return SQLITE_OK;
  int code = SQLITE_OK;
  pthread_mutex_lock(&mutex);
  if (!sqlite3GlobalConfig.isInit && !sqlite3GlobalConfig.inProgress) {
    sqlite3GlobalConfig.inProgress = 1;
    code = initialize();
    sqlite3GlobalConfig.inProgress = 0;
    if (code == SQLITE_OK) AtomicStore(&sqlite3GlobalConfig.isInit, 1);
  }
  pthread_mutex_unlock(&mutex);
  return code;
}

EXPORT int sqlite3_shutdown(void) {
  if (!AtomicLoad(&sqlite3GlobalConfig.isInit)) return SQLITE_OK;
  sqlite3_reset_auto_extension();
  AtomicStore(&sqlite3GlobalConfig.isInit, 0);
  return SQLITE_OK;
}

static void in_child(void) {
  forks++;
  engine_after_fork(true);
}

static void in_parent(void) { engine_after_fork(false); }

/* Remember the library's path, to find its component, and never unload the library: the sandbox has
** installed signal handlers. */
__attribute__((constructor)) static void loaded(void) {
  Dl_info info;
  if (dladdr(&library_path, &info) && info.dli_fname) {
    snprintf(library_path, sizeof(library_path), "%s", info.dli_fname);
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD);
  }
  pthread_atfork(engine_before_fork, in_parent, in_child);
  const char *verbose = getenv("SQLITE_WASM_VERBOSE");
  if (verbose && strcmp(verbose, "0")) {
    fprintf(stderr, "sqlite-wasm: SQLite %s runs in a sandbox (%s)\n", SQLITE_VERSION,
            library_path);
  }
}

/* The system's random bytes. */
EXPORT void sqlite3_randomness(int count, void *bytes) {
  /* The maximum for one call of `getentropy`. */
  enum { MAX_BYTES = 256 };
  for (int done = 0; bytes && done < count; done += MAX_BYTES) {
    int now = count - done < MAX_BYTES ? count - done : MAX_BYTES;
    if (getentropy((char *)bytes + done, (size_t)now)) abort();
  }
}

EXPORT int sqlite3_sleep(int milliseconds) {
  if (milliseconds > 0) usleep((useconds_t)milliseconds * 1000);
  return milliseconds < 0 ? 0 : milliseconds;
}
