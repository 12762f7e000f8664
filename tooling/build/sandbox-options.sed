# What SQLite says about itself as a library for programs (`PRAGMA compile_options`,
# sqlite3_compileoption_used): the engine in the sandbox and the C code in front of it say the same.
# No flag adds to SQLite's own list.
/^static const char \* const sqlite3azCompileOpt\[\] = {$/,/^} *;$/ {
  # Two compilers: neither is the one of both.
  /"COMPILER=/,/,$/d
  /"EXTRA_AUTOEXT=/d
  # Programs may use threads: the library has mutexes, and the engine behind them needs none.
  s/"MUTEX_OMIT"/"MUTEX_PTHREADS"/
  s/"THREADSAFE=" CTIMEOPT_VAL(SQLITE_THREADSAFE)/"THREADSAFE=1"/
  s/"MAX_WORKER_THREADS=" CTIMEOPT_VAL(SQLITE_MAX_WORKER_THREADS)/"MAX_WORKER_THREADS=0"/
  /^#ifdef SQLITE_WIN32_MALLOC$/i\
  "WASM_SANDBOX",
}
