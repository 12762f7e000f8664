/* Hooks of the program. SQLite's structure of a connection stores them; the engine only knows which
** ones are set. */

static int set_hook(Connection *connection, uint8_t event, bool on, uint32_t number) {
  Out *work = call(connection, CALL_HOOK);
  out_u8(work, event);
  out_u8(work, on);
  out_u32(work, number);
  connection->has_callbacks |= on;
  return request_code(connection);
}

EXPORT int sqlite3_busy_handler(sqlite3 *db, int (*busy)(void *, int), void *data) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  db->busyHandler.xBusyHandler = busy;
  db->busyHandler.pBusyArg = data;
  db->busyTimeout = 0;
  /* It only runs when a file is locked, so rows may still be fetched ahead. */
  bool before = connection->has_callbacks;
  int code = set_hook(connection, EVENT_BUSY, busy != NULL, 0);
  connection->has_callbacks = before;
  return leave_with(connection, code);
}

EXPORT int sqlite3_busy_timeout(sqlite3 *db, int milliseconds) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  db->busyHandler.xBusyHandler = NULL;
  db->busyTimeout = milliseconds > 0 ? milliseconds : 0;
  out_u32(call(connection, CALL_BUSY_TIMEOUT), (uint32_t)milliseconds);
  call_later(connection);
  return leave_with(connection, SQLITE_OK);
}

/* SQLite has it only with SQLITE_ENABLE_SETLK_TIMEOUT. */
EXPORT int sqlite3_setlk_timeout(sqlite3 *db, int milliseconds, int flags) {
  (void)flags;
  return is_open(db) && milliseconds >= -1 ? SQLITE_OK : SQLITE_MISUSE_BKPT;
}

EXPORT void sqlite3_progress_handler(sqlite3 *db, int steps, int (*progress)(void *), void *data) {
  if (!is_open(db)) return;
  Connection *connection = connection_of(db);
  enter(connection);
  bool on = steps > 0 && progress;
  db->xProgress = on ? progress : NULL;
  db->nProgressOps = on ? (unsigned)steps : 0;
  db->pProgressArg = on ? data : NULL;
  set_hook(connection, EVENT_PROGRESS, on, on ? (uint32_t)steps : 0);
  leave(connection);
}

/* A hook of which the former argument is returned. */
#define HOOK(hook, callback_field, data_field) \
  if (!is_open(db)) return NULL; \
  Connection *connection = connection_of(db); \
  enter(connection); \
  void *former = db->data_field; \
  bool was_on = db->callback_field != NULL; \
  db->callback_field = callback; \
  db->data_field = data; \
  if (callback || was_on) set_hook(connection, hook, callback != NULL, 0); \
  leave(connection); \
  return former;

EXPORT void *sqlite3_commit_hook(sqlite3 *db, int (*callback)(void *),
                                 void *data){HOOK(EVENT_COMMIT, xCommitCallback, pCommitArg)}

EXPORT void *sqlite3_rollback_hook(sqlite3 *db, void (*callback)(void *), void *data){
    HOOK(EVENT_ROLLBACK, xRollbackCallback, pRollbackArg)}

EXPORT void *sqlite3_update_hook(sqlite3 *db,
                                 void (*callback)(void *, int, const char *, const char *,
                                                  sqlite3_int64),
                                 void *data){HOOK(EVENT_UPDATE, xUpdateCallback, pUpdateArg)}

EXPORT void *sqlite3_preupdate_hook(sqlite3 *db,
                                    void (*callback)(void *, sqlite3 *, int, const char *,
                                                     const char *, sqlite3_int64, sqlite3_int64),
                                    void *data){
    HOOK(EVENT_PREUPDATE, xPreUpdateCallback, pPreUpdateArg)}

EXPORT void *sqlite3_wal_hook(sqlite3 *db, int (*callback)(void *, sqlite3 *, const char *, int),
                              void *data){HOOK(EVENT_WAL, xWalCallback, pWalArg)}

EXPORT int sqlite3_autovacuum_pages(sqlite3 *db,
                                    unsigned (*callback)(void *, const char *, unsigned, unsigned,
                                                         unsigned),
                                    void *data, void (*destructor)(void *)) {
  if (!is_open(db)) {
    if (destructor) destructor(data);
    return SQLITE_MISUSE_BKPT;
  }
  Connection *connection = connection_of(db);
  enter(connection);
  if (db->xAutovacDestr) db->xAutovacDestr(db->pAutovacPagesArg);
  db->xAutovacPages = callback;
  db->pAutovacPagesArg = data;
  db->xAutovacDestr = destructor;
  return leave_with(connection, set_hook(connection, EVENT_AUTOVACUUM_PAGES, callback != NULL, 0));
}

EXPORT int sqlite3_set_authorizer(sqlite3 *db,
                                  int (*callback)(void *, int, const char *, const char *,
                                                  const char *, const char *),
                                  void *data) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  Connection *connection = connection_of(db);
  enter(connection);
  db->xAuth = callback;
  db->pAuthArg = data;
  /* Only preparing calls it. */
  bool before = connection->has_callbacks;
  int code = set_hook(connection, EVENT_AUTHORIZER, callback != NULL, 0);
  connection->has_callbacks = before;
  return leave_with(connection, code);
}

static int set_trace(sqlite3 *db, unsigned mask, bool on) {
  return set_hook(connection_of(db), EVENT_TRACE, on, mask);
}

EXPORT int sqlite3_trace_v2(sqlite3 *db, unsigned mask,
                            int (*trace)(unsigned, void *, void *, void *), void *data) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  enter(connection_of(db));
  if (mask == 0) trace = NULL;
  if (!trace) mask = 0;
  db->mTrace = (u8)mask;
  db->trace.xV2 = trace;
  db->pTraceArg = data;
  return leave_with(connection_of(db), set_trace(db, mask, trace != NULL));
}

EXPORT void *sqlite3_trace(sqlite3 *db, void (*trace)(void *, const char *), void *data) {
  if (!is_open(db)) return NULL;
  enter(connection_of(db));
  void *former = db->pTraceArg;
  db->mTrace = trace ? SQLITE_TRACE_LEGACY : 0;
  db->trace.xLegacy = trace;
  db->pTraceArg = data;
  set_trace(db, SQLITE_TRACE_STMT | (db->xProfile ? SQLITE_TRACE_PROFILE : 0),
            trace || db->xProfile);
  leave(connection_of(db));
  return former;
}

EXPORT void *sqlite3_profile(sqlite3 *db, void (*profile)(void *, const char *, sqlite3_uint64),
                             void *data) {
  if (!is_open(db)) return NULL;
  enter(connection_of(db));
  void *former = db->pProfileArg;
  db->xProfile = (void (*)(void *, const char *, u64))profile;
  db->pProfileArg = data;
  set_trace(db, (profile ? SQLITE_TRACE_PROFILE : 0) | (db->mTrace ? SQLITE_TRACE_STMT : 0),
            profile || db->mTrace);
  leave(connection_of(db));
  return former;
}

EXPORT int sqlite3_collation_needed(sqlite3 *db, void *data,
                                    void (*needed)(void *, sqlite3 *, int, const char *)) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  enter(connection_of(db));
  db->xCollNeeded = needed;
  db->xCollNeeded16 = NULL;
  db->pCollNeededArg = data;
  return leave_with(connection_of(db),
                    set_hook(connection_of(db), EVENT_COLLATION_NEEDED, needed != NULL, 0));
}

EXPORT int sqlite3_collation_needed16(sqlite3 *db, void *data,
                                      void (*needed)(void *, sqlite3 *, int, const void *)) {
  if (!is_open(db)) return SQLITE_MISUSE_BKPT;
  enter(connection_of(db));
  db->xCollNeeded = NULL;
  db->xCollNeeded16 = needed;
  db->pCollNeededArg = data;
  return leave_with(connection_of(db),
                    set_hook(connection_of(db), EVENT_COLLATION_NEEDED, needed != NULL, 0));
}
