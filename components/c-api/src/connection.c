/* What only the host knows of the connection that called the extension. */
#include "face.h"
#include "start.h"

/* The number at `index` of an operation's reply. The connection's error stays. */
static sqlite3_int64 number(uint8_t opcode, size_t index) {
  Connection *connection = &work_connection;
  Reply reply;
  call(connection, opcode);
  if (send(connection, &reply) != SQLITE_OK) return 0;
  in_raw(&reply.in, 8 * index);
  return (sqlite3_int64)in_u64(&reply.in);
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
  Connection *connection = open_connection(db);
  /* The entry point runs again on a connection. */
  start_wanted_sql |= !start_has_sql;
  if (!start_has_sql) return;
  out_u64(call(connection, WORK_SET_LAST_INSERT_ROW_ID), (uint64_t)row_id);
  call_later(connection);
}

int sqlite3_get_autocommit(sqlite3 *db) {
  (void)db;
  /* No transaction is open while the host describes the extension. */
  return !start_has_sql || number(WORK_AUTOCOMMIT, 0) != 0;
}
