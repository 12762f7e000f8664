/* Allocations that fail, for tests: the linker uses these functions instead of the C library's,
** from which SQLite and Rust take their memory. Compiled only with the feature `planted-error`. */
#include <stddef.h>

#include "sqlite3.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);

/* Allocations up to the first that fails, 0 if none does; how many fail; how many have failed. */
static long long countdown, remaining, failed;
/* Blocks in use. */
static long long live;
/* While this is set, SQLite goes on without the memory that it requests, and reports no error. */
static int is_benign;

static int fails(void) {
  if (is_benign || countdown == 0 || --countdown > 0) return 0;
  failed++;
  /* The next one fails too, if more are to. */
  countdown = --remaining > 0;
  return 1;
}

void *__wrap_malloc(size_t bytes) {
  void *block = fails() ? NULL : __real_malloc(bytes);
  live += block != NULL;
  return block;
}

void *__wrap_calloc(size_t count, size_t bytes) {
  void *block = fails() ? NULL : __real_calloc(count, bytes);
  live += block != NULL;
  return block;
}

void *__wrap_realloc(void *block, size_t bytes) {
  if (fails()) return NULL;
  void *moved = __real_realloc(block, bytes);
  live += block == NULL && moved != NULL;
  return moved;
}

void __wrap_free(void *block) {
  live -= block != NULL;
  __real_free(block);
}

static void begin_benign(void) { is_benign++; }

static void end_benign(void) { is_benign--; }

/* planted_failures(N, COUNT): the Nth allocation from now on fails, and those behind it, COUNT in all; 0
** disarms. Returns how many have failed since the last call. */
static void set_failures(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_result_int64(context, failed);
  failed = 0;
  countdown = sqlite3_value_int64(arguments[0]);
  remaining = sqlite3_value_int64(arguments[1]);
}

/* planted_blocks(): how many blocks are in use. */
static void count_blocks(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  (void)arguments;
  sqlite3_result_int64(context, live);
}

int plant_failures(sqlite3 *db) {
  sqlite3_test_control(SQLITE_TESTCTRL_BENIGN_MALLOC_HOOKS, begin_benign, end_benign);
  sqlite3_create_function(db, "planted_failures", 2, SQLITE_UTF8, 0, set_failures, 0, 0);
  return sqlite3_create_function(db, "planted_blocks", 0, SQLITE_UTF8, 0, count_blocks, 0, 0);
}
