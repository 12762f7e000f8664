/* Routines without a job in a component, which has one thread, and whose memory
** and time the host limits. */
#include <stddef.h>
#include <unistd.h>

#include "sqlite3.h"

int sqlite3_initialize(void) { return SQLITE_OK; }
int sqlite3_shutdown(void) { return SQLITE_OK; }
int sqlite3_threadsafe(void) { return 0; }
void sqlite3_thread_cleanup(void) {}
int sqlite3_enable_shared_cache(int enable) {
  (void)enable;
  return SQLITE_OK;
}

sqlite3_mutex *sqlite3_mutex_alloc(int kind) {
  (void)kind;
  /* Not null, as in SQLite without threads. */
  return (sqlite3_mutex *)8;
}
void sqlite3_mutex_free(sqlite3_mutex *mutex) { (void)mutex; }
void sqlite3_mutex_enter(sqlite3_mutex *mutex) { (void)mutex; }
void sqlite3_mutex_leave(sqlite3_mutex *mutex) { (void)mutex; }
int sqlite3_mutex_try(sqlite3_mutex *mutex) {
  (void)mutex;
  return SQLITE_OK;
}
sqlite3_mutex *sqlite3_db_mutex(sqlite3 *db) {
  (void)db;
  return NULL;
}

int sqlite3_db_release_memory(sqlite3 *db) {
  (void)db;
  return SQLITE_OK;
}
int sqlite3_db_cacheflush(sqlite3 *db) {
  (void)db;
  return SQLITE_OK;
}

void sqlite3_log(int code, const char *format, ...) {
  (void)code;
  (void)format;
}
void sqlite3_interrupt(sqlite3 *db) { (void)db; }
int sqlite3_is_interrupted(sqlite3 *db) {
  (void)db;
  return 0;
}
int sqlite3_sleep(int milliseconds) {
  (void)milliseconds;
  return 0;
}

/* Random bytes from the host. */
void sqlite3_randomness(int count, void *bytes) {
  /* The limit of one call of `getentropy`. */
  enum { MAX_BYTES = 256 };
  for (int done = 0; done < count; done += MAX_BYTES) {
    getentropy((char *)bytes + done, count - done < MAX_BYTES ? count - done : MAX_BYTES);
  }
}

int sqlite3_compileoption_used(const char *option) {
  (void)option;
  return 0;
}
const char *sqlite3_compileoption_get(int number) {
  (void)number;
  return NULL;
}
int sqlite3_global_recover(void) { return SQLITE_OK; }
