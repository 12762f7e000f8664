/* Probes of what a process and its connection have: memory, limits, mutexes,
** errors. */
#include <string.h>

#include "probes.h"
SQLITE_EXTENSION_INIT3

static void p_memory(Context *context, int count, Value **values) {
  (void)count, (void)values;
  char *memory = sqlite3_malloc(10);
  strcpy(memory, "memory");
  memory = sqlite3_realloc(memory, 100);
  memory = sqlite3_realloc64(memory, 1000);
  int holds = sqlite3_msize(memory) >= 1000 && !strcmp(memory, "memory");
  sqlite3_free(memory);
  memory = sqlite3_malloc64(5);
  holds &= memory != 0 && sqlite3_malloc(0) == 0 && sqlite3_malloc(-1) == 0 &&
           sqlite3_realloc(0, 0) == 0;
  sqlite3_free(memory);
  sqlite3_free(0);
  holds &= sqlite3_memory_used() >= 0 && sqlite3_memory_highwater(0) >= 0;
#ifdef SQLITE_CORE
  /* A native SQLite without threads has null for these. */
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
  sqlite3_mutex_enter(mutex);
  sqlite3_mutex_leave(mutex);
  holds &= sqlite3_mutex_try(mutex) == SQLITE_OK;
  sqlite3_mutex_free(mutex);
  sqlite3_mutex_enter(sqlite3_db_mutex(sqlite3_context_db_handle(context)));
  sqlite3_mutex_leave(sqlite3_db_mutex(sqlite3_context_db_handle(context)));
#endif
  sqlite3_log(0, "%s", "nobody listens");
  unsigned char random[300];
  memset(random, 0, sizeof(random));
  sqlite3_randomness(sizeof(random), random);
  int zeros = 0;
  for (unsigned i = 0; i < sizeof(random); i++) zeros += random[i] == 0;
  holds &= zeros < 50;
  sqlite3_result_int(context, holds);
}

static void p_about(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(db);
  sqlite3_str_appendf(text, "%s %d %s threadsafe %d", sqlite3_libversion(),
                      sqlite3_libversion_number(), sqlite3_sourceid(), sqlite3_threadsafe());
  for (int i = 0; i < 12; i++) sqlite3_str_appendf(text, " %d", sqlite3_limit(db, i, -1));
  sqlite3_str_appendf(text, " %s/%s/%s", sqlite3_errstr(SQLITE_CONSTRAINT),
                      sqlite3_errstr(SQLITE_BUSY_SNAPSHOT), sqlite3_errstr(9999));
  give(context, text);
}

/* Limits of memory: each call returns the limit before it. */
static void p_heap_limits(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_str *text = sqlite3_str_new(0);
  const sqlite3_int64 much = (sqlite3_int64)1 << 40;
  sqlite3_str_appendf(text, "soft %lld", sqlite3_soft_heap_limit64(much));
  sqlite3_str_appendf(text, " %lld", sqlite3_soft_heap_limit64(-1));
  sqlite3_str_appendf(text, ", hard %lld", sqlite3_hard_heap_limit64(much / 2));
  sqlite3_str_appendf(text, " %lld", sqlite3_hard_heap_limit64(-1));
  sqlite3_str_appendf(text, ", soft %lld", sqlite3_soft_heap_limit64(much));
  sqlite3_str_appendf(text, " %lld", sqlite3_soft_heap_limit64(-1));
  sqlite3_str_appendf(text, ", hard %lld", sqlite3_hard_heap_limit64(0));
  sqlite3_soft_heap_limit(1 << 30);
  sqlite3_str_appendf(text, ", soft %lld", sqlite3_soft_heap_limit64(0));
  sqlite3_str_appendf(text, ", released %d %d", sqlite3_release_memory(1000),
                      sqlite3_db_release_memory(sqlite3_context_db_handle(context)));
  give(context, text);
}

/* Counters: those that there are, and how they lie to one another. */
static void p_status(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3_str *text = sqlite3_str_new(0);
  for (int kind = -1; kind < 12; kind++) {
    int now = 0, most = 0;
    sqlite3_int64 now64 = 0, most64 = 0;
    int code = sqlite3_status(kind, &now, &most, 0);
    int code64 = sqlite3_status64(kind, &now64, &most64, 0);
    sqlite3_str_appendf(text, "%d %d %d, ", code, code64,
                        now == now64 && most == most64 && now64 >= 0 && most64 >= now64);
  }
  give(context, text);
}

/* What an extension may ask of the process, and seldom does. Where there is
** nothing to do for one that is apart from the others, the same holds. */
static void p_process(Context *context, int count, Value **values) {
  (void)count, (void)values;
  sqlite3 *db = sqlite3_context_db_handle(context);
  sqlite3_str *text = sqlite3_str_new(0);
  sqlite3_str_appendf(text, "cacheflush %d, shared cache %d", sqlite3_db_cacheflush(db),
                      sqlite3_enable_shared_cache(1));
  sqlite3_str_appendf(text, " %d, interrupted %d", sqlite3_enable_shared_cache(0),
                      sqlite3_is_interrupted(db));
  sqlite3_str_appendf(text, ", slept %d %d", sqlite3_sleep(0), sqlite3_sleep(-5));
  sqlite3_thread_cleanup();
#ifdef SQLITE_CORE
  /* A native SQLite has null for it. */
  if (sqlite3_global_recover()) sqlite3_str_appendall(text, " not recovered");
#endif
  sqlite3_str_appendf(text, ", option %d", sqlite3_compileoption_used("NO_SUCH_OPTION"));
  sqlite3_str_appendf(text, " %s %s", sqlite3_compileoption_get(-1),
                      sqlite3_compileoption_get(10000));
  give(context, text);
}

const Probe process_probes[] = {
    {"p_memory", 0, p_memory}, {"p_about", 0, p_about},     {"p_heap_limits", 0, p_heap_limits},
    {"p_status", 0, p_status}, {"p_process", 0, p_process}, {0},
};
