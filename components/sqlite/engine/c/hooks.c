/* Hooks of the program. The argument of each is the connection. */
#include "interface.h"

/* Of the engine, which has an authorizer itself. */
extern int engine_set_authorizer(sqlite3 *,
                                 int (*)(void *, int, const char *, const char *, const char *,
                                         const char *),
                                 void *);
extern int engine_is_extension_sql_running(void);
extern void engine_progress_handler(sqlite3 *, int, int (*)(void *), void *);

static int on_busy(void *db, int count) {
  Out out = event_begin(db, EVENT_BUSY);
  out_u32(&out, (uint32_t)count);
  return event_send_for_code(&out);
}

static int on_progress(void *db) {
  Out out = event_begin(db, EVENT_PROGRESS);
  return event_send_for_code(&out);
}

static int on_commit(void *db) {
  Out out = event_begin(db, EVENT_COMMIT);
  return event_send_for_code(&out);
}

static void on_rollback(void *db) {
  Out out = event_begin(db, EVENT_ROLLBACK);
  event_send_for_code(&out);
}

static void on_update(void *db, int action, const char *schema, const char *table,
                      sqlite3_int64 row_id) {
  Out out = event_begin(db, EVENT_UPDATE);
  out_u32(&out, (uint32_t)action);
  out_text(&out, schema);
  out_text(&out, table);
  out_u64(&out, (uint64_t)row_id);
  event_send_for_code(&out);
}

/* Sends everything that the program can request meanwhile: depth, column of a blob, old and new
** values. */
static void on_preupdate(void *data, sqlite3 *db, int action, const char *schema, const char *table,
                         sqlite3_int64 old_row, sqlite3_int64 new_row) {
  (void)data;
  Out out = event_begin(db, EVENT_PREUPDATE);
  out_u32(&out, (uint32_t)action);
  out_text(&out, schema);
  out_text(&out, table);
  out_u64(&out, (uint64_t)old_row);
  out_u64(&out, (uint64_t)new_row);
  out_u32(&out, (uint32_t)sqlite3_preupdate_depth(db));
  out_u32(&out, (uint32_t)sqlite3_preupdate_blobwrite(db));
  int count = sqlite3_preupdate_count(db);
  out_u32(&out, (uint32_t)count);
  for (int i = 0; i < 2 * count; i++) {
    sqlite3_value *value = NULL;
    int code = i < count ? sqlite3_preupdate_old(db, i, &value)
                         : sqlite3_preupdate_new(db, i - count, &value);
    put_value(&out, code ? NULL : value);
  }
  event_send_for_code(&out);
}

static int on_wal(void *data, sqlite3 *db, const char *schema, int pages) {
  (void)data;
  Out out = event_begin(db, EVENT_WAL);
  out_text(&out, schema);
  out_u32(&out, (uint32_t)pages);
  return event_send_for_code(&out);
}

static int on_authorize(void *db, int action, const char *first, const char *second,
                        const char *schema, const char *source) {
  Out out = event_begin(db, EVENT_AUTHORIZER);
  out_u32(&out, (uint32_t)action);
  out_text(&out, first);
  out_text(&out, second);
  out_text(&out, schema);
  out_text(&out, source);
  /* Behind what libsqlite3.so.0 reads. */
  out_u8(&out, (uint8_t)engine_is_extension_sql_running());
  return event_send_for_code(&out);
}

/* Kind, statement, an integer, its text; for a statement that begins, the expanded text; for a row,
** the count of its values and the values. */
static int on_trace(unsigned kind, void *db, void *first, void *second) {
  sqlite3_stmt *statement = kind == SQLITE_TRACE_CLOSE ? NULL : first;
  Out out = event_begin(db, EVENT_TRACE);
  out_u32(&out, kind);
  out_u32(&out, (uint32_t)(uintptr_t)statement);
  sqlite3_int64 time = 0;
  if (kind == SQLITE_TRACE_PROFILE) memcpy(&time, second, sizeof(time));
  out_u64(&out, (uint64_t)time);
  out_text(&out, kind == SQLITE_TRACE_STMT ? second : NULL);
  out_text(&out, statement ? sqlite3_sql(statement) : NULL);
  char *expanded = kind == SQLITE_TRACE_STMT ? sqlite3_expanded_sql(statement) : NULL;
  out_text(&out, expanded);
  sqlite3_free(expanded);
  int width = kind == SQLITE_TRACE_ROW ? sqlite3_data_count(statement) : 0;
  out_u32(&out, (uint32_t)width);
  for (int i = 0; i < width; i++) put_value(&out, engine_column(statement, i));
  return event_send_for_code(&out);
}

static void on_collation_needed(void *data, sqlite3 *db, int encoding, const char *name) {
  (void)data;
  Out out = event_begin(db, EVENT_COLLATION_NEEDED);
  out_u32(&out, (uint32_t)encoding);
  out_text(&out, name);
  event_send_for_code(&out);
}

static unsigned on_autovacuum(void *db, const char *schema, unsigned pages, unsigned unused,
                              unsigned page_bytes) {
  Out out = event_begin(db, EVENT_AUTOVACUUM_PAGES);
  out_text(&out, schema);
  out_u32(&out, pages);
  out_u32(&out, unused);
  out_u32(&out, page_bytes);
  return (unsigned)event_send_for_code(&out);
}

void call_hook(Call *call) {
  sqlite3 *db = call->db;
  uint8_t hook = in_u8(&call->in);
  bool on = in_u8(&call->in);
  uint32_t number = in_u32(&call->in);
  switch (hook) {
    case EVENT_BUSY:
      call->code = sqlite3_busy_handler(db, on ? on_busy : NULL, on ? db : NULL);
      break;
    case EVENT_PROGRESS:
      engine_progress_handler(db, (int)number, on ? on_progress : NULL, on ? db : NULL);
      break;
    case EVENT_COMMIT: sqlite3_commit_hook(db, on ? on_commit : NULL, on ? db : NULL); break;
    case EVENT_ROLLBACK: sqlite3_rollback_hook(db, on ? on_rollback : NULL, on ? db : NULL); break;
    case EVENT_UPDATE: sqlite3_update_hook(db, on ? on_update : NULL, on ? db : NULL); break;
    case EVENT_PREUPDATE:
      sqlite3_preupdate_hook(db, on ? on_preupdate : NULL, on ? db : NULL);
      break;
    case EVENT_WAL: sqlite3_wal_hook(db, on ? on_wal : NULL, on ? db : NULL); break;
    case EVENT_AUTHORIZER:
      call->code = engine_set_authorizer(db, on ? on_authorize : NULL, on ? db : NULL);
      break;
    case EVENT_TRACE:
      call->code = sqlite3_trace_v2(db, number, on ? on_trace : NULL, on ? db : NULL);
      break;
    case EVENT_COLLATION_NEEDED:
      call->code = sqlite3_collation_needed(db, on ? db : NULL, on ? on_collation_needed : NULL);
      break;
    case EVENT_AUTOVACUUM_PAGES:
      call->code = sqlite3_autovacuum_pages(db, on ? on_autovacuum : NULL, on ? db : NULL, NULL);
      break;
    case EVENT_CHANGES: call->code = set_changes_hook(db, on ? number : 0); break;
    default: call->in.is_bad = true;
  }
}
