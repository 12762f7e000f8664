/* Memory errors for tests, as SQL functions: what an attacker can do after finding a memory error
** in SQLite. Compiled only with the feature `planted-error`. */
#include <stdint.h>
#include <string.h>

#include "sqlite3.h"

static void *address(sqlite3_value *value) { return (void *)(uintptr_t)sqlite3_value_int64(value); }

/* planted_write(ADDRESS, COUNT, BYTE) */
static void write_memory(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  memset(address(arguments[0]), sqlite3_value_int(arguments[2]),
         (size_t)sqlite3_value_int64(arguments[1]));
  sqlite3_result_int(context, 1);
}

/* planted_read(ADDRESS, COUNT) */
static void read_memory(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_result_blob(context, address(arguments[0]), sqlite3_value_int(arguments[1]),
                      SQLITE_TRANSIENT);
}

/* planted_call(FUNCTION): a function pointer that was overwritten. */
static void call_function(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  ((void (*)(sqlite3_context *))address(arguments[0]))(context);
}

/* `failures.c`. */
int plant_failures(sqlite3 *db);

static int plant(sqlite3 *db, char **message, const void *routines) {
  (void)message;
  (void)routines;
  sqlite3_create_function(db, "planted_write", 3, SQLITE_UTF8, 0, write_memory, 0, 0);
  sqlite3_create_function(db, "planted_read", 2, SQLITE_UTF8, 0, read_memory, 0, 0);
  sqlite3_create_function(db, "planted_call", 1, SQLITE_UTF8, 0, call_function, 0, 0);
  return plant_failures(db);
}

/* Connections that are opened later have these functions. */
void plant_errors(void) { sqlite3_auto_extension((void (*)(void))plant); }
