/* Functions that describe the connection that called the extension. */
#include <stdlib.h>
#include <string.h>

#include "start.h"
#include "work.h"

/* The number at `index` of an operation's reply. */
static sqlite3_int64 number(uint8_t code, int index) {
  wit_bytes reply;
  if (!work_has_sql() || work_request(work_of(code), &reply) != SQLITE_OK) return 0;
  const uint8_t *at = reply.ptr + 8 * index;
  sqlite3_int64 found = work_take_u64(&at);
  free(reply.ptr);
  return found;
}

sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *db) {
  (void)db;
  return number(WORK_LAST_INSERT_ROW_ID, 0);
}

sqlite3_int64 sqlite3_changes64(sqlite3 *db) {
  (void)db;
  return number(WORK_CHANGES, 0);
}

sqlite3_int64 sqlite3_total_changes64(sqlite3 *db) {
  (void)db;
  return number(WORK_CHANGES, 1);
}

int sqlite3_changes(sqlite3 *db) { return (int)sqlite3_changes64(db); }

int sqlite3_total_changes(sqlite3 *db) { return (int)sqlite3_total_changes64(db); }

int sqlite3_error_offset(sqlite3 *db) {
  /* Only an error in SQL text has one, and the host parses that. */
  return start_has_sql && sqlite3_errcode(db) ? (int)number(WORK_ERROR_OFFSET, 0) : -1;
}

void sqlite3_set_last_insert_rowid(sqlite3 *db, sqlite3_int64 row_id) {
  (void)db;
  if (!work_has_sql()) return;
  Work *work = work_of(WORK_SET_LAST_INSERT_ROW_ID);
  work_u64(work, row_id);
  work_defer(work);
}

int sqlite3_get_autocommit(sqlite3 *db) {
  (void)db;
  /* No transaction is open while the host describes the extension. */
  return !start_has_sql || number(WORK_AUTOCOMMIT, 0) != 0;
}

/* Names that were returned. In SQLite a name lives as long as its database or
** table. These are never freed, since the extension may still use them. */
typedef struct Name Name;
struct Name {
  Name *next;
  char text[];
};

static const char *name(const char *text) {
  static Name *all;
  if (!text) return NULL;
  for (Name *known = all; known; known = known->next) {
    if (strcmp(known->text, text) == 0) return known->text;
  }
  Name *fresh = malloc(sizeof(Name) + strlen(text) + 1);
  if (!fresh) abort();
  strcpy(fresh->text, text);
  fresh->next = all;
  all = fresh;
  return fresh->text;
}

/* Databases. */

typedef struct {
  const char *name, *file;
  int is_read_only, transaction;
} Database;

/* Look up a database by its index, or by its name where that is negative. Null
** means `main`, and for the transaction state every database. */
static Database database(const char *schema, int index) {
  Database found = {NULL, NULL, -1, -1};
  wit_bytes reply;
  if (!work_has_sql()) return found;
  Work *work = work_of(WORK_DATABASE);
  if (index >= 0) {
    wit_value value = {.tag = SQLITE_WASM_EXTENSION_TYPES_VALUE_INTEGER, .val.integer = index};
    work_value(work, &value);
  } else {
    work_optional_text(work, schema);
  }
  if (work_request(work, &reply) != SQLITE_OK) return found;
  const uint8_t *at = reply.ptr;
  found.name = name(work_take_optional_text(&at));
  found.file = name(work_take_optional_text(&at));
  found.is_read_only = (int)work_take_u32(&at);
  found.transaction = (int)work_take_u32(&at);
  free(reply.ptr);
  return found;
}

const char *sqlite3_db_name(sqlite3 *db, int index) {
  (void)db;
  return index < 0 ? NULL : database(NULL, index).name;
}

sqlite3_filename sqlite3_db_filename(sqlite3 *db, const char *schema) {
  (void)db;
  return database(schema, -1).file;
}

int sqlite3_db_readonly(sqlite3 *db, const char *schema) {
  (void)db;
  return database(schema, -1).is_read_only;
}

int sqlite3_txn_state(sqlite3 *db, const char *schema) {
  (void)db;
  return database(schema, -1).transaction;
}

/* Columns of tables. */

int sqlite3_table_column_metadata(sqlite3 *db, const char *schema, const char *table,
                                  const char *column, const char **type, const char **collation,
                                  int *is_not_null, int *is_primary_key, int *is_auto_increment) {
  (void)db;
  wit_bytes reply;
  if (!table || !work_has_sql()) return SQLITE_MISUSE;
  Work *work = work_of(WORK_COLUMN);
  work_optional_text(work, schema);
  work_text(work, table);
  work_optional_text(work, column);
  int code = work_request(work, &reply);
  const uint8_t *at = code == SQLITE_OK ? reply.ptr : (const uint8_t *)"\0\0\0\0\0";
  const char *found = name(work_take_optional_text(&at));
  if (type) *type = found;
  found = name(work_take_optional_text(&at));
  if (collation) *collation = found;
  int flags[3] = {work_take_u8(&at), work_take_u8(&at), work_take_u8(&at)};
  if (is_not_null) *is_not_null = flags[0];
  if (is_primary_key) *is_primary_key = flags[1];
  if (is_auto_increment) *is_auto_increment = flags[2];
  if (code != SQLITE_OK) return code;
  free(reply.ptr);
  return connection_succeed();
}
