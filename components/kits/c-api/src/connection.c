/* What only the host knows of the connection that called the extension. */
#include "face.h"
#include "head.h"
#include "start.h"

/* The state of the connection, whose error stays; zeros without one. */
static ReplyHead state(void) {
  Connection *connection = &work_connection;
  Reply reply = {0};
  ReplyHead head;
  call(connection, WORK_STATE);
  send(connection, &reply);
  in_head(&reply.in, &head);
  return head;
}

sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *db) {
  (void)db;
  return state().last_insert_rowid;
}

sqlite3_int64 sqlite3_changes64(sqlite3 *db) {
  (void)db;
  return state().changes;
}

sqlite3_int64 sqlite3_total_changes64(sqlite3 *db) {
  (void)db;
  return state().total_changes;
}

int sqlite3_changes(sqlite3 *db) { return (int)sqlite3_changes64(db); }

int sqlite3_total_changes(sqlite3 *db) { return (int)sqlite3_total_changes64(db); }

int sqlite3_error_offset(sqlite3 *db) {
  /* Only an error in SQL text has one, and the host parses that. */
  return start_has_sql && sqlite3_errcode(db) ? state().offset : -1;
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
  return !start_has_sql || state().autocommit != 0;
}
