/* What SQLite has no function for, or only slower ones. */
#ifndef ENGINE_INTERNALS_H
#define ENGINE_INTERNALS_H

#include "sqlite3.h"

/* A value as it is stored: `type` is that of sqlite3_value_type; text is UTF-8. */
typedef struct PlainValue {
  int type;
  /* Of `bytes`. */
  unsigned count;
  union {
    sqlite3_int64 integer;
    double real;
    const void *bytes;
  } is;
} PlainValue;

/* Read a value. Returns 0 if only SQLite's functions can read it: it has a subtype, is a pointer, a
** BLOB that ends in zeros that are not stored, or text in UTF-16. */
int engine_plain_value(const sqlite3_value *value, PlainValue *plain);

/* A value of the current row: `index` is below sqlite3_data_count. */
sqlite3_value *engine_column(sqlite3_stmt *statement, int index);

/* After a row: whether the statement has nothing left to do, so that its next step takes no time,
** returns no row and reads nothing that may change before. */
int engine_is_at_end(sqlite3_stmt *statement);

/* The message of the failure that ends the statements that run now: for callbacks that can only return a
** code. One that continues forgets it. */
void engine_set_statement_error(sqlite3 *db, const char *message);

/* One that SQLite calls for savepoints and ends of transactions, as it calls virtual tables. */
typedef struct Participant Participant;

/* Of a connection; `methods` get `vtab`. Freed by sqlite3_free when the connection is closed. */
Participant *engine_participant(sqlite3 *db, const sqlite3_module *methods, sqlite3_vtab *vtab);

/* Take part in the transaction that is open, unless it already does: `savepoints` gets the count of those that
** are open. SQLITE_LOCKED where that is not possible now. */
int engine_participate(Participant *one, int *savepoints);

/* The columns of a primary key, by their indexes in the table. */
typedef struct ChangedKey {
  const short *columns;
  int count;
} ChangedKey;

/* In the hook before changes: the primary key of a table without row ids; of others no columns. */
ChangedKey engine_changed_key(sqlite3 *db);

/* Whether the transaction has changed a schema. */
int engine_has_changed_schema(sqlite3 *db);

/* Prepare the statements that do not run anew before they run: some depend on hooks. */
void engine_expire_statements(sqlite3 *db);

/* The encoding of the connection's databases, such as SQLITE_UTF8. */
int engine_encoding(sqlite3 *db);

#endif
